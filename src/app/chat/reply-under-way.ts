import { closeReply, emptyReply } from "#api/messages/accumulator.ts";
import type { MessagesClient } from "#api/messages/client.ts";
import type {
	BlockDelta,
	EndedReply,
	InputMessage,
	MessagesRequest,
	Reply,
	ReplyNotes,
	ReplyObserver,
	ToolResultBlock,
} from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { MessagesConnection } from "../connections/connection.ts";
import { needsKey } from "../connections/messages-profiles.ts";
import type { Capabilities } from "../connections/model-capabilities.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import { asError } from "../kit/resource.ts";
import type { Log } from "../ports.ts";
import type { Budget, BudgetedRequest, MayPass } from "../usage/budget.ts";
import { Continuation, GO_ON } from "./continuation.ts";
import type { EndedReplyEntry, ReplyEntry } from "./conversation.ts";
import { withImages } from "./images.ts";
import type { ChatParameters } from "./parameters.ts";
import { RedactedReply, type SecretFilter } from "./redacted-reply.ts";
import type { RefusedParameters } from "./refused-parameters.ts";
import type { ToolBox } from "./tool-box.ts";

/** Creates the client of a connection, with the timeout of the first byte in ms, for a {@link BudgetedRequest.caller}. */
export type OpenClient = (
	connection: MessagesConnection,
	key: string | undefined,
	firstByteMs?: number,
	caller?: string,
) => Promise<Pick<MessagesClient, "send" | "listModels" | "reread">>;

/** Collaborators of a request for a reply. */
export interface ReplyParts {
	readonly registry: ConnectionRegistry;
	readonly clock: Clock;
	readonly log: Log;
	readonly open: OpenClient;
	readonly secretFilter: SecretFilter;
	/** Called with each sent request and the id of its reply. */
	readonly asked?: (reply: string, asked: AskedWith) => void;
	/** Parameters of the settings, read at each send. */
	readonly defaults: () => ChatParameters;
	readonly refused: RefusedParameters;
	readonly capabilities: (connection: MessagesConnection | undefined, model: string) => Capabilities;
	/** Model of a connection by name, or its default; empty if none is known or its list is not loaded. */
	readonly modelFor: (connection: MessagesConnection | undefined, named?: string) => string;
	/** Called after a reply with its connection and model. */
	readonly replied?: (connection: MessagesConnection) => void;
	/** Loads the list of models of a connection. Rejects with ClientError. */
	readonly loadModels: (connection: MessagesConnection, signal?: AbortSignal) => Promise<void>;
	/** Reads a stored image in base64, by its hash; undefined if it is gone. */
	readonly image?: (hash: string) => Promise<string | undefined>;
	readonly tools?: ToolBox;
	/** Limits on the usage of connections, and its ledger. */
	readonly budget?: Pick<Budget, "book" | "refusalOf">;
	/** Connection chosen in the window. */
	readonly chosen: () => MessagesConnection | undefined;
}

/** Request of a reply. */
export interface AskedWith {
	readonly connection: MessagesConnection;
	readonly request: MessagesRequest;
}

type Asked = Omit<BudgetedRequest, "connection"> & {
	readonly connection: MessagesConnection | undefined;
	readonly signal: AbortSignal;
	/** Asks the person for a request over a limit; absent to refuse it. */
	readonly mayPass?: MayPass | undefined;
};

/** One reply under way: sends the request and updates the entry. */
export class ReplyUnderWay {
	readonly #parts: ReplyParts;
	readonly #report: (entry: ReplyEntry, delta?: BlockDelta) => void;
	/** Progress before each try. */
	readonly #waiting: ReplyEntry["progress"];
	#entry: ReplyEntry;
	#requests = 0;
	/** Takes the usage of the reply once its request was booked. */
	#booked: ((ended: EndedReply) => void) | undefined;
	#continuation: Continuation | undefined;
	readonly #redacted: RedactedReply;

	/** `report` is called on each change of the entry, with the delta if only one block changed. */
	constructor(entry: ReplyEntry, parts: ReplyParts, report: (entry: ReplyEntry, delta?: BlockDelta) => void) {
		this.#entry = entry;
		this.#waiting = entry.progress;
		this.#parts = parts;
		this.#report = report;
		this.#redacted = new RedactedReply(parts.secretFilter);
	}

