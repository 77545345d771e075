import * as vscode from "vscode";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionTests, TestResult } from "#app/connections/connection-tests.ts";
import { CONTEXT, VIEWS, WALKTHROUGH } from "#app/contributions.ts";
import { ClientError } from "#base/errors.ts";
import { object, oneOf, parse, trimmed } from "#base/schema.ts";
import type { Fields } from "../kit/arguments.ts";
import type { Call } from "../kit/call.ts";
import { commandsOf, givenIn, inTitle, onRows, unchecked } from "../kit/command.ts";
import { leadTo, type NextStep } from "../kit/next-step.ts";
import { withoutLinks } from "../kit/plain.ts";
import { askChoice, type Choice } from "../kit/prompts.ts";
import { asked, type Tree } from "../kit/tree.ts";
import { type Added, type AddParts, addByPrompts, addFromArgument } from "./add-connection.ts";
import { testedWords } from "./connection-facts.ts";
import { editByPrompts, editFromArgument, replaceFromArgument, replaceSecretByPrompt } from "./edit-connection.ts";
import { pickConnection, removeByPrompt, signOutByPrompt } from "./manage-connections.ts";
import type { SandboxIds } from "./sandbox-connection.ts";
import { showTest } from "./test-connections.ts";

/** Rooms that the commands about connections work with. */
export interface ConnectionParts extends AddParts {
	readonly tests: ConnectionTests;
	readonly tree: Tree;
	/** Starts the built-in sandbox if it is not running. */
	readonly trySandbox: () => Promise<SandboxIds>;
	/** A connection was added by a person: what they want next is to use it. */
	readonly added: (added: Added) => Promise<void>;
	/** Brings what the sandbox has to show into sight. */
	readonly showSandbox: () => Promise<void>;
}

/** Buttons that lead on from an added connection. */
const NEXT: Readonly<Record<ConnectionService, NextStep>> = {
	messages: { label: "Open Chat", command: "switchboard.chat.new" },
	codehost: { label: "Add a Repository", command: "switchboard.codehost.addRepository" },
	petstore: { label: "Show Pets", command: `${VIEWS.pets}.focus` },
};

const WAYS_IN: readonly Choice<"browser" | "typed">[] = [
	{ label: "Sign In in the Browser", detail: "With OAuth 2.0, to list and change pets", value: "browser" },
	{ label: "Enter a Key or Token", detail: "Use one you already have", value: "typed" },
];

const CONNECTION = { connection: trimmed() };
const SECRETS = unchecked("key", "token", "expiresAt", "privateKey", "passphrase", "apiKey");
const SECRET_FORMS = [
	"{connection, key}",
	"{connection, token, expiresAt?}",
	"{connection, privateKey, passphrase?}",
	"{connection, apiKey?, token?}",
];
const CAN_SIGN_IN = `${CONTEXT.hasCodehost} || ${CONTEXT.hasPetstore}`;
const inChat = (group: string) => inTitle(VIEWS.chat, group, CONTEXT.hasConnections);
const onConnections = (condition: string, ...groups: readonly string[]) =>
	onRows(VIEWS.connections, condition, ...groups);
const onErrors = (condition: string, group: string) =>
	[VIEWS.issues, VIEWS.pets, VIEWS.store].flatMap((view) => onRows(view, condition, group));

const define = commandsOf<ConnectionParts>();

const MESSAGES_FIELDS = unchecked("label", "baseUrl", "profile", "key", "model");
const CODEHOST_FIELDS = {
	...unchecked("label", "baseUrl", "profile", "token", "expiresAt"),
	...unchecked("appId", "privateKey", "passphrase", "installationId"),
};
const PETSTORE_FIELDS = unchecked("label", "baseUrl", "profile", "apiKey", "token", "format");

const FIELDS = { messages: MESSAGES_FIELDS, codehost: CODEHOST_FIELDS, petstore: PETSTORE_FIELDS };

