import { randomWord } from "#base/clock.ts";
import { type Disposable, ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { invalid } from "#base/errors.ts";
import type { Entry } from "./conversation.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { ChatSession, type SessionParts } from "./session.ts";

/** Number of idle conversations that stay open (LRU). */
const STAY_OPEN = 3;

/** Grace period before an unused conversation may be evicted, in ms. */
const STAY_MS = 1_000;

/** Conversation that needs attention: a call asks, or the reply has ended. */
export interface WaitingConversation {
	readonly session: ChatSession;
	readonly asks: boolean;
}

/** True if a call of the entry needs approval. */
export function isAsking(entry: Entry | undefined): boolean {
	return entry?.role === "assistant" && entry.calls.some(({ state }) => state === "asking");
}

/** Open conversations of the window, one of them on screen. */
export class Conversations extends ResourceOwner {
	readonly #parts: SessionParts;
	readonly #store: ConversationStore | undefined;
	/** By id, the one used last last. */
	readonly #sessions = new Map<string, ChatSession>();
	readonly #opening = new Map<string, Promise<ChatSession | undefined>>();
	readonly #closing = new Map<string, Promise<void>>();
	readonly #shown = this.held.add(new Emitter<ChatSession>());
	readonly #worked = this.held.add(new Emitter<void>());
	readonly #waited = this.held.add(new Emitter<WaitingConversation>());
	#active: ChatSession | undefined;
	#tidying: Disposable | undefined;

	/** Without a store, conversations are not saved. */
	constructor(parts: SessionParts, store?: ConversationStore) {
		super();
		this.#parts = parts;
		this.#store = store;
	}

	/** Fires when another conversation comes on screen. */
	readonly onDidShow = this.#shown.event;

	/** Fires at the start and the end of each reply. */
	readonly onDidWork = this.#worked.event;

	/** Fires when a reply has ended that the person did not stop, and when a call asks. */
	readonly onDidWait = this.#waited.event;

	/** Conversations with a reply under way. */
	get busy(): readonly ChatSession[] {
		return [...this.#sessions.values()].filter((session) => session.busy);
	}

	get active(): ChatSession {
		this.#active ??= this.create();
		return this.#active;
	}

	get(id: string): ChatSession | undefined {
		return this.#sessions.get(id);
	}

	/** Opens a stored conversation; undefined if there is none, or it was deleted and is not to be restored. */
	async open(id: string, { restore = false }: { readonly restore?: boolean } = {}): Promise<ChatSession | undefined> {
		const session = this.#sessions.get(id);
		if (session !== undefined) return session;
		// A pending call may not restore it.
		const before = restore ? undefined : this.#opening.get(id);
		const opening = before ?? this.#open(id, restore).finally(() => this.#opening.delete(id));
		this.#opening.set(id, opening);
		return opening;
	}

	/** Opens the conversation of an id, by default that on screen. Rejects with `invalid` if there is none. */
	async require(id?: string): Promise<ChatSession> {
		const session = id === undefined ? this.active : await this.open(id);
		if (session === undefined) throw invalid("messages", "conversation", `"${id}" is not one of the conversations`);
		return session;
	}

	create(id = this.newId()): ChatSession {
		return this.#add(new ChatSession(id, this.#parts));
	}

	show(session: ChatSession): void {
		if (this.#active === session) return;
		this.#active = session;
		this.#use(session);
		this.#shown.fire(session);
		this.#tidySoon();
	}

	/** Returns the conversation on screen if it is empty, else a new one. */
	empty(): ChatSession {
		const { active } = this;
		const isEmpty = active.entries.length === 0 && !active.busy && this.#store?.drafts.has(active.id) !== true;
		return isEmpty ? active : this.create();
	}

	/** Generates the id of a conversation. */
	newId(): string {
		return `chat-${randomWord(this.#parts.clock, 8)}`;
	}

	override dispose(): void {
		this.#tidying?.dispose();
		for (const session of this.#sessions.values()) session.dispose();
		super.dispose();
	}

	async #open(id: string, restore: boolean): Promise<ChatSession | undefined> {
		await this.#closing.get(id);
		const kept = await this.#store?.open(id);
		const isDeleted = kept?.gone !== undefined;
		if (isDeleted && restore) await this.#store?.change(id, { t: "gone", at: null });
		// It may have been created meanwhile.
		const session = this.#sessions.get(id);
		if (session !== undefined || kept === undefined || (isDeleted && !restore)) return session;
		const opened = this.#add(new ChatSession(id, this.#parts, kept));
		opened.resume();
		return opened;
	}

	#add(session: ChatSession): ChatSession {
		this.#sessions.set(session.id, session);
		this.#store?.follow(session);
		session.onDidChange((event) => {
			if (event.type === "appended") this.#use(session);
			const hasEnded = event.type === "reply" && event.entry.ended !== undefined;
			if (hasEnded) this.#tidySoon();
			if (hasEnded || event.type === "appended") this.#worked.fire();
			const asks = event.type === "reply" && isAsking(event.entry);
			const isOver = hasEnded && !session.busy && event.entry.ended?.outcome !== "stopped";
			if (asks || isOver) this.#waited.fire({ session, asks });
		});
		this.#tidySoon();
		return session;
	}

	#use(session: ChatSession): void {
		if (this.#sessions.delete(session.id)) this.#sessions.set(session.id, session);
	}

	#tidySoon(): void {
		if (this.#sessions.size <= STAY_OPEN + 1) return;
		this.#tidying ??= this.#parts.clock.after(STAY_MS, () => this.#tidy());
	}

	#tidy(): void {
		this.#tidying = undefined;
		const idle = [...this.#sessions.values()].filter((session) => session !== this.#active && !session.busy);
		for (const session of idle.slice(0, Math.max(0, idle.length - STAY_OPEN))) {
			this.#sessions.delete(session.id);
			const closing = Promise.resolve(this.#store?.close(session)).then((isKept = true) => {
				if (isKept) session.dispose();
				else this.#sessions.set(session.id, session);
				this.#closing.delete(session.id);
			});
			this.#closing.set(session.id, closing);
		}
	}
}
