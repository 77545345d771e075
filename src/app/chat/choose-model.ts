import type { Ability } from "../connections/model-capabilities.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { ModelLists } from "./model-lists.ts";
import type { Target } from "./request-target.ts";
import type { ChatSession } from "./session.ts";

/** Sets the model of a conversation; in an empty one also the default of its connection, for other empty ones. */
export async function chooseModel(
	model: string,
	session: ChatSession,
	registry: Pick<ConnectionRegistry, "setModel">,
): Promise<void> {
	const { facts, target, entries } = session;
	const { connection } = target;
	// The connection is set too, since no other one has this model.
	session.setFacts({ connection: connection?.id, parameters: { ...facts.parameters, model } });
	if (entries.length === 0 && connection !== undefined) await registry.setModel(connection.id, model);
}

/** Moves a conversation to a connection, unless it is empty and follows the one chosen in the window. */
export function chooseConnection(id: string, session: ChatSession): void {
	if (session.entries.length === 0 && session.facts.connection === undefined) return;
	moveTo(id, session);
}

/** Sets the connection of a conversation, and drops the model of another connection. */
export function moveTo(id: string, session: ChatSession): void {
	const { model, ...parameters } = session.facts.parameters ?? {};
	const isOther = session.target.connection?.id !== id;
	session.setFacts({ connection: id, ...(isOther && model !== undefined ? { parameters } : {}) });
}

/** Turns an ability of a model on or off for all conversations; undefined leaves it to the service. Forgets its refusal. */
export async function setAbility(
	name: Ability,
	value: boolean | undefined,
	{ connection, model }: Target,
	{ registry, models }: { readonly registry: ConnectionRegistry; readonly models: Pick<ModelLists, "refused"> },
): Promise<void> {
	if (connection === undefined || model === "") return;
	await models.refused.remove(connection.id, model, name === "thinking" ? "effort" : name);
	await registry.setAbilities(connection.id, model, { [name]: name === "thinking" && value ? "enabled" : value });
}
