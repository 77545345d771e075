import type { ConnectionTests, TestResult } from "#app/checks/connection-tests.ts";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type CommandId, VIEWS } from "#app/contributions.ts";
import type { Choice, NextStep } from "../kit/prompts.ts";
import type { RowLook } from "../kit/rows.ts";
import type { Answers, Form, FormTools } from "./connect.ts";
import { CODEHOST_FORM } from "./connect-codehost.ts";
import { MESSAGES_FORM } from "./connect-messages.ts";
import { PETSTORE_FORM } from "./connect-petstore.ts";
import { codehostFacts, type Fact, type KnownFacts, messagesFacts, petstoreFacts } from "./connection-facts.ts";
import { showAnswer, showDiagnosis } from "./test-connections.ts";

/** A service, as the wizard, the commands and the Connections view present it. */
interface ServiceRow {
	/** Heading of its presets in the list of services. */
	readonly heading: string;
	/** Name of the codicon of its connections. */
	readonly icon: string;
	readonly form: Form;
	/** Facts that are known of a connection. */
	facts(connection: Connection, known: KnownFacts): readonly Fact[];
	/** Tests a connection and shows the person its progress and the result. */
	test(connection: Connection, tests: ConnectionTests): Promise<TestResult>;
	/** Button that leads on from an added connection. */
	readonly next: NextStep;
	/** Command of a click on a connection. */
	readonly opens?: RowLook["command"];
	/** Words for what stays when a connection is removed. */
	readonly stays: string;
	/** Commands that sign in, where there are several. */
	readonly waysIn?: readonly Choice<CommandId>[];
	/** Sentences about what a connection without one of these secrets cannot do. */
	readonly lacking?: Readonly<Record<string, string>>;
}

/** The services that connections are made to, as a person sees them. */
export const CONNECTED_SERVICES: Readonly<Record<ConnectionService, ServiceRow>> = {
	codehost: {
		heading: "Code Hosts",
		icon: "account",
		form: CODEHOST_FORM,
		facts: codehostFacts,
		test: showDiagnosis,
		next: { label: "Add a Repository", command: "switchboard.codehost.addRepository" },
		stays: "Its repositories stay in the list, until you choose another connection for them or remove them.",
	},
	petstore: {
		heading: "Pet Stores",
		icon: "package",
		form: PETSTORE_FORM,
		facts: petstoreFacts,
		test: showAnswer,
		next: { label: "Show Pets", command: `${VIEWS.pets}.focus` },
		stays: "The data in the store stays.",
		waysIn: [
			{ label: "Enter a Key or Token", value: "switchboard.replaceKey" },
			{ label: "Sign In in the Browser", value: "switchboard.petstore.signIn" },
			{ label: "Log In as a User of the Store", value: "switchboard.petstore.logIn" },
		],
		lacking: { token: "To list and change pets, sign in.", apiKey: "For the inventory, enter an API key." },
	},
	messages: {
		heading: "Models",
		icon: "comment-discussion",
		form: MESSAGES_FORM,
		facts: messagesFacts,
		test: showAnswer,
		next: { label: "Open Chat", command: "switchboard.openChat" },
		opens: { id: "switchboard.openChat", title: "Open Chat" },
		stays: "Conversations stay.",
	},
};

/** Answers before any question about a new connection. */
export function noAnswers(service: ConnectionService, tools: FormTools = {}): Answers {
	const own = CONNECTED_SERVICES[service].form.own(undefined, undefined, tools);
	return { service, label: "", baseUrl: "", profile: "custom", isFound: false, refused: new Set(), ...own };
}

/** The answers that a connection stands for, with the form that they are in and what is stored of its secret. */
export async function answersOf(connection: Connection, registry: ConnectionRegistry, tools: FormTools = {}) {
	const { service, label, baseUrl, profile } = connection;
	const { form } = CONNECTED_SERVICES[service];
	const held = await registry.secret(connection);
	const own = form.own(connection, held, tools);
	const answers: Answers = { service, label, baseUrl, profile, isFound: false, refused: new Set(), ...own };
	return { answers, form, held };
}
