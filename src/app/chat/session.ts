import type { BlockDelta } from "#api/messages/model.ts";
import { randomWord } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { invalid } from "#base/errors.ts";
import { Branches, NOTHING } from "./branches.ts";
import { diffReplies, isSame, type ReplyGrowth } from "./changes.ts";
import {
	type ConversationFacts,
	type ConversationState,
	conversationTitle,
	type Entry,
	type ReplyEntry,
	replyText,
	type Turn,
} from "./conversation.ts";
import { openElsewhere } from "./leases.ts";
import type { ChatParameters } from "./parameters.ts";
import { partsOf, roundsOf } from "./parts.ts";
import { definedOnly, parametersAt, type Target, targetOf, type Wanted } from "./request-target.ts";
import { type CallAnswer, type LoopParts, ToolLoop } from "./tool-loop.ts";
import { continuesQueue, parentOf, type QueuedTurn, type TurnOptions, TurnQueue } from "./turn-queue.ts";

/** Collaborators of a conversation. */
export interface SessionParts extends LoopParts {
	/** Puts the conversation on the disk: the person's turn is there before its request leaves. */
	readonly save?: (session: ChatSession) => Promise<void>;
	/** Asks the person, where that is needed, before another round of calls; false where they do not want it. */
	readonly mayGoOn?: (session: ChatSession) => Promise<boolean>;
}

/** Event of a conversation. */
export type SessionEvent =
	| { readonly type: "appended"; readonly entry: Entry }
	| ReplyGrowth
	/** Another version has been chosen, an entry has gone or another text stands in it: the screen is drawn anew. */
	| { readonly type: "replaced" }
	/** Change of the title, the connection or the parameters. */
	| { readonly type: "facts" }
	/** The queue has changed. */
	| { readonly type: "queue" }
	/** Another window has begun to write it, or has ceased to. */
	| { readonly type: "read-only" };

/** Change of the facts; `undefined` removes one. */
export type FactsChange = { readonly [K in keyof ConversationFacts]?: ConversationFacts[K] | undefined };

/** Connection and parameters that differ from those of the reply before; `undefined` removes one. */
export interface AskChange extends Pick<TurnOptions, "connection"> {
	readonly parameters?: { readonly [K in keyof ChatParameters]: ChatParameters[K] | undefined };
}

/** One conversation and the reply it is waiting for, if any. The only owner of its entries. */
export class ChatSession implements Disposable {
	readonly id: string;
	readonly #parts: SessionParts;
	readonly #events = new Emitter<SessionEvent>();
	/** Suffix that keeps ids made here apart from those that another window makes for the same conversation. */
	readonly #tag: string;
	readonly #queue: TurnQueue;
	#tree: Branches;
	#count = 0;
	#facts: ConversationFacts;
	#abort: AbortController | undefined;
	#loop: ToolLoop | undefined;
	#isReadOnly = false;

	/** `saved` is what an earlier window left. */
	constructor(id: string, parts: SessionParts, saved: ConversationState = NOTHING) {
		this.id = id;
		this.#parts = parts;
		this.#tag = `${id}-${randomWord(parts.clock, 6)}`;
		this.#tree = new Branches(saved);
		const { queue = [], ...facts } = saved.facts;
		this.#facts = facts;
		this.#queue = new TurnQueue(queue, () => this.#events.fire({ type: "queue" }));
	}

	readonly onDidChange = this.#events.event;

	/** Tree of the entries; only the methods here change it. */
	get tree(): Omit<Branches, "add" | "choose" | "drop"> {
		return this.#tree;
	}

	/** Entries on screen, first to last. */
	get entries(): readonly Entry[] {
		return this.#tree.path;
	}

