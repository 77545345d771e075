import type { ConnectionRegistry } from "../connections/registry.ts";
import type { ChatSession } from "./session.ts";

/**
 * Sets the model that a conversation asks for from now on, and no other one; while nothing was said in it, the model of
 * the connection that it begins with.
 */
export async function chooseModel(
	model: string,
	session: ChatSession,
	registry: Pick<ConnectionRegistry, "setModel">,
): Promise<void> {
	const { facts, target, entries } = session;
	if (entries.length > 0) {
		session.setFacts({ parameters: { ...facts.parameters, model } });
		return;
	}
	if (target.connection !== undefined) await registry.setModel(target.connection.id, model);
	// A model of the conversation's own would stand before the one just chosen.
	leaveModel(session);
}

/**
 * Has a conversation go on with a connection, unless it is one that begins where the window says: nothing was said in it,
 * and it was given none of its own. Another connection hardly has the model that was asked for.
 */
export function chooseConnection(id: string, session: ChatSession): void {
	if (session.entries.length === 0 && session.facts.connection === undefined) return;
	if (session.target.connection?.id !== id) leaveModel(session);
	session.setFacts({ connection: id });
}

function leaveModel(session: ChatSession): void {
	const { model, ...parameters } = session.facts.parameters ?? {};
	if (model !== undefined) session.setFacts({ parameters });
}
