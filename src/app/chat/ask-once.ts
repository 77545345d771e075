import { closeReply, emptyReply } from "#api/messages/accumulator.ts";
import type { MessagesClient } from "#api/messages/client.ts";
import type { BlockDelta, EndedReply, InputMessage } from "#api/messages/model.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { MessagesConnection } from "../connections/connection.ts";
import { needsKey } from "../connections/messages-profiles.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { joinTurns } from "./conversation.ts";
import type { ChatParameters } from "./parameters.ts";
import { RedactedReply, type SecretFilter } from "./redacted-reply.ts";
import type { RefusedParameters } from "./refused-parameters.ts";

/** Makes the client of a connection. */
export type OpenClient = (
	connection: MessagesConnection,
	key: string | undefined,
) => Promise<Pick<MessagesClient, "send" | "listModels">>;

/** Collaborators of a question to the service of a connection. */
export interface ClientParts {
	readonly registry: ConnectionRegistry;
	readonly open: OpenClient;
	/** The parameters of the settings, read at each question. */
	readonly defaults: () => ChatParameters;
	readonly refused: RefusedParameters;
}

/** Collaborators of {@link askOnce}. */
export interface AnswerParts extends ClientParts {
	/** Keeps secrets from the service and from the caller: a service may repeat the key it was sent. */
	readonly secretFilter: SecretFilter;
}

/** Question of a caller that keeps the conversation itself. */
export interface Question {
	/** The id of a connection; undefined where there is none yet. */
	readonly connection: string | undefined;
	readonly messages: readonly InputMessage[];
	/** Parameters that differ from the settings. */
	readonly parameters?: ChatParameters;
	/** Instructions that follow those of the settings. */
	readonly system?: readonly string[];
}

/** Options of a question. */
export interface AskOptions {
	readonly signal: AbortSignal;
	/** Hears the text of the reply without secrets, piece by piece as it arrives. */
	readonly onText: (text: string) => void;
}

/** A reply that has ended, and the model that was asked for. */
export type Answer = EndedReply & { readonly model: string };

/** Asks once, outside of the conversations of the panel. Never rejects: what stands in the way is a `failed` reply. */
export async function askOnce(question: Question, parts: AnswerParts, { signal, onText }: AskOptions): Promise<Answer> {
	const { registry, open, defaults, refused, secretFilter } = parts;
	const { connection: id, parameters = {}, system = [] } = question;
	const connection = id === undefined ? undefined : registry.get(id, "messages");
	const asked = { ...defaults(), ...parameters };
	const model = parameters.model ?? connection?.model ?? asked.model ?? "";
	try {
		if (id === undefined) throw invalid("messages", "connection", "is missing: there is no connection yet");
		if (connection === undefined) throw invalid("messages", "connection", `"${id}" is not one of the connections`);
		const client = await open(connection, await keyOf(connection, registry));
		const redacted = new RedactedReply(secretFilter);
		const give = ({ block, appended }: BlockDelta) => {
			if (block.type === "text" && appended) onText(appended);
		};
		const instructions = [asked.system ?? "", ...system].filter((each) => each !== "").join("\n\n");
		await secretFilter.ready();
		const request = secretFilter.redact({
			...asked,
			...refused.of(id, model),
			model,
			messages: joinTurns(question.messages),
			maxTokens: asked.maxTokens ?? Number.NaN,
			system: instructions === "" ? undefined : instructions,
		});
		const ended = await client.send(request, {
			signal,
			observer: {
				onBlock: (change, received) => give(redacted.take(change, received).delta),
			},
		});
		const { reply, deltas } = redacted.end(ended.reply);
		for (const delta of deltas) give(delta);
		return { ...ended, reply, model };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return { reply: closeReply(emptyReply), outcome: "failed", error, requests: 0, model };
	}
}

/** The key of a connection, if it has one. Rejects with ClientError `unauthorized` for one that is needed. */
export async function keyOf(connection: MessagesConnection, registry: ConnectionRegistry): Promise<string | undefined> {
	const held = await registry.secret(connection);
	if (held.state === "present") return held.secret;
	if (held.state === "absent" && !needsKey(connection.profile)) return undefined;
	const sentence = held.state === "absent" ? "There is no key for this connection" : "The stored key cannot be read";
	throw new ClientError("messages", "unauthorized", sentence, { field: "key" });
}
