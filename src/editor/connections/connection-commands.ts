import * as vscode from "vscode";
import type { ConnectionTests } from "#app/checks/connection-tests.ts";
import type { ConnectionService } from "#app/connections/connection.ts";
import { SERVICE_IDS } from "#app/connections/services.ts";
import type { Held } from "#app/connections/vault.ts";
import { CONTEXT, type CommandId, HAS, VIEWS, WALKTHROUGH } from "#app/contributions.ts";
import { oneOf, text, trimmed } from "#base/schema.ts";
import { type Call, commandsOf, givenIn, inTitle, type MenuEntry, onRows, runOn } from "../kit/command.ts";
import { askChoice, confirmed, leadTo, notify, sayQuietly } from "../kit/prompts.ts";
import type { Fields } from "../kit/rows.ts";
import { syntheticRow, type Tree } from "../kit/tree.ts";
import type { EditorLog } from "../log.ts";
import { type Added, type AddTools, addByPrompts, editByPrompts, replaceSecretByPrompt } from "./ask-connection.ts";
import { addFromArgument, argumentFor, editFromArgument } from "./connection-arguments.ts";
import { testedWords } from "./connection-facts.ts";
import { importConnections } from "./import-connections.ts";
import { connectionOf } from "./manage-connections.ts";
import { CONNECTED_SERVICES } from "./services.ts";

/** Dependencies of the commands about connections. */
export interface ConnectionParts extends AddTools {
	readonly tests: ConnectionTests;
	readonly log: EditorLog;
	readonly tree: Tree;
	readonly extensionId: string;
	/** Uses a connection that a person added. Resolves to a sentence about it, empty for none. */
	readonly added: (added: Added) => Promise<string>;
	/** Folder of the user's settings on the machine of the extension host. */
	readonly userFolder: string;
	/** Reveals the views with the data of the sandbox. */
	readonly showSandbox: () => Promise<void>;
}

const SECRET_GONE = "Its key or token is deleted from the editor's secret storage.";

const CONNECTION = { connection: trimmed() };
const anyOf = (call: Call, { registry }: ConnectionParts, title: string) => connectionOf(call, registry, { title });
const storedOf = (call: Call, { registry }: ConnectionParts, title: string) =>
	connectionOf(call, registry, { title, among: registry.stored() });
const onConnections = (condition: string, ...groups: readonly string[]) =>
	onRows(VIEWS.connections, condition, ...groups);
const onErrors = (condition: string, group: string) =>
	[VIEWS.issues, VIEWS.pets, VIEWS.store].flatMap((view) => onRows(view, condition, group));

const define = commandsOf<ConnectionParts>();

const ADDING = argumentFor("add", { service: oneOf(...SERVICE_IDS) }, SERVICE_IDS);
const EDITING = argumentFor("edit", CONNECTION, SERVICE_IDS);
const REPLACING = argumentFor("replace", CONNECTION, SERVICE_IDS);

const ADDING_IN_CHAT = inTitle(VIEWS.chat, "1_connections@1", `!${CONTEXT.hasMessages}`);
const ADDING_IN_STORES = [inTitle(VIEWS.pets, "2_add@1"), inTitle(VIEWS.store, "3_add@1")];

const defineAdding = (service: ConnectionService, id: CommandId, title: string, ...menus: readonly MenuEntry[]) =>
	define(id, title, {
		service,
		palette: false,
		menus,
		...argumentFor("add", {}, [service]),
		gives: ["{id, login?}"],
		run: ({ argument }, parts) => addConnection(argument, parts, service),
	});

