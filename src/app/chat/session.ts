import type { BlockDelta } from "#api/messages/model.ts";
import { randomWord } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { type ClientError, invalid } from "#base/errors.ts";
import { Branches, NOTHING } from "./branches.ts";
import { diffReplies, isSame, type SessionEvent } from "./changes.ts";
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
import { type AskChange, parentOf, type QueuedTurn, type TurnOptions, TurnQueue } from "./turn-queue.ts";

/** Collaborators of a conversation. */
export interface SessionParts extends LoopParts {
	/** Writes the conversation to the disk, with the person's turn before its request is sent. */
	readonly save?: (session: ChatSession) => Promise<void>;
	/** Asks the person, if needed, before another round of calls, or for a request that a limit has refused; false to end. */
	readonly mayGoOn?: (session: ChatSession, refusal?: ClientError) => Promise<boolean>;
}

/** Change of the facts; `undefined` removes one. */
export type FactsChange = { readonly [K in keyof ConversationFacts]?: ConversationFacts[K] | undefined };

/** One conversation and its reply under way, if any. The only owner of its entries. */
export class ChatSession implements Disposable {
	readonly id: string;
	readonly #parts: SessionParts;
	readonly #events = new Emitter<SessionEvent>();
	/** Prefix of ids, which differs from that of another window. */
	readonly #tag: string;
	readonly #queue: TurnQueue;
	#tree: Branches;
	#count = 0;
	#facts: ConversationFacts;
	#abort: AbortController | undefined;
	#loop: ToolLoop | undefined;
	#isReadOnly = false;

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

