import { closeReply, emptyReply } from "#api/messages/accumulator.ts";
import type { BlockDelta, EndedReply, MessagesRequest, Reply, ReplyObserver } from "#api/messages/model.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { MessagesConnection } from "../connections/connection.ts";
import { needsKey } from "../connections/messages-profiles.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { Log } from "../ports.ts";
import { type Entry, inputMessages, type ReplyEntry, titleOf } from "./conversation.ts";
import type { ChatParameters } from "./parameters.ts";

/** Sends one request and tells how the reply comes in; the messages client. */
export interface MessagesSender {
	send(
		request: MessagesRequest,
		options: { readonly signal: AbortSignal; readonly observer: ReplyObserver },
	): Promise<EndedReply>;
}

/** What a conversation works with. */
export interface SessionParts {
	readonly registry: ConnectionRegistry;
	readonly clock: Clock;
	readonly log: Log;
	readonly open: (connection: MessagesConnection, key: string | undefined) => Promise<MessagesSender>;
	/** The parameters of the settings, read at each send. */
	readonly defaults: () => ChatParameters;
	/** The connection to ask when a send names none. */
	readonly chosen: () => MessagesConnection | undefined;
	/** Puts the conversation on the disk; the person's turn is there before its request leaves. */
	readonly save?: (session: ChatSession) => Promise<void>;
}

/** What happens to a conversation, in order. */
export type SessionEvent =
	| { readonly type: "appended"; readonly entry: Entry }
	/** Anything of a reply but its blocks. */
	| { readonly type: "reply"; readonly entry: ReplyEntry }
	| { readonly type: "block"; readonly entry: ReplyEntry; readonly delta: BlockDelta }
	/** An entry has gone: what is on screen has to be replaced. */
	| { readonly type: "replaced" };

/** How one message is sent. */
export interface SendOptions {
	readonly connection?: string | undefined;
	readonly parameters?: ChatParameters | undefined;
}

/** One conversation and the reply it is waiting for, if any. The transcript's only owner. */
export class ChatSession implements Disposable {
	readonly id: string;
	readonly #parts: SessionParts;
	readonly #entries: Entry[];
	readonly #events = new Emitter<SessionEvent>();
	#abort: AbortController | undefined;
	#count: number;

	/** `entries` are those of an earlier window. */
	constructor(id: string, parts: SessionParts, entries: readonly Entry[] = []) {
		this.id = id;
		this.#parts = parts;
		this.#entries = [...entries];
		this.#count = Math.max(0, ...entries.map((entry) => Number(/-(\d+)$/.exec(entry.id)?.[1] ?? 0)));
	}

	readonly onDidChange = this.#events.event;

	get entries(): readonly Entry[] {
		return this.#entries;
	}