/** Commands about connections of any service. */
export const CONNECTION_COMMANDS = [
	define("switchboard.addConnection", "Add Connection...", {
		icon: "add",
		menus: [inTitle(VIEWS.connections, "navigation@1")],
		...ADDING,
		gives: ["{id, login?}"],
		run: ({ argument }, parts) => addConnection(argument, parts),
	}),
	defineAdding("messages", "switchboard.chat.addConnection", "Add Messages Service...", ADDING_IN_CHAT),
	defineAdding("codehost", "switchboard.codehost.addConnection", "Add Code Host..."),
	defineAdding("petstore", "switchboard.petstore.addConnection", "Add Pet Store...", ...ADDING_IN_STORES),
	define("switchboard.importConnections", "Import Connections...", {
		menus: [inTitle(VIEWS.connections, "1_sandbox@2")],
		input: { text: text({ min: 1 }) },
		gives: ["{ids, needKey, notMessages, unreached, skipped}"],
		run: ({ argument }, { registry, userFolder }) => importConnections(argument?.text, registry, userFolder),
	}),
	define("switchboard.editConnection", "Edit Connection...", {
		palette: HAS.stored,
		menus: [
			onConnections("=~ /^connection\\.\\w+\\b.*\\bstored\\b/", "3_change@1"),
			onErrors("== error.connection", "1_retry@3"),
		],
		...EDITING,
		gives: ["{id}"],
		run: runOn(storedOf, async (connection, { argument, row }, parts) => {
			if (argument !== undefined) return editFromArgument(connection, argument, parts.registry);
			return editByPrompts(connection, parts.registry, parts, row?.fields["field"]);
		}),
	}),
	define("switchboard.removeConnection", "Remove Connection...", {
		palette: HAS.stored,
		menus: [onConnections("=~ /^connection\\./", "4_end@2")],
		input: CONNECTION,
		gives: ["{removed}"],
		run: runOn(storedOf, async (connection, { argument }, { registry }) => {
			const { id, label, service } = connection;
			const held = await registry.secret(connection).catch(() => undefined);
			const gone = held?.secret !== undefined ? `${SECRET_GONE} ` : "";
			const stays = `${gone}${CONNECTED_SERVICES[service].stays}`;
			const detail = registry.isEphemeral(id) ? "Try the Built-in Sandbox adds it again." : stays;
			const question = `Remove the connection ${label}?`;
			if (argument === undefined && !(await confirmed(question, "Remove", detail))) return undefined;
			await registry.remove(id);
			return { removed: id };
		}),
	}),
	define("switchboard.replaceKey", "Replace Key or Token...", {
		palette: HAS.stored,
		menus: [
			onConnections("=~ /^connection\\.\\w+\\b.*\\bstored(\\.bare)?$/", "3_change@2"),
			onErrors("== error.credential", "1_retry@3"),
		],
		...REPLACING,
		gives: ["{id}"],
		run: runOn(storedOf, async (connection, { argument }, { registry }) => {
			if (argument !== undefined) return editFromArgument(connection, argument, registry, { replaces: true });
			return (await replaceSecretByPrompt(connection, registry)) ? { id: connection.id } : undefined;
		}),
	}),
	define("switchboard.signIn", "Sign In...", {
		palette: HAS.stored,
		menus: [
			onConnections("=~ /^connection\\.(petstore\\.stored(\\.bare)?|.*\\bstored\\.out)$/", "3_change@4"),
			onRows(VIEWS.pets, "== error.credential", "1_retry@4"),
		],
		...REPLACING,
		gives: ["{id}"],
		run: runOn(storedOf, async (connection, { argument }, { registry }) => {
			if (argument !== undefined) return editFromArgument(connection, argument, registry, { replaces: true });
			const { id, label, service } = connection;
			const frame = { title: `Sign In to ${label}`, placeholder: "How do you want to sign in?" };
			const { waysIn } = CONNECTED_SERVICES[service];
			const way = waysIn === undefined ? "switchboard.replaceKey" : await askChoice(frame, waysIn);
			if (typeof way !== "string") return undefined;
			const result = await vscode.commands.executeCommand(way, syntheticRow({ connection: id }));
			return result === undefined ? undefined : { id };
		}),
	}),
	define("switchboard.signOut", "Sign Out...", {
		palette: HAS.stored,
		menus: [onConnections("=~ /^connection\\.\\w+\\b.*\\bstored$/", "4_end@1")],
		input: CONNECTION,
		gives: ["{signedOut}"],
		run: runOn(signedInOf, async ({ id, label }, { argument }, { registry }) => {
			const detail = `${SECRET_GONE} The connection and what belongs to it stay.`;
			const question = `Sign out of ${label}?`;
			if (argument === undefined && !(await confirmed(question, "Sign Out", detail))) return undefined;
			await registry.signOut(id);
			return { signedOut: id };
		}),
	}),
	define("switchboard.testConnection", "Test Connection", {
		icon: "pulse",
		palette: HAS.any,
		menus: [onConnections("=~ /^connection\\./", "inline@1", "2_test@1")],
		input: CONNECTION,
		gives: ["{ok, ms, status?, error?, steps?}"],
		run: runOn(anyOf, async (connection, { argument }, { tests }) =>
			argument === undefined
				? CONNECTED_SERVICES[connection.service].test(connection, tests)
				: (await tests.run(connection)).result,
		),
	}),
	define("switchboard.testAllConnections", "Test All Connections", {
		icon: "run-all",
		palette: HAS.any,
		menus: [inTitle(VIEWS.connections, "navigation@2", CONTEXT.hasConnections)],
		gives: ["{results}"],
		async run({ argument }, { registry, tests }) {
			const tested = await vscode.window.withProgress({ location: { viewId: VIEWS.connections } }, () =>
				Promise.all(registry.list().map(async (each) => ({ ...each, result: (await tests.run(each)).result }))),
			);
			if (argument === undefined) sayQuietly(testedWords(tested));
			return { results: tested.map(({ id, result }) => ({ connection: id, ...result })) };
		},
	}),
	define("switchboard.showConnection", "Show Connection", {
		palette: HAS.any,
		menus: [inTitle(VIEWS.chat, "1_connections@1", CONTEXT.hasMessages)],
		input: CONNECTION,
		gives: ["{connection}"],
		run: runOn(anyOf, async ({ id }, _, { tree }) => {
			await vscode.commands.executeCommand(`${VIEWS.connections}.focus`);
			await tree.revealAt(id);
			return { connection: id };
		}),
	}),
	define("switchboard.trySandbox", "Try the Built-in Sandbox", {
		menus: [inTitle(VIEWS.connections, "1_sandbox@1")],
		gives: ["{connections: {messages, codehost, codehostApp, petstore}}"],
		async run({ argument }, parts) {
			const options = { location: { viewId: VIEWS.repositories } };
			const connections = await vscode.window.withProgress(options, parts.trySandbox);
			if (argument === undefined) {
				await parts.added({ id: connections.messages });
				await parts.showSandbox();
			}
			return { connections };
		},
	}),
	define("switchboard.getStarted", "Get Started", {
		gives: ["{}"],
		async run(_call, parts) {
			const walkthrough = `${parts.extensionId}#${WALKTHROUGH}`;
			await vscode.commands.executeCommand("workbench.action.openWalkthrough", walkthrough, false);
			return {};
		},
	}),
	define("switchboard.showLog", "Show Log", {
		menus: [
			[VIEWS.connections, VIEWS.requests, VIEWS.chat].map((view) => inTitle(view, "2_log@1")),
			onErrors("=~ /^error/", "1_retry@2"),
		],
		gives: ["{}"],
		run(_, { log }) {
			log.show();
			return {};
		},
	}),
];

