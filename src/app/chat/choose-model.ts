import type { ConnectionRegistry } from "../connections/registry.ts";
import type { ChatSession } from "./session.ts";

/**
 * Sets the model that a conversation asks its connection for from now on, and no other one that was begun or has a model
 * of its own; while nothing was said in it, that of the connection as well, for those that have nothing yet.
 */
export async function chooseModel(
	model: string,
	session: ChatSession,
	registry: Pick<ConnectionRegistry, "setModel">,
): Promise<void> {
	const { facts, target, entries } = session;
	const { connection } = target;
	// It is a model of that connection: should this one go, another is not asked for it.
	session.setFacts({ connection: connection?.id, parameters: { ...facts.parameters, model } });
	if (entries.length === 0 && connection !== undefined) await registry.setModel(connection.id, model);
}

/**
 * Has a conversation go on with a connection, unless it is one that begins where the window says: nothing was said in it,
 * and it was given none of its own. Another connection hardly has the model that was asked for.
 */
export function chooseConnection(id: string, session: ChatSession): void {
	if (session.entries.length === 0 && session.facts.connection === undefined) return;
	moveTo(id, session);
}

/** Gives a conversation a connection of its own. */
export function moveTo(id: string, session: ChatSession): void {
	const { model, ...parameters } = session.facts.parameters ?? {};
	const isOther = session.target.connection?.id !== id;
	session.setFacts({ connection: id, ...(isOther && model !== undefined ? { parameters } : {}) });
}