/** Commands about connections of any service. */
export const CONNECTION_COMMANDS = [
	define("switchboard.addConnection", "Add Connection...", {
		icon: "add",
		menus: [inTitle(VIEWS.connections, "navigation@1")],
		input: { ...unchecked("service"), ...MESSAGES_FIELDS, ...CODEHOST_FIELDS, ...PETSTORE_FIELDS },
		takes: [
			'{service: "messages", label, baseUrl, profile?, key?, model?}',
			'{service: "codehost", label, baseUrl, profile?, token, expiresAt?}',
			'{service: "codehost", label, baseUrl, profile?, appId, privateKey, passphrase?, installationId?}',
			'{service: "petstore", label, baseUrl, profile?, apiKey?, token?, format?}',
		],
		gives: ["{id, login?}"],
		run: (call, parts) => addConnection(call.argument, parts),
	}),
	define("switchboard.chat.addConnection", "Add Messages Service...", {
		icon: "add",
		menus: [inTitle(VIEWS.chat, "1_connections@1")],
		input: MESSAGES_FIELDS,
		takes: ["{label, baseUrl, profile?, key?, model?}"],
		gives: ["{id}"],
		run: (call, parts) => addConnection(call.argument, parts, "messages"),
	}),
	define("switchboard.codehost.addConnection", "Add Code Host...", {
		icon: "add",
		input: CODEHOST_FIELDS,
		takes: [
			"{label, baseUrl, profile?, token, expiresAt?}",
			"{label, baseUrl, profile?, appId, privateKey, passphrase?, installationId?}",
		],
		gives: ["{id, login?}"],
		run: (call, parts) => addConnection(call.argument, parts, "codehost"),
	}),
	define("switchboard.petstore.addConnection", "Add Pet Store...", {
		icon: "add",
		menus: [inTitle(VIEWS.pets, "2_add@1"), inTitle(VIEWS.store, "3_add@1")],
		input: PETSTORE_FIELDS,
		takes: ["{label, baseUrl, profile?, apiKey?, token?, format?}"],
		gives: ["{id}"],
		run: (call, parts) => addConnection(call.argument, parts, "petstore"),
	}),
	define("switchboard.editConnection", "Edit Connection...", {
		icon: "edit",
		menus: [
			inChat("1_connections@2"),
			onConnections("=~ /^connection\\.\\w+\\b.*\\bstored\\b/", "3_change@1"),
			onErrors("== error.connection", "1_retry@3"),
		],
		input: {
			...CONNECTION,
			...unchecked("label", "baseUrl", "profile", "format", "model", "installationId"),
			...SECRETS,
		},
		gives: ["{id}"],
		async run(call, parts) {
			if (call.argument !== undefined) return editFromArgument(call.argument, parts.registry);
			const connection = await chosen(call, parts, "Edit Connection");
			return connection && editByPrompts(connection, parts.registry, parts);
		},
	}),
	define("switchboard.removeConnection", "Remove Connection...", {
		icon: "trash",
		menus: [inChat("1_connections@5"), onConnections("=~ /^connection\\./", "4_end@2")],
		input: CONNECTION,
		gives: ["{removed}"],
		async run(call, parts) {
			const { registry } = parts;
			const connection = call.argument ? undefined : await chosen(call, parts, "Remove Connection");
			const id = call.argument?.connection ?? connection?.id;
			if (id === undefined) return undefined;
			if (connection === undefined) await registry.remove(id);
			else if (!(await removeByPrompt(connection, registry))) return undefined;
			return { removed: id };
		},
	}),
	define("switchboard.replaceKey", "Replace Key or Token...", {
		icon: "key",
		menus: [
			inChat("1_connections@3"),
			onConnections("=~ /^connection\\.\\w+\\b.*\\bstored$/", "3_change@2"),
			onErrors("== error.credential", "1_retry@3"),
		],
		input: { ...CONNECTION, ...SECRETS },
		takes: SECRET_FORMS,
		gives: ["{id}"],
		async run(call, parts) {
			const { registry } = parts;
			if (call.argument !== undefined) return replaceFromArgument(call.argument, registry);
			const connection = await chosen(call, parts, "Replace Key or Token");
			if (connection === undefined || !(await replaceSecretByPrompt(connection, registry))) return undefined;
			return { id: connection.id };
		},
	}),
	define("switchboard.signIn", "Sign In...", {
		icon: "sign-in",
		palette: CAN_SIGN_IN,
		menus: [onConnections("=~ /^connection\\..*\\bstored\\.out$/", "3_change@4")],
		input: { ...CONNECTION, ...SECRETS },
		takes: SECRET_FORMS,
		gives: ["{id}"],
		async run(call, parts) {
			const { registry } = parts;
			if (call.argument !== undefined) return replaceFromArgument(call.argument, registry);
			const all = registry.stored().filter(({ service }) => service !== "messages");
			const areOut = await Promise.all(all.map((each) => registry.isSignedOut(each)));
			const out = all.filter((_, at) => areOut[at]);
			const connection = await chosen(call, parts, "Sign In", out.length === 0 ? all : out);
			if (connection === undefined) return undefined;
			const { id, label, service } = connection;
			const frame = { title: `Sign In to ${label}`, placeholder: "How?" };
			const way = service === "petstore" ? await askChoice(frame, WAYS_IN) : "typed";
			const isIn =
				way === "browser"
					? (await vscode.commands.executeCommand("switchboard.petstore.signIn", asked({ connection: id }))) !==
						undefined
					: way === "typed" && (await replaceSecretByPrompt(connection, registry));
			return isIn ? { id } : undefined;
		},
	}),
	define("switchboard.signOut", "Sign Out...", {
		icon: "sign-out",
		palette: CAN_SIGN_IN,
		menus: [onConnections("=~ /^connection\\.(codehost|petstore)\\b.*\\bstored$/", "4_end@1")],
		input: CONNECTION,
		gives: ["{signedOut}"],
		async run(call, parts) {
			const { registry } = parts;
			const connection = call.argument ? undefined : await chosen(call, parts, "Sign Out");
			const id = call.argument?.connection ?? connection?.id;
			if (id === undefined) return undefined;
			if (connection === undefined) await registry.signOut(id);
			else if (!(await signOutByPrompt(connection, registry))) return undefined;
			return { signedOut: id };
		},
	}),
	define("switchboard.testConnection", "Test Connection", {
		icon: "pulse",
		menus: [inChat("1_connections@4"), onConnections("=~ /^connection\\./", "inline@1", "2_test@1")],
		input: CONNECTION,
		gives: ["{ok, ms, status?, error?, steps?}"],
		async run(call, parts) {
			const { registry, tests } = parts;
			if (call.argument !== undefined) return (await tests.run(registry.require(call.argument.connection))).result;
			const connection = await chosen(call, parts, "Test Connection", registry.list());
			return connection && showTest(connection, tests);
		},
	}),
	define("switchboard.testAllConnections", "Test All Connections", {
		icon: "run-all",
		palette: CONTEXT.hasConnections,
		menus: [inTitle(VIEWS.connections, "navigation@2", CONTEXT.hasConnections)],
		gives: ["{results}"],
		async run({ argument }, { registry, tests }) {
			const results = await vscode.window.withProgress({ location: { viewId: VIEWS.connections } }, () =>
				Promise.all(registry.list().map(async (each) => ({ connection: each.id, ...(await tests.run(each)).result }))),
			);
			if (argument === undefined) {
				const isLimited = ({ error }: TestResult) => error?.code === "rate-limited";
				const labelsOf = (isWanted: (result: TestResult) => boolean) =>
					results
						.filter((each) => !each.ok && isWanted(each))
						.map(({ connection: id }) => registry.get(id)?.label ?? id);
				const words = { failed: labelsOf((each) => !isLimited(each)), limited: labelsOf(isLimited) };
				vscode.window.setStatusBarMessage(testedWords(words, results.length), 5_000);
			}
			return { results };
		},
	}),
	define("switchboard.showConnection", "Show Connection", {
		icon: "eye",
		palette: CONTEXT.hasConnections,
		input: CONNECTION,
		gives: ["{connection}"],
		async run(call, { registry, tree }) {
			const given = givenIn(call);
			const connection =
				given === undefined
					? await pickConnection(registry.list(), { registry, title: "Show Connection", call })
					: registry.require(String(given.connection));
			if (connection === undefined) return undefined;
			await vscode.commands.executeCommand(`${VIEWS.connections}.focus`);
			await tree.revealAt(connection.id);
			return { connection: connection.id };
		},
	}),
	define("switchboard.trySandbox", "Try the Built-in Sandbox", {
		icon: "beaker",
		menus: [inTitle(VIEWS.connections, "1_sandbox@1")],
		gives: ["{connections: {messages, codehost, codehostApp, petstore}}"],
		async run({ argument }, parts) {
			const options = { location: { viewId: VIEWS.repositories } };
			const connections = await vscode.window.withProgress(options, parts.trySandbox);
			if (argument === undefined) await parts.showSandbox();
			return { connections };
		},
	}),
	define("switchboard.getStarted", "Get Started", {
		gives: ["{}"],
		async run() {
			await vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false);
			return {};
		},
	}),
];

async function addConnection(
	argument: Fields | undefined,
	parts: ConnectionParts,
	service?: ConnectionService,
): Promise<Added | undefined> {
	if (argument !== undefined) {
		const of = service ?? parse(oneOf("messages", "codehost", "petstore"), argument["service"], "messages", "service");
		parse(object({ ...unchecked("service"), ...FIELDS[of] }, { strict: true }), argument, of);
		return addFromArgument(of, argument, parts);
	}
	const added = await addByPrompts(parts, { service });
	if (added === undefined) return undefined;
	await parts.added(added);
	const { id } = added;
	const connection = parts.registry.get(id);
	if (connection !== undefined) leadTo(withoutLinks(`Added ${connection.label}.`), NEXT[connection.service]);
	return { id };
}

/** The connection of a row, or one that the person chooses among these. */
async function chosen(
	call: Call<{ readonly connection: string }>,
	{ registry }: ConnectionParts,
	title: string,
	connections: readonly Connection[] = registry.stored(),
): Promise<Connection | undefined> {
	if (call.row === undefined) return pickConnection(connections, { registry, title, call });
	const connection = registry.get(String(call.row.fields["connection"]));
	if (connection === undefined) throw new ClientError("codehost", "invalid", "The connection is gone");
	return connection;
}
