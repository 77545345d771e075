import * as vscode from "vscode";
import type { Connection, ConnectionService } from "#app/connections/connection.ts";
import type { ConnectionTests, TestResult } from "#app/connections/connection-tests.ts";
import { COMMANDS, VIEWS, WALKTHROUGH } from "#app/contributions.ts";
import { ClientError } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { leadTo, type NextStep } from "../next-step.ts";
import { withoutLinks } from "../plain.ts";
import { askChoice, type Choice } from "../prompts.ts";
import { asked } from "../tree.ts";
import { type Added, type AddParts, addByPrompts, addFromArgument } from "./add-connection.ts";
import { testedWords } from "./connection-facts.ts";
import type { ConnectionsTree } from "./connections-tree.ts";
import { editByPrompts, editFromArgument, replaceFromArgument, replaceSecretByPrompt } from "./edit-connection.ts";
import { type PickAsking, pickConnection, removeByPrompt, signOutByPrompt } from "./manage-connections.ts";
import type { SandboxIds } from "./sandbox-connection.ts";
import { showTest } from "./test-connections.ts";

/** Rooms that the commands about connections work with. */
export interface ConnectionParts extends AddParts {
	readonly tests: ConnectionTests;
	readonly tree: ConnectionsTree;
	/** Starts the built-in sandbox if it is not running. */
	readonly trySandbox: () => Promise<SandboxIds>;
	/** A connection was added by a person: what they want next is to use it. */
	readonly added: (added: Added) => Promise<void>;
	/** Brings what the sandbox has to show into sight. */
	readonly showSandbox: () => Promise<void>;
	/** The service to be added, where there is nothing to choose. */
	readonly service?: ConnectionService;
}

/** Adds a connection. */
export async function addConnection(argument: unknown, parts: ConnectionParts): Promise<Added | undefined> {
	const fields = fieldsOf(argument);
	const { service } = parts;
	if (fields !== undefined) return addFromArgument(service === undefined ? fields : { service, ...fields }, parts);
	const added = await addByPrompts(parts, { service });
	if (added === undefined) return undefined;
	await parts.added(added);
	const { id } = added;
	const connection = parts.registry.get(id);
	if (connection !== undefined) leadTo(withoutLinks(`Added ${connection.label}.`), NEXT[connection.service]);
	return { id };
}

/** Buttons that lead on from an added connection. */
const NEXT: Readonly<Record<ConnectionService, NextStep>> = {
	messages: { label: "Open Chat", command: COMMANDS.chatNew },
	codehost: { label: "Add a Repository", command: COMMANDS.codehostAddRepository },
	petstore: { label: "Show Pets", command: `${VIEWS.pets}.focus` },
};

/** Opens the walkthrough. */
export async function getStarted(): Promise<object> {
	await vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false);
	return {};
}

/** Changes a connection. */
export async function editConnection(
	{ argument, row }: Call,
	parts: ConnectionParts,
): Promise<{ id: string } | undefined> {
	const { registry } = parts;
	const fields = fieldsOf(argument);
	if (fields !== undefined) return editFromArgument(fields, registry);
	const connection = await chosen(row, registry.stored(), { registry, title: "Edit Connection" });
	return connection === undefined ? undefined : editByPrompts(connection, registry, parts);
}

/** Removes a connection and its secret. */
export async function removeConnection(
	{ argument, row }: Call,
	{ registry }: ConnectionParts,
): Promise<{ removed: string } | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined) {
		const id = requiredText(fields, "connection");
		await registry.remove(id);
		return { removed: id };
	}
	const connection = await chosen(row, registry.stored(), { registry, title: "Remove Connection" });
	if (connection === undefined || !(await removeByPrompt(connection, registry))) return undefined;
	return { removed: connection.id };
}

/** Replaces the secret of a connection; signs in again where there was none. */
export async function replaceKey(
	{ argument, row }: Call,
	{ registry }: ConnectionParts,
): Promise<{ id: string } | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined) return replaceFromArgument(fields, registry);
	const connection = await chosen(row, registry.stored(), { registry, title: "Replace Key or Token" });
	if (connection === undefined || !(await replaceSecretByPrompt(connection, registry))) return undefined;
	return { id: connection.id };
}