	/** Sends the request, and resolves with the ended reply, whatever its outcome. */
	async run(asked: Asked): Promise<EndedReplyEntry> {
		const { reply, ...ended } = await this.#answer(asked).catch(
			(error: unknown): EndedReply => ({
				reply: this.#entry.reply ?? closeReply(emptyReply),
				outcome: "failed",
				error: asError(error, "messages"),
				requests: this.#requests,
			}),
		);
		const at = this.#parts.clock.monotonic();
		const last = { ...this.#entry, reply, silentSince: undefined, ended: { ...ended, reply, at } };
		this.#booked?.(last.ended);
		this.#change(last);
		const line = endLine(last);
		if (asked.connection !== undefined) this.#parts.replied?.(asked.connection);
		if (ended.error === undefined) this.#parts.log.info(line);
		else this.#parts.log.error(line);
		return last;
	}

	async #answer({ connection, request: wanted, signal, caller, mayPass }: Asked): Promise<EndedReply> {
		if (signal.aborted) return { reply: closeReply(emptyReply), outcome: "stopped", requests: 0 };
		// Without a model, its list cannot be read, which is the error.
		if (connection !== undefined && wanted.model === "") await this.#parts.loadModels(connection, signal);
		const sender = await this.#senderFor(connection, caller);
		const { secretFilter, budget } = this.#parts;
		await secretFilter.ready();
		const messages = wanted.messages.map((message) => redacted(message, secretFilter));
		const request = { ...secretFilter.redact({ ...wanted, messages: [] }), messages };
		this.#booked = connection && (await budget?.book({ connection, request, caller }, mayPass));
		const send = async (messages: readonly InputMessage[]) => {
			const sent = { ...request, messages };
			if (connection !== undefined) this.#parts.asked?.(this.#entry.id, { connection, request: sent });
			return sender.send(await withImages(sent, this.#parts.image), { signal, observer: this.#observer() });
		};
		const last = request.messages.at(-1);
		if (!this.#entry.continues || last?.role !== "assistant" || typeof last.content !== "string")
			return this.#whole(await send(request.messages));
		const before = request.messages.slice(0, -1);
		const continuation = new Continuation(last.content);
		this.#continuation = continuation;
		const cutOff = { ...last, content: continuation.prefill };
		if (this.#parts.capabilities(connection, this.#entry.model).prefill) {
			const ended = await send([...before, cutOff]);
			// Some services without prefill report an invalid request.
			const refused =
				ended.error?.code === "invalid" && ended.error.status !== undefined && ended.reply.blocks.length === 0;
			if (!refused || signal.aborted) return this.#whole(ended);
		}
		const asked = await send([...before, cutOff, { role: "user", content: GO_ON }]);
		return this.#whole({ ...asked, requests: this.#requests });
	}

	/** Releases the held back text of an ended reply. */
	#whole(ended: EndedReply): EndedReply {
		const { reply, deltas } = this.#redacted.end(ended.reply);
		for (const delta of deltas) this.#show(delta, reply);
		if (this.#continuation === undefined) return { ...ended, reply };
		const last = this.#continuation.end(reply);
		if (last.delta !== undefined && last.delta.block.text !== "") this.#take(last.delta, last.reply);
		return { ...ended, reply: last.reply };
	}

	async #senderFor(connection: MessagesConnection | undefined, caller: string): Promise<Pick<MessagesClient, "send">> {
		const { connectionId, model } = this.#entry;
		if (connectionId === undefined) throw invalid("messages", "connection", "is missing: there is no connection yet");
		if (connection === undefined) {
			throw invalid("messages", "connection", `"${connectionId}" is not one of the connections`);
		}
		const { firstByteMs } = this.#parts.capabilities(connection, model);
		return this.#parts.open(connection, await apiKeyOf(connection, this.#parts.registry), firstByteMs, caller);
	}

	#observer(): ReplyObserver {
		const { clock, log } = this.#parts;
		return {
			onTry: () => {
				this.#requests++;
				if (this.#entry.progress.name === "retrying") {
					this.#change({ ...this.#entry, progress: this.#waiting, silentSince: undefined });
				}
			},
			onRetry: ({ inMs, attempt, error }) => {
				const until = clock.monotonic() + inMs;
				this.#change({ ...this.#entry, progress: { name: "retrying", until, attempt, error } });
				log.warn(`Try ${attempt} in ${Math.round(inMs)} ms: ${errorFacts(error)}`);
			},
			onFirstByte: () => this.#change({ ...this.#entry, progress: { name: "streaming" } }),
			onBlock: (change, received) => {
				const { delta, reply } = this.#redacted.take(change, received);
				this.#show(delta, reply);
			},
			onSilence: (silentMs) => {
				const silentSince = silentMs === null ? undefined : clock.monotonic() - silentMs;
				this.#change({ ...this.#entry, silentSince });
			},
		};
	}

