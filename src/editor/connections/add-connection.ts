import type { ConnectionService } from "#app/connections/connection.ts";
import { askChoice, BACK, type Choice } from "../prompts.ts";
import { walk } from "../wizard.ts";
import { mendCodehost, saveCodehost } from "./add-codehost.ts";
import type { ArgumentParts } from "./add-from-argument.ts";
import { type MessagesStep, mendMessages, messagesSteps, noMessagesAnswers, saveMessages } from "./add-messages.ts";
import {
	mendPetstore,
	noPetstoreAnswers,
	type PetstoreStep,
	petstoreSecretOf,
	petstoreSteps,
	savePetstore,
} from "./add-petstore.ts";
import { STOPPED } from "./answers.ts";
import { type CodehostStep, noCodehostAnswers } from "./codehost-answers.ts";
import { codehostSteps } from "./codehost-steps.ts";
import { AddressUnwanted, confirmReadable } from "./notices.ts";
import type { Added } from "./save-anyway.ts";

/** What adding a connection works with. */
export interface AddParts extends ArgumentParts {
	/** Starts the built-in sandbox; resolves to the ids of its connections. */
	readonly trySandbox: () => Promise<Readonly<Record<ConnectionService, string>>>;
}

type AddStep = "service" | MessagesStep | CodehostStep | PetstoreStep;

/** What is done with the answers about one kind of service. */
interface Room {
	readonly isSandbox: () => boolean;
	readonly baseUrl: () => string;
	readonly secret: () => string | undefined;
	/** The question whose answer is the base URL. */
	readonly address: AddStep;
	readonly save: () => Promise<Added>;
	readonly mend: (error: unknown) => { readonly step: AddStep; readonly problem: string };
}

/** How a person is asked for a connection. */
export interface AddOptions {
	/** The service, where there is nothing to choose. */
	readonly service?: ConnectionService | undefined;
	/** Of code hosts, offers tokens only. */
	readonly tokensOnly?: boolean | undefined;
}

/**
 * Asks for a connection step by step and adds it. When the service does not take it, the step that can mend it comes
 * back with what was typed and the reason. Resolves to undefined when the person leaves.
 */
export async function addByPrompts(parts: AddParts, options: AddOptions = {}): Promise<Added | undefined> {
	const { registry, findInstallations, trySandbox } = parts;
	let service: ConnectionService = options.service ?? "messages";
	const messages = noMessagesAnswers();
	const codehost = noCodehostAnswers();
	const petstore = noPetstoreAnswers();
	const rooms: Readonly<Record<ConnectionService, Room>> = {
		messages: {
			isSandbox: () => messages.preset === "sandbox",
			baseUrl: () => messages.baseUrl,
			secret: () => messages.key,
			address: "address",
			save: () => saveMessages(messages, registry),
			mend: (error) => mendMessages(error, messages),
		},
		codehost: {
			isSandbox: () => codehost.host === "sandbox",
			baseUrl: () => codehost.baseUrl,
			secret: () => (codehost.kind === "app" ? codehost.privateKey : codehost.token),
			address: "hostAddress",
			save: () => saveCodehost(codehost, registry),
			mend: (error) => mendCodehost(error, codehost),
		},
		petstore: {
			isSandbox: () => petstore.store === "sandbox",
			baseUrl: () => petstore.baseUrl,
			secret: () => petstoreSecretOf(petstore),
			address: "storeAddress",
			save: () => savePetstore(petstore, registry),
			mend: (error) => mendPetstore(error, petstore),
		},
	};
	const isAsked = (each: ConnectionService) => () => service === each;
	return walk<AddStep, Added>({
		title: "Add Connection",
		steps: [
			{
				name: "service",
				skip: () => options.service !== undefined,
				async ask(frame) {
					const answer = await askChoice<ConnectionService>(
						{ ...frame, placeholder: "To which kind of service?" },
						SERVICE_CHOICES,
					);
					if (answer !== undefined && answer !== BACK) service = answer;
					return answer;
				},
			},
			...messagesSteps(messages, isAsked("messages")),
			...codehostSteps(codehost, {
				isAsked: isAsked("codehost"),
				findInstallations,
				tokensOnly: options.tokensOnly,
			}),
			...petstoreSteps(petstore, isAsked("petstore")),
		],
		async finish() {
			const room = rooms[service];
			if (room.isSandbox()) return { id: (await trySandbox())[service] };
			await confirmReadable(room.baseUrl(), { service, secret: room.secret() });
			return room.save();
		},
		stopped: STOPPED,
		mend(error) {
			const room = rooms[service];
			return error instanceof AddressUnwanted ? { step: room.address, problem: error.message } : room.mend(error);
		},
	});
}

const SERVICE_CHOICES: readonly Choice<ConnectionService>[] = [
	{
		label: "$(repo) Code Host",
		detail: "Repositories and issues, with a personal access token or as an app",
		value: "codehost",
	},
	{
		label: "$(package) Pet Store",
		detail: "Pets, orders and users, with an API key, an access token or neither",
		value: "petstore",
	},
	{
		label: "$(comment-discussion) Messages",
		detail: "A chat with a model that streams its replies",
		value: "messages",
	},
];
