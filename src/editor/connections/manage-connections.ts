import type { Connection } from "#app/connections/connection.ts";
import { holderOf } from "#app/connections/credential-identity.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { Call } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoice, BACK, type Choice, leadTo } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import { SIGNED_OUT } from "./connection-facts.ts";

/**
 * Lets the person choose among connections, for a call that is about that one from then on; with only one there is
 * nothing to choose, with none nothing to do.
 */
export async function pickConnection(
	connections: readonly Connection[],
	{ registry, title, call }: { registry: ConnectionRegistry; title: string; call: Pick<Call, "connection"> },
): Promise<Connection | undefined> {
	if (connections.length === 0) {
		const step = { label: "Add Connection...", command: "switchboard.addConnection" };
		leadTo("There is no connection of your own yet.", step);
		return undefined;
	}
	const choices = await connectionChoices(connections, registry);
	const frame = { title, placeholder: "Which connection?" };
	const picked = connections.length === 1 ? connections[0] : await askChoice(frame, choices);
	if (picked === undefined || picked === BACK) return undefined;
	call.connection = picked.id;
	return picked;
}

/**
 * Connections to choose from, each with its kind of credential and the owner, by which two to one address differ, and
 * whether it is signed out.
 */
export async function connectionChoices(
	connections: readonly Connection[],
	registry: ConnectionRegistry,
): Promise<readonly Choice<Connection>[]> {
	const areOut = await Promise.all(connections.map((each) => registry.isSignedOut(each)));
	return connections.map((connection, at) => {
		const { label, baseUrl } = connection;
		const holder = plainLine(holderOf(connection) ?? null);
		const isApp = connection.service === "codehost" && connection.credential.kind === "app";
		const whose = isApp ? `app on ${holder}` : holder;
		const parts = [areOut[at] ? SIGNED_OUT : "", holder === "" ? "" : whose, baseUrl];
		const description = withoutIcons(parts.filter((part) => part !== "").join(" · "));
		return { label: withoutIcons(label), description, value: connection };
	});
}