/** The connection to sign out of: one whose secret is stored. One that cannot be read is left alone. */
async function signedInOf(call: Call, { registry }: ConnectionParts, title: string) {
	const all = registry.stored();
	const isHeld = ({ secret }: Held) => secret !== undefined;
	const areHeld = await Promise.all(all.map((each) => registry.secret(each).then(isHeld, () => false)));
	const among = all.filter((_, at) => areHeld[at]);
	if (among.length > 0 || givenIn(call) !== undefined) return connectionOf(call, registry, { title, among });
	void notify("Information", "No connection has a stored key or token.");
	return undefined;
}

async function addConnection(argument: Fields | undefined, parts: ConnectionParts, only?: ConnectionService) {
	const service = only ?? SERVICE_IDS.find((each) => each === argument?.["service"]);
	if (argument !== undefined && service !== undefined) return addFromArgument(service, argument, parts);
	const added = await addByPerson(parts, service);
	return added && { id: added.id };
}

/** Adds a connection by asking for it, uses it, and says what it lacks or leads on. */
export async function addByPerson(parts: AddTools & Pick<ConnectionParts, "added">, only?: ConnectionService) {
	const added = await addByPrompts(parts, only);
	if (added === undefined) return undefined;
	const said = await parts.added(added);
	const { id, lacks = [] } = added;
	const connection = parts.registry.get(id);
	if (connection === undefined) return added;
	const { next, lacking = {} } = CONNECTED_SERVICES[connection.service];
	const left = lacks.map((name) => lacking[name]);
	const argument = syntheticRow({ connection: id, field: "label" });
	const signIn = { label: "Sign In", command: "switchboard.signIn", argument };
	const rename = { label: "Rename", command: "switchboard.editConnection", argument };
	const steps = [left.length === 0 ? next : signIn, ...(parts.registry.isEphemeral(id) ? [] : [rename])];
	leadTo([`Added ${connection.label}.`, ...left, said].join(" ").trim(), ...steps);
	return added;
}