	/** All there is to keep of the conversation. */
	get state(): ConversationState {
		const queue = this.queue.map(({ reply: _, ...turn }) => turn);
		return { entries: this.#tree.all, chosen: this.#tree.chosen, facts: { ...this.#facts, queue } };
	}

	get facts(): ConversationFacts {
		return this.#facts;
	}

	get title(): string {
		return conversationTitle(this.entries, this.#facts.title);
	}

	get busy(): boolean {
		return this.#abort !== undefined;
	}

	/** True while another window writes the conversation: here it is followed. */
	get isReadOnly(): boolean {
		return this.#isReadOnly;
	}

	/** Queued turns, first the next. */
	get queue(): readonly QueuedTurn[] {
		return this.#queue.turns;
	}

	/** Target of the next message. */
	get target(): Target {
		return targetOf(this, this.#parts);
	}

	/** Follows another window from now on, which ends a reply under way here, or no longer. */
	setReadOnly(isReadOnly: boolean): void {
		if (this.#isReadOnly === isReadOnly) return;
		this.#isReadOnly = isReadOnly;
		this.stop();
		this.#events.fire({ type: "read-only" });
	}

	/** Changes what is named; `undefined` takes it away. */
	setFacts(change: FactsChange): void {
		this.#refuseReadOnly();
		this.#facts = definedOnly({ ...this.#facts, ...change });
		this.#events.fire({ type: "facts" });
	}

	/** Adds the person's turn and asks for the reply. Resolves with the reply when it has ended, whatever its outcome. */
	async send(text: string, options: TurnOptions = {}): Promise<ReplyEntry> {
		return this.#say({ parent: this.entries.at(-1)?.id ?? null, text }, options);
	}

	/** Asks for the reply to another text in place of that of a turn. Both stay, as versions of one another. */
	async edit(turnId: string, text: string): Promise<ReplyEntry> {
		const turn = this.#tree.get(turnId);
		if (turn?.role !== "user") throw invalid("messages", "message", "is not a turn of the conversation");
		return this.#say({ parent: turn.parent, text }, { attachments: turn.attachments });
	}

	/**
	 * Asks for another version of a reply, of the same connection with the same parameters but for the change. One that
	 * answers the results of tools is asked for again from the first that called any.
	 */
	async regenerate(replyId: string, change: AskChange = {}): Promise<ReplyEntry> {
		const [first = this.#reply(replyId)] = roundsOf(replyId, this.#tree);
		return this.#again(first, change);
	}

	/** Asks again for a reply. One of which nothing has come makes room; any other stays as a version. */
	async retry(replyId: string, parameters: ChatParameters = {}): Promise<ReplyEntry> {
		const failed = this.#reply(replyId);
		this.#refuseBusy();
		this.#makeRoom(failed);
		return this.#again(failed, { parameters });
	}

	/** Goes on where a reply was cut off or paused, behind the last of its parts that has text or called a tool. */
	async continueReply(replyId: string): Promise<ReplyEntry> {
		this.#reply(replyId);
		this.#refuseReadOnly();
		const parts = partsOf(replyId, this.#tree.lineage(replyId));
		const at = parts.findLastIndex(({ reply, calls }) => calls.length > 0 || replyText(reply).trim() !== "");
		const last = parts[at];
		if (last === undefined) throw invalid("messages", "message", "has no text to go on from");
		this.#refuseBusy();
		for (const empty of parts.slice(at + 1).reverse()) this.#makeRoom(empty);
		this.#begin();
		const connection = this.#askable(last.connectionId);
		// Whatever was chosen since: one model's sentence is not another's.
		const isSame = connection === last.connectionId && last.model !== "";
		const own = { ...parametersAt(connection, last), ...(isSame ? { model: last.model } : {}) };
		return this.#ask(last.id, { connection, own, continues: true });
	}

	/** Begins another version of the whole with a turn, which is not asked about yet. All else stays. */
	restart(text: string): Turn {
		this.#refuseBusy();
		const begun = { id: this.#newId(), at: this.#parts.clock.now() };
		const turn: Turn = { ...begun, role: "user", parent: null, text, attachments: [] };
		this.#append(turn);
		return turn;
	}

	/** Begins with what another conversation holds. */
	begin(entries: readonly Entry[], facts: ConversationFacts): void {
		for (const entry of entries) this.#append(entry);
		this.setFacts(facts);
		this.#replaced();
	}

	/** Brings a version on screen, with all that it follows. Throws ClientError `invalid` where there is none. */
	choose(entryId: string): void {
		this.#refuseReadOnly();
		const isThere = this.#tree.get(entryId) !== undefined;
		if (!isThere) throw invalid("messages", "message", "is not a message of the conversation");
		if (this.#tree.choose(entryId)) this.#replaced();
	}

	/** Has a turn wait until the reply under way has ended. It belongs to what is on screen now. */
	enqueue(text: string, options: TurnOptions = {}): QueuedTurn {
		this.#refuseReadOnly();
		const waiting = { ...options, text, id: this.#newId(), after: this.entries.at(-1)?.id };
		return this.#queue.add(waiting);
	}

	/** Entries that the request of a queued turn would carry; none if it is not in the queue. */
	queuedWay(id: string): readonly Entry[] {
		return this.#queue.wayOf(id, this.#tree);
	}

	/** Takes a turn out of the queue, unsent; says whether it was there. */
	unqueue(id: string): boolean {
		this.#refuseReadOnly();
		return this.#queue.remove(id);
	}

	/** Sends a turn of a queue that waits for the person, and after it those behind it. */
	async sendQueued(id: string): Promise<ReplyEntry> {
		this.#refuseBusy();
		const reply = this.#queue.next((turn) => this.#sayQueued(turn), id);
		if (reply === undefined) throw invalid("messages", "queued", "is not in the queue");
		return reply;
	}

	/**
	 * Answers a call that asks, in a block of a reply as the panel or the reply itself names it; says whether it was
	 * asking. Its tool may then run once, or on that connection in this conversation or always, or it does not run at all.
	 */
	async answerCall(replyId: string, key: string, given: CallAnswer): Promise<boolean> {
		const call = this.#loop?.asking(replyId, key);
		if (call === undefined) return false;
		const { allowed = [] } = this.#facts;
		if (given.answer === "conversation") this.setFacts({ allowed: [...new Set([...allowed, call.permission])] });
		if (given.answer === "always") await this.#parts.approvals.allow(call.permission);
		call.answer(given);
		return true;
	}

	/** Ends the reply under way, the tools that it runs and the questions that it asks, as `stopped`; says whether there was one. */
	stop(): boolean {
		if (this.#abort === undefined) return false;
		this.#abort.abort();
		return true;
	}

	/** Takes over all that is on the disk: another window has written it. */
	follow(saved: ConversationState): void {
		const others = () => [this.#facts, this.#queue.turns.map(({ id }) => id)];
		const before = others();
		const { all, path } = this.#tree;
		this.#tree = new Branches(saved);
		const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id);
		const growth = isSame(ids(path), ids(this.entries)) ? diffReplies(all, this.#tree.all) : undefined;
		const { queue = [], ...facts } = saved.facts;
		if (!isSame(this.#facts, facts)) this.#facts = facts;
		this.#queue.replace(queue);
		const events = isSame(before, others()) ? growth : undefined;
		for (const event of events ?? [{ type: "replaced" } as const]) this.#events.fire(event);
	}

	dispose(): void {
		this.stop();
		this.#queue.dispose();
		this.#events.dispose();
	}

	/** A turn that was queued keeps its id. */
	async #say(said: Pick<Turn, "parent" | "text"> & { id?: string }, options: TurnOptions): Promise<ReplyEntry> {
		this.#begin();
		const { attachments = [], parameters: own = {} } = options;
		const connection = options.connection ?? this.target.connection?.id;
		const turn: Turn = { id: this.#newId(), ...said, role: "user", attachments, at: this.#parts.clock.now() };
		this.#append(turn);
		await this.#parts.save?.(this).catch((error: unknown) => this.#giveUp(error));
		// The secrets that are stored are known by now: what is held is what is on the disk.
		const kept = { ...turn, ...this.#parts.secretFilter.redact({ text: turn.text, attachments }) };
		this.#tree.add(kept);
		if (kept.text !== turn.text) this.#replaced();
		return this.#ask(turn.id, { connection, own, continues: false });
	}

	async #again(reply: ReplyEntry, change: AskChange): Promise<ReplyEntry> {
		this.#begin();
		const connection = change.connection ?? this.#askable(reply.connectionId);
		const own = definedOnly<ChatParameters>({ ...parametersAt(connection, reply), ...change.parameters });
		return this.#ask(reply.parent, { connection, own, continues: reply.continues, instead: reply });
	}

	async #ask(parent: string, how: Omit<Wanted, "id" | "after">): Promise<ReplyEntry> {
		const { signal } = this.#abort ?? this.#begin();
		const host = {
			...{ tree: () => this.#tree, facts: () => this.#facts, newId: () => this.#newId() },
			append: (entry: ReplyEntry) => this.#append(entry, entry.parent === parent),
			update: (entry: ReplyEntry, delta?: BlockDelta) => this.#update(entry, delta),
			// Another window may have begun to write it.
			save: async () => this.#parts.save?.(this).catch(() => void this.stop()),
			mayGoOn: async () => this.#parts.mayGoOn?.(this).catch(() => false) ?? true,
		};
		this.#loop = new ToolLoop(host, this.#parts, signal);
		const last = await this.#loop.run(parent, how).catch((error: unknown) => this.#giveUp(error));
		this.#goOn(continuesQueue(last));
		return last;
	}

	/** The connection of a reply; where there is none any more, or never was here, the one of the next message. */
	#askable(id: string | undefined): string | undefined {
		const own = id === undefined ? undefined : this.#parts.registry.get(id, "messages");
		return (own ?? this.target.connection)?.id;
	}

	/** Continues after the end of a reply: sends the next turn if it may follow, else ends the wait of its callers. */
	#goOn(mayFollow: boolean): void {
		if (mayFollow && !this.#isReadOnly) this.#sendNext();
		if (!this.busy) this.#queue.rest();
	}

	#sendNext(): void {
		const next = this.#queue.ready(this.#tree);
		const reply = next && this.#queue.next((turn) => this.#sayQueued(turn), next.id);
		reply?.catch((error: unknown) => this.#parts.log.warn(String(error)));
	}

	/** Sends a queued turn on its own branch, whichever is on screen by now. */
	#sayQueued(turn: QueuedTurn): Promise<ReplyEntry> {
		const { id, text } = turn;
		const tree = this.#tree;
		const parent = parentOf(turn, tree)?.id ?? null;
		const entries = parent === null ? this.entries : tree.lineage(parent);
		const connection = turn.connection ?? targetOf({ facts: this.#facts, entries }, this.#parts).connection?.id;
		return this.#say({ parent, text, id }, { ...turn, connection });
	}

	#update(entry: ReplyEntry, delta: BlockDelta | undefined): void {
		if (entry.ended !== undefined) this.#abort = undefined;
		this.#tree.add(entry);
		this.#events.fire(delta === undefined ? { type: "reply", entry } : { type: "block", entry, delta });
	}

	/** The reply of an id. Throws ClientError `invalid` where there is none. */
	#reply(id: string): ReplyEntry {
		const entry = this.#tree.get(id);
		if (entry?.role !== "assistant") throw invalid("messages", "message", "is not a reply of the conversation");
		return entry;
	}

	/** An id that nothing has. */
	#newId(): string {
		this.#count += 1;
		return `${this.#tag}-${this.#count}`;
	}

	/** A new version comes on screen in place of the others; the next round of one stays where that is. */
	#append(entry: Entry, isVersion = true): void {
		this.#tree.add(entry);
		this.#events.fire({ type: "appended", entry });
		if (isVersion && (this.#tree.choose(entry.id) || this.#tree.versions(entry.id).count > 1)) this.#replaced();
	}

	/** A reply of which nothing has come leaves its place to the next. */
	#makeRoom({ id, reply }: ReplyEntry): void {
		if ((reply?.blocks.length ?? 0) === 0 && this.#tree.drop(id)) this.#replaced();
	}

	#replaced(): void {
		this.#events.fire({ type: "replaced" });
	}

	/** Ends what was begun, and the wait of those whose turns are queued behind it. */
	#giveUp(error: unknown): never {
		this.#abort = undefined;
		this.#queue.rest();
		throw error;
	}

	#begin(): AbortController {
		this.#refuseBusy();
		this.#abort = new AbortController();
		return this.#abort;
	}

	#refuseReadOnly(): void {
		if (this.#isReadOnly) throw openElsewhere();
	}

	#refuseBusy(): void {
		this.#refuseReadOnly();
		if (this.busy) throw invalid("messages", "conversation", "is still receiving a reply");
	}
}