	get title(): string {
		return titleOf(this.#entries);
	}

	get busy(): boolean {
		return this.#abort !== undefined;
	}

	/** Adds the person's turn and asks for the reply. Resolves with the reply when it has ended, whatever its outcome. */
	async send(text: string, options: SendOptions = {}): Promise<ReplyEntry> {
		this.#refuseBusy();
		const before = this.#entries.at(-1);
		if (before?.role === "assistant") this.#update({ ...before, passed: true });
		const abort = this.#begin();
		this.#append({ role: "user", id: this.#newId(), text });
		if (this.#parts.save !== undefined) await this.#parts.save(this);
		const connection = options.connection ?? this.#parts.chosen()?.id;
		return this.#ask(connection, { own: options.parameters ?? {}, abort });
	}

	/**
	 * Asks again for a reply, of the same connection and with the same parameters but for `change`. A reply that already
	 * has text stays on screen, for nothing received is ever taken away.
	 */
	async retry(replyId: string, change: ChatParameters = {}): Promise<ReplyEntry> {
		this.#refuseBusy();
		const position = this.#entries.findIndex((entry) => entry.id === replyId);
		const failed = this.#entries[position];
		if (failed?.role !== "assistant" || position !== this.#entries.length - 1) {
			throw invalid("messages", "message", "is not the last reply of the conversation");
		}
		if (failed.reply === undefined || failed.reply.blocks.length === 0) {
			this.#entries.splice(position, 1);
			this.#events.fire({ type: "replaced" });
		} else {
			this.#update({ ...failed, superseded: true, passed: true });
		}
		const connection = failed.connectionId ?? this.#parts.chosen()?.id;
		return this.#ask(connection, { own: { ...failed.parameters, ...change }, abort: this.#begin() });
	}

	/** Ends the reply under way as `stopped`; says whether there was one. */
	stop(): boolean {
		if (this.#abort === undefined) return false;
		this.#abort.abort();
		return true;
	}

	dispose(): void {
		this.stop();
		this.#events.dispose();
	}

	#begin(): AbortController {
		this.#abort = new AbortController();
		return this.#abort;
	}

	async #ask(
		connectionId: string | undefined,
		{ own, abort }: { readonly own: ChatParameters; readonly abort: AbortController },
	): Promise<ReplyEntry> {
		const connection = connectionId === undefined ? undefined : this.#parts.registry.get(connectionId, "messages");
		const defaults = this.#parts.defaults();
		const asked: ChatParameters = { ...defaults, ...definedOnly(own) };
		const model = own.model ?? connection?.model ?? defaults.model ?? "";
		const entry: ReplyEntry = {
			role: "assistant",
			id: this.#newId(),
			connectionId,
			connection: connection?.label ?? "",
			model,
			parameters: own,
			reply: undefined,
			progress: { name: "waiting" },
			startedAt: this.#parts.clock.monotonic(),
			firstTextAt: undefined,
			thoughts: {},
			silentSince: undefined,
			ended: undefined,
			superseded: false,
			passed: false,
		};
		const messages = inputMessages(this.#entries);
		this.#append(entry);
		let requests = 0;
		const count = () => {
			requests++;
		};
		let ended: EndedReply;
		try {
			const sender = await this.#senderFor(connectionId, connection);
			const request: MessagesRequest = { ...asked, model, messages, maxTokens: asked.maxTokens ?? Number.NaN };
			ended = await sender.send(request, { signal: abort.signal, observer: this.#observer(entry.id, count) });
		} catch (error) {
			ended = {
				reply: this.#reply(entry.id).reply ?? closeReply(emptyReply),
				outcome: "failed",
				error: asError(error),
				requests,
			};
		}
		this.#abort = undefined;
		const last: ReplyEntry = {
			...this.#reply(entry.id),
			reply: ended.reply,
			silentSince: undefined,
			ended: { ...ended, at: this.#parts.clock.monotonic() },
		};
		this.#update(last);
		this.#logEnd(last);
		return last;
	}

	#logEnd({ connection, ended, startedAt }: ReplyEntry): void {
		if (ended === undefined) return;
		const { outcome, error, requests, reply } = ended;
		const facts = [
			`${Math.round(ended.at - startedAt)} ms`,
			`${requests} request${requests === 1 ? "" : "s"}`,
			...(error === undefined ? [] : [errorFacts(error)]),
			...(reply.notes.malformed > 0 ? [`${reply.notes.malformed} malformed events skipped`] : []),
			...(reply.notes.late > 0 ? [`${reply.notes.late} deltas after the end ignored`] : []),
			...(reply.notes.unknown.length > 0 ? [`not known: ${[...new Set(reply.notes.unknown)].join(", ")}`] : []),
		];
		const line = `${connection || "No connection"}: reply ${outcome} (${facts.join("; ")})`;
		if (error === undefined) this.#parts.log.info(line);
		else this.#parts.log.error(line);
	}

	async #senderFor(id: string | undefined, connection: MessagesConnection | undefined): Promise<MessagesSender> {
		if (id === undefined) throw invalid("messages", "connection", "is missing: there is no connection yet");
		if (connection === undefined) throw invalid("messages", "connection", `"${id}" is not one of the connections`);
		const held = await this.#parts.registry.secret(connection);
		if (held.state === "unreadable") {
			throw new ClientError("messages", "unauthorized", "The stored key cannot be read", { field: "key" });
		}
		if (held.state === "absent" && needsKey(connection.profile)) {
			throw new ClientError("messages", "unauthorized", "There is no key for this connection", { field: "key" });
		}
		return this.#parts.open(connection, held.state === "present" ? held.secret : undefined);
	}

	#observer(id: string, count: () => void): ReplyObserver {
		const clock = this.#parts.clock;
		return {
			onTry: () => {
				count();
				if (this.#reply(id).progress.name === "retrying") {
					this.#update({ ...this.#reply(id), progress: { name: "waiting" }, silentSince: undefined });
				}
			},
			onRetry: ({ inMs, attempt, error }) => {
				const until = clock.monotonic() + inMs;
				this.#update({ ...this.#reply(id), progress: { name: "retrying", until, attempt, error } });
				this.#parts.log.warn(`Try ${attempt} in ${Math.round(inMs)} ms: ${errorFacts(error)}`);
			},
			onFirstByte: () => this.#update({ ...this.#reply(id), progress: { name: "streaming" } }),
			onBlock: (delta, reply) => this.#take(id, delta, reply),
			onSilence: (silentMs) => {
				const silentSince = silentMs === null ? undefined : clock.monotonic() - silentMs;
				this.#update({ ...this.#reply(id), silentSince });
			},
		};
	}

	#take(id: string, delta: BlockDelta, reply: Reply): void {
		const before = this.#reply(id);
		const { key, type } = delta.block;
		const now = this.#parts.clock.monotonic();
		const isFirstText = before.firstTextAt === undefined && type === "text" && delta.block.text !== "";
		const entry: ReplyEntry = {
			...before,
			reply,
			firstTextAt: isFirstText ? now : before.firstTextAt,
			...(type === "thinking" ? { thoughts: withThought(before.thoughts, key, now) } : {}),
		};
		this.#replace(entry);
		if (isFirstText || before.reply?.model !== reply.model) this.#events.fire({ type: "reply", entry });
		this.#events.fire({ type: "block", entry, delta });
	}

	#append(entry: Entry): void {
		this.#entries.push(entry);
		this.#events.fire({ type: "appended", entry });
	}