	#show(delta: BlockDelta, reply: Reply): void {
		const shown = this.#continuation?.take(delta, reply) ?? { delta, reply };
		this.#take(shown.delta, shown.reply);
	}

	#take(delta: BlockDelta, reply: Reply): void {
		const before = this.#entry;
		const { key, type } = delta.block;
		const now = this.#parts.clock.monotonic();
		const { startedAt = now } = before.thoughts[key] ?? {};
		const isFirstText = before.firstTextAt === undefined && type === "text" && delta.block.text !== "";
		this.#entry = {
			...before,
			reply,
			firstTextAt: isFirstText ? now : before.firstTextAt,
			...(type === "thinking" ? { thoughts: { ...before.thoughts, [key]: { startedAt, lastAt: now } } } : {}),
		};
		if (isFirstText || before.reply?.model !== reply.model) this.#report(this.#entry);
		this.#report(this.#entry, delta);
	}

	#change(entry: ReplyEntry): void {
		this.#entry = entry;
		this.#report(entry);
	}
}

/** Redacts the texts of a message or a tool's result, but not the base64 of images, which may be megabytes. */
function redacted<T extends InputMessage | ToolResultBlock>(holder: T, filter: SecretFilter): T {
	const { content } = holder;
	if (typeof content === "string") return filter.redact(holder);
	const blocks = content.map((block) => {
		if (block.type === "image") return block;
		return block.type === "tool_result" ? redacted(block, filter) : filter.redact(block);
	});
	return { ...filter.redact({ ...holder, content: [] }), content: blocks };
}

/** Reads the key of a connection, if any. Rejects with ClientError `unauthorized` if a needed one is missing. */
export async function apiKeyOf(connection: MessagesConnection, registry: ConnectionRegistry) {
	const held = await registry.secret(connection);
	const isThere = held.closed === "unreadable";
	if (held.secret !== undefined || !(isThere || needsKey(connection.profile))) return held.secret;
	const sentence = isThere ? "The stored key cannot be read" : "There is no key for this connection";
	throw new ClientError("messages", "unauthorized", sentence, { field: "key" });
}

/** Log line for the end of a reply, without its text; empty before the end. */
function endLine({ connection, ended, startedAt }: ReplyEntry): string {
	if (ended === undefined) return "";
	const { outcome, error, requests, reply } = ended;
	const facts = [
		`${Math.round(ended.at - startedAt)} ms`,
		`${requests} request${requests === 1 ? "" : "s"}`,
		...(error === undefined ? [] : [errorFacts(error)]),
		...noteFacts(reply.notes),
	];
	return `${connection || "No connection"}: reply ${outcome} (${facts.join("; ")})`;
}

/** Facts of an error for a log. */
export function errorFacts({ code, status, requestId, message }: ClientError): string {
	return [code, status, requestId, message].filter((fact) => fact !== undefined).join(" · ");
}

function noteFacts({ malformed, late, unknown }: ReplyNotes): string[] {
	return [
		...(malformed > 0 ? [`${malformed} malformed events skipped`] : []),
		...(late > 0 ? [`${late} deltas after the end ignored`] : []),
		...(unknown.length > 0 ? [`not known: ${unknown.join(", ")}`] : []),
	];
}