	/** State to store. */
	get state(): ConversationState {
		const queue = this.queue.map(({ reply: _, unattended: __, ...turn }) => turn);
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

	/** True while another window writes the conversation. */
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

	/** Starts or stops following another window, which ends a reply under way. */
	setReadOnly(isReadOnly: boolean): void {
		if (this.#isReadOnly === isReadOnly) return;
		this.#isReadOnly = isReadOnly;
		this.stop();
		this.#events.fire({ type: "read-only" });
	}

	/** Changes facts; `undefined` removes one. */
	setFacts(change: FactsChange): void {
		this.#refuseReadOnly();
		this.#facts = definedOnly({ ...this.#facts, ...change });
		this.#events.fire({ type: "facts" });
	}

	/** Adds the person's turn, and resolves with the ended reply, whatever its outcome. */
	async send(text: string, options: TurnOptions = {}): Promise<ReplyEntry> {
		return this.#say({ parent: this.entries.at(-1)?.id ?? null, text }, options);
	}

	/** Sends another text in place of that of a turn. Both stay as versions. */
	async edit(turnId: string, text: string, options: Pick<TurnOptions, "unattended"> = {}): Promise<ReplyEntry> {
		const turn = this.#tree.get(turnId);
		if (turn?.role !== "user") throw invalid("messages", "message", "is not a turn of the conversation");
		return this.#say({ parent: turn.parent, text }, { ...options, attachments: turn.attachments });
	}

	/** Requests another version of a reply, with its connection and parameters but for the change, from its first round on. */
	async regenerate(replyId: string, change: AskChange = {}): Promise<ReplyEntry> {
		const [first = this.#reply(replyId)] = roundsOf(replyId, this.#tree);
		return this.#again(first, change);
	}

	/** Requests a reply again. An empty one is removed, any other stays as a version. */
	async retry(replyId: string, parameters: ChatParameters = {}): Promise<ReplyEntry> {
		const failed = this.#reply(replyId);
		this.#refuseBusy();
		this.#makeRoom(failed);
		return this.#again(failed, { parameters });
	}

	/** Continues a cut off or paused reply after its last part with text or calls. */
	async continueReply(replyId: string, options: Pick<TurnOptions, "unattended"> = {}): Promise<ReplyEntry> {
		this.#reply(replyId);
		this.#refuseReadOnly();
		const parts = partsOf(replyId, this.#tree.lineage(replyId));
		const at = parts.findLastIndex(({ reply, calls }) => calls.length > 0 || replyText(reply).trim() !== "");
		const last = parts[at];
		if (last === undefined) throw invalid("messages", "message", "has no text to go on from");
		this.#refuseBusy();
		for (const empty of parts.slice(at + 1).reverse()) this.#makeRoom(empty);
		const connection = this.#askable(last.connectionId);
		// The model of the reply continues its own text, whatever was chosen since.
		const isSame = connection === last.connectionId && last.model !== "";
		const own = { ...parametersAt(connection, last), ...(isSame ? { model: last.model } : {}) };
		return this.#ask(last.id, { ...options, connection, own, continues: true });
	}

	/** Begins another version of the conversation with a turn, without a request. */
	restart(text: string): Turn {
		this.#refuseBusy();
		const begun = { id: this.#newId(), at: this.#parts.clock.now() };
		const turn: Turn = { ...begun, role: "user", parent: null, text, attachments: [] };
		this.#append(turn);
		return turn;
	}

	/** Fills an empty conversation. */
	begin(entries: readonly Entry[], facts: ConversationFacts): void {
		for (const entry of entries) this.#append(entry);
		this.setFacts(facts);
		this.#replaced();
	}

	/** Brings a version on screen, with its lineage. Throws ClientError `invalid` if there is none. */
	choose(entryId: string): void {
		this.#refuseReadOnly();
		if (!this.#tree.get(entryId)) throw invalid("messages", "message", "is not a message of the conversation");
		if (this.#tree.choose(entryId)) this.#replaced();
	}

	/** Queues a turn behind the entries on screen. */
	enqueue(text: string, options: TurnOptions = {}): QueuedTurn {
		this.#refuseReadOnly();
		return this.#queue.add({ ...options, text, id: this.#newId(), after: this.entries.at(-1)?.id });
	}

	/** Entries in the request of a queued turn; none if it is not in the queue. */
	queuedWay(id: string): readonly Entry[] {
		return this.#queue.wayOf(id, this.#tree);
	}

	/** Removes a turn from the queue; false if it is not there. */
	unqueue(id: string): boolean {
		this.#refuseReadOnly();
		return this.#queue.remove(id);
	}

	/** Moves a queued turn before the one ahead of it. */
	raiseQueued(id: string): void {
		this.#refuseReadOnly();
		this.#queue.raise(id);
	}

	/** Stops a reply under way and sends a queued turn in front of the others, which follow. */
	async sendQueued(id: string): QueuedTurn["reply"] {
		this.#refuseReadOnly();
		const { reply } = this.#queue.demand(id);
		if (this.#abort === undefined) this.#goOn();
		else this.#abort.abort();
		return reply;
	}

	/** Answers a call in a block that {@link ToolLoop.asking} finds; false if it does not ask. */
	async answerCall(replyId: string, key: string, given: CallAnswer): Promise<boolean> {
		const call = this.#loop?.asking(replyId, key);
		if (call === undefined) return false;
		const { allowed = [] } = this.#facts;
		if (given.answer === "conversation") this.setFacts({ allowed: [...new Set([...allowed, call.permission])] });
		if (given.answer === "always") await this.#parts.approvals.allow(call.permission);
		call.answer(given);
		return true;
	}

	/** Asks again for the calls that a closed window left unanswered. No call runs, and no model is asked, before an answer. */
	resume(): void {
		const last = this.entries.at(-1);
		if (last?.role !== "assistant" || this.#isReadOnly || this.busy) return;
		const run = this.#newLoop(last.parent).resume(last);
		if (run === undefined) this.#abort = undefined;
		else this.#finish(run).catch((error: unknown) => this.#parts.log.warn(String(error)));
		if (this.busy) this.#replaced();
	}

	/** Stops the reply under way, its tools and its questions; false if there is none. */
	stop(): boolean {
		this.#queue.hold();
		if (this.#abort === undefined) return false;
		this.#abort.abort();
		return true;
	}

	/** Takes over the state that another window has written. */
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

	/** Adds a turn, with the id of a queued one, and requests the reply. */
	async #say(said: Pick<Turn, "parent" | "text"> & { id?: string }, options: TurnOptions): Promise<ReplyEntry> {
		this.#begin();
		const { attachments = [], parameters: own = {}, unattended } = options;
		const connection = options.connection ?? this.target.connection?.id;
		const turn: Turn = { id: this.#newId(), ...said, role: "user", attachments, at: this.#parts.clock.now() };
		this.#append(turn);
		await this.#parts.save?.(this).catch((error: unknown) => this.#giveUp(error));
		// All stored secrets are known by now: the turn is redacted as on the disk.
		const kept = { ...turn, ...this.#parts.secretFilter.redact({ text: turn.text, attachments }) };
		this.#tree.add(kept);
		if (kept.text !== turn.text) this.#replaced();
		return this.#ask(turn.id, { connection, own, continues: false, unattended });
	}

	async #again(reply: ReplyEntry, change: AskChange): Promise<ReplyEntry> {
		this.#begin();
		const { connection = this.#askable(reply.connectionId), unattended } = change;
		const own = definedOnly<ChatParameters>({ ...parametersAt(connection, reply), ...change.parameters });
		return this.#ask(reply.parent, { connection, own, continues: reply.continues, instead: reply, unattended });
	}

	#ask(parent: string, how: Omit<Wanted, "id" | "after">): Promise<ReplyEntry> {
		return this.#finish(this.#newLoop(parent).run(parent, how));
	}

	/** Creates the loop of a reply under way, whose first part follows `parent`. */
	#newLoop(parent: string): ToolLoop {
		const { signal } = this.#abort ?? this.#begin();
		const host = {
			tree: () => this.#tree,
			facts: () => this.#facts,
			newId: () => this.#newId(),
			append: (entry: ReplyEntry) => this.#append(entry, entry.parent === parent),
			update: (entry: ReplyEntry, delta?: BlockDelta) => {
				if (entry.ended !== undefined) this.#abort = undefined;
				this.#tree.add(entry);
				this.#events.fire(delta === undefined ? { type: "reply", entry } : { type: "block", entry, delta });
			},
			// Saving fails if another window writes it.
			save: async () => this.#parts.save?.(this).catch(() => void this.stop()),
			mayGoOn: async (refusal?: ClientError) => this.#parts.mayGoOn?.(this, refusal).catch(() => false) ?? true,
		};
		this.#loop = new ToolLoop(host, this.#parts, signal);
		return this.#loop;
	}

	/** Ends a loop, and goes on with the queue after its last reply. */
	async #finish(run: Promise<ReplyEntry>): Promise<ReplyEntry> {
		const last = await run.catch((error: unknown) => this.#giveUp(error));
		this.#goOn(last);
		return last;
	}

	/** Sends the queued turn that is due after a reply, or ends the wait of the callers of all. */
	#goOn(last?: ReplyEntry): void {
		const isFree = !this.#isReadOnly && !this.busy;
		const reply = isFree && this.#queue.next((turn) => this.#sayQueued(turn), this.#tree, last);
		if (reply) reply.catch((error: unknown) => this.#parts.log.warn(String(error)));
		if (!this.busy) this.#queue.rest();
		// The next one does not wait for this reply either.
		else if (this.#queue.isDemanded) this.#abort?.abort();
	}

	/** Connection of a reply, or of the next message if that was removed. */
	#askable(id: string | undefined): string | undefined {
		const own = id === undefined ? undefined : this.#parts.registry.get(id, "messages");
		return (own ?? this.target.connection)?.id;
	}

	#sayQueued(turn: QueuedTurn): Promise<ReplyEntry> {
		const { id, text } = turn;
		const tree = this.#tree;
		const parent = parentOf(turn, tree)?.id ?? null;
		const entries = parent === null ? this.entries : tree.lineage(parent);
		const connection = turn.connection ?? targetOf({ facts: this.#facts, entries }, this.#parts).connection?.id;
		return this.#say({ parent, text, id }, { ...turn, connection });
	}

	/** Returns the reply of an id. Throws ClientError `invalid` if there is none. */
	#reply(id: string): ReplyEntry {
		const entry = this.#tree.get(id);
		if (entry?.role !== "assistant") throw invalid("messages", "message", "is not a reply of the conversation");
		return entry;
	}

	#newId(): string {
		return `${this.#tag}-${++this.#count}`;
	}

	/** Adds an entry. A new version comes on screen; the next round of a reply stays on its branch. */
	#append(entry: Entry, isVersion = true): void {
		this.#tree.add(entry);
		this.#events.fire({ type: "appended", entry });
		if (isVersion && (this.#tree.choose(entry.id) || this.#tree.versions(entry.id).count > 1)) this.#replaced();
	}

	#makeRoom({ id, reply }: ReplyEntry): void {
		if ((reply?.blocks.length ?? 0) === 0 && this.#tree.drop(id)) this.#replaced();
	}

	#replaced(): void {
		this.#events.fire({ type: "replaced" });
	}

	/** Ends a request that failed to start, and the wait of queued turns. */
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