	#update(entry: ReplyEntry): void {
		this.#replace(entry);
		this.#events.fire({ type: "reply", entry });
	}

	/** The reply is nearly always the last entry: looking from the end costs the same in a long conversation. */
	#replace(entry: ReplyEntry): void {
		const position = this.#entries.findLastIndex((each) => each.id === entry.id);
		if (position !== -1) this.#entries[position] = entry;
	}

	#reply(id: string): ReplyEntry {
		const entry = this.#entries.findLast((each) => each.id === id);
		if (entry?.role !== "assistant") throw new Error(`no reply ${id}`);
		return entry;
	}

	#refuseBusy(): void {
		if (this.busy) throw invalid("messages", "conversation", "is still receiving a reply");
	}

	#newId(): string {
		this.#count++;
		return `${this.id}-${this.#count}`;
	}
}

function withThought(thoughts: ReplyEntry["thoughts"], key: string, now: number): ReplyEntry["thoughts"] {
	return { ...thoughts, [key]: { startedAt: thoughts[key]?.startedAt ?? now, lastAt: now } };
}

function errorFacts({ code, status, requestId, message }: ClientError): string {
	return [code, status, requestId, message].filter((fact) => fact !== undefined).join(" · ");
}

function definedOnly(parameters: ChatParameters): ChatParameters {
	return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

function asError(error: unknown): ClientError {
	if (error instanceof ClientError) return error;
	const message = error instanceof Error ? error.message : String(error);
	return new ClientError("messages", "server", `Switchboard itself failed: ${message}`, { cause: error });
}
