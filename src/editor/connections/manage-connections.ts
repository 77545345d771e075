import * as vscode from "vscode";
import type { Connection } from "#app/connections/connection.ts";
import { holderOf } from "#app/connections/credential-identity.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { Call } from "../kit/call.ts";
import { leadTo } from "../kit/next-step.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, BACK, type Choice } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import { SIGNED_OUT } from "./connection-facts.ts";

/** Options of the question for a connection. */
export interface PickAsking {
	readonly registry: ConnectionRegistry;
	readonly title: string;
	/** Call that is about the connection from then on. */
	readonly call?: Pick<Call, "connection"> | undefined;
}

/** Lets the person choose among connections; with only one there is nothing to choose, with none nothing to do. */
export async function pickConnection(
	connections: readonly Connection[],
	asking: PickAsking,
): Promise<Connection | undefined> {
	if (connections.length === 0) {
		const step = { label: "Add Connection...", command: "switchboard.addConnection" };
		leadTo("There is no connection of your own yet.", step);
		return undefined;
	}
	const picked = await pickAmong(connections, asking);
	if (picked !== undefined && asking.call !== undefined) asking.call.connection = picked.id;
	return picked;
}

async function pickAmong(
	connections: readonly Connection[],
	{ registry, title }: PickAsking,
): Promise<Connection | undefined> {
	if (connections.length === 1) return connections[0];
	const choices = await connectionChoices(connections, registry);
	const answer = await askChoice({ title, placeholder: "Which connection?" }, choices);
	return answer === BACK ? undefined : answer;
}

/**
 * Connections to choose from, each with what credential of whom it has, which tells two to one address apart, and whether
 * it is signed out.
 */
export async function connectionChoices(
	connections: readonly Connection[],
	registry: ConnectionRegistry,
): Promise<readonly Choice<Connection>[]> {
	const areOut = await Promise.all(connections.map((each) => registry.isSignedOut(each)));
	return connections.map((each, at) => connectionChoice(each, areOut[at] === true));
}

function connectionChoice(connection: Connection, isSignedOut: boolean): Choice<Connection> {
	const { label, baseUrl } = connection;
	const holder = plainLine(holderOf(connection) ?? null);
	const isApp = connection.service === "codehost" && connection.credential.kind === "app";
	const whose = isApp ? `app on ${holder}` : holder;
	const parts = [isSignedOut ? SIGNED_OUT : "", holder === "" ? "" : whose, baseUrl];
	const description = withoutIcons(parts.filter((part) => part !== "").join(" · "));
	return { label: withoutIcons(label), description, value: connection };
}

/** Signs out once the person has confirmed it. */
export async function signOutByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	const signOut = "Sign Out";
	const choice = await vscode.window.showWarningMessage(
		`Sign out of ${connection.label}?`,
		{
			modal: true,
			detail: "Its secret is deleted from the editor's secret storage. The connection and what belongs to it stay.",
		},
		signOut,
	);
	if (choice !== signOut) return false;
	await registry.signOut(connection.id);
	return true;
}

/** Words for what stays when a connection is removed. */
const STAYS = {
	messages: "Conversations stay.",
	codehost: "Its repositories stay in the list, until you choose another connection for them or remove them.",
	petstore: "What is in the store stays there.",
} as const;

/** Removes a connection once the person has confirmed it. */
export async function removeByPrompt(connection: Connection, registry: ConnectionRegistry): Promise<boolean> {
	const remove = "Remove";
	const choice = await vscode.window.showWarningMessage(
		`Remove the connection ${connection.label}?`,
		{ modal: true, detail: `Its secret is deleted from the editor's secret storage. ${STAYS[connection.service]}` },
		remove,
	);
	if (choice !== remove) return false;
	await registry.remove(connection.id);
	return true;
}