/** Signs in where a person has signed out: with another secret, or in the browser where a pet store is asked for. */
export async function signIn(call: Call, parts: ConnectionParts): Promise<{ id: string } | undefined> {
	const { registry } = parts;
	if (fieldsOf(call.argument) !== undefined) return replaceKey(call, parts);
	const all = registry.stored().filter(({ service }) => service !== "messages");
	const areOut = await Promise.all(all.map((each) => registry.isSignedOut(each)));
	const out = all.filter((_, at) => areOut[at]);
	const connection = await chosen(call.row, out.length === 0 ? all : out, { registry, title: "Sign In" });
	if (connection === undefined) return undefined;
	const { id, label, service } = connection;
	const way =
		service === "petstore" ? await askChoice({ title: `Sign In to ${label}`, placeholder: "How?" }, WAYS_IN) : "typed";
	const isIn =
		way === "browser"
			? (await vscode.commands.executeCommand(COMMANDS.petstoreSignIn, asked({ connection: id }))) !== undefined
			: way === "typed" && (await replaceSecretByPrompt(connection, registry));
	return isIn ? { id } : undefined;
}

const WAYS_IN: readonly Choice<"browser" | "typed">[] = [
	{ label: "Sign In in the Browser", detail: "With OAuth 2.0, to list and change pets", value: "browser" },
	{ label: "Enter a Key or Token", detail: "Those that you have already", value: "typed" },
];

/** Removes the secret of a connection and keeps the connection. */
export async function signOut(
	{ argument, row }: Call,
	{ registry }: ConnectionParts,
): Promise<{ signedOut: string } | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined) {
		const id = requiredText(fields, "connection");
		await registry.signOut(id);
		return { signedOut: id };
	}
	const connection = await chosen(row, registry.stored(), { registry, title: "Sign Out" });
	if (connection === undefined || !(await signOutByPrompt(connection, registry))) return undefined;
	return { signedOut: connection.id };
}

/** Asks a service with what is stored; a code host is looked at step by step. */
export async function testConnection(
	{ argument, row }: Call,
	{ registry, tests }: ConnectionParts,
): Promise<TestResult | undefined> {
	const fields = fieldsOf(argument);
	if (fields !== undefined) return (await tests.run(registry.require(requiredText(fields, "connection")))).result;
	const connection = await chosen(row, registry.list(), { registry, title: "Test Connection" });
	return connection === undefined ? undefined : showTest(connection, tests);
}

/** Tests every connection; what came of it stands in the Connections view. */
export async function testAllConnections(
	argument: unknown,
	{ registry, tests }: ConnectionParts,
): Promise<{ results: readonly ({ connection: string } & TestResult)[] }> {
	fieldsOf(argument);
	const options = { location: { viewId: VIEWS.connections } };
	const results = await vscode.window.withProgress(options, () =>
		Promise.all(
			registry
				.list()
				.map(async (connection) => ({ connection: connection.id, ...(await tests.run(connection)).result })),
		),
	);
	if (argument === undefined) {
		const notWell = results.filter(({ ok }) => !ok);
		const isLimited = ({ error }: TestResult) => error?.code === "rate-limited";
		const labelsOf = (those: typeof results) => those.map(({ connection: id }) => registry.get(id)?.label ?? id);
		const failed = labelsOf(notWell.filter((each) => !isLimited(each)));
		const limited = labelsOf(notWell.filter(isLimited));
		vscode.window.setStatusBarMessage(testedWords({ failed, limited }, results.length), 5_000);
	}
	return { results };
}

/** Brings a connection into sight in the Connections view. */
export async function showConnection(
	{ argument, row }: Call,
	{ registry, tree }: ConnectionParts,
): Promise<{ connection: string } | undefined> {
	const fields = row?.fields ?? fieldsOf(argument);
	const connection =
		fields === undefined
			? await pickConnection(registry.list(), { registry, title: "Show Connection" })
			: registry.require(requiredText(fields, "connection"));
	if (connection === undefined) return undefined;
	await vscode.commands.executeCommand(`${VIEWS.connections}.focus`);
	await tree.reveal(connection.id);
	return { connection: connection.id };
}

/** Starts the built-in sandbox and connects everything it has. */
export async function trySandbox(argument: unknown, parts: ConnectionParts): Promise<{ connections: SandboxIds }> {
	const fields = fieldsOf(argument);
	const connections = await vscode.window.withProgress({ location: { viewId: VIEWS.repositories } }, parts.trySandbox);
	if (fields === undefined) await parts.showSandbox();
	return { connections };
}

/** The connection of a row, or one that the person chooses among these. */
async function chosen(
	row: Call["row"],
	connections: readonly Connection[],
	asking: PickAsking,
): Promise<Connection | undefined> {
	if (row === undefined) return pickConnection(connections, asking);
	const connection = asking.registry.get(String(row.fields["connection"]));
	if (connection === undefined) throw new ClientError("codehost", "invalid", "The connection is gone");
	return connection;
}
