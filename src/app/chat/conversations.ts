import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { FoundConversation } from "./saved-conversation.ts";
import { ChatSession, type SessionParts } from "./session.ts";

/** All conversations of the window, and which of them is on screen. */
export class Conversations implements Disposable {
	readonly #parts: SessionParts;
	readonly #sessions = new Map<string, ChatSession>();
	readonly #shown = new Emitter<ChatSession>();
	readonly #follow: (session: ChatSession) => void;
	#active: ChatSession | undefined;

	/** `follow` is told of every conversation as soon as there is one. */
	constructor(parts: SessionParts, follow: (session: ChatSession) => void = () => undefined) {
		this.#parts = parts;
		this.#follow = follow;
	}

	/** Fires when another conversation comes on screen. */
	readonly onDidShow = this.#shown.event;

	/** The conversation on screen; there is always one. */
	get active(): ChatSession {
		this.#active ??= this.create();
		return this.#active;
	}

	/** Newest first; empty ones are not worth a row. */
	list(): readonly ChatSession[] {
		return [...this.#sessions.values()].filter((session) => session.entries.length > 0).reverse();
	}

	get(id: string): ChatSession | undefined {
		return this.#sessions.get(id);
	}

	/** A new conversation, under a name of the caller's own or one made here. */
	create(id = this.#newId()): ChatSession {
		return this.#add(new ChatSession(id, this.#parts));
	}

	/** Takes in the conversations of earlier windows, newest first, and shows the newest if nothing else has begun. */
	restore(found: readonly FoundConversation[]): void {
		const present = [...this.#sessions.values()];
		this.#sessions.clear();
		const newest = [...found]
			.reverse()
			.filter(({ id }) => !present.some((session) => session.id === id))
			.map(({ id, entries }) => this.#add(new ChatSession(id, this.#parts, entries)))
			.at(-1);
		for (const session of present) this.#sessions.set(session.id, session);
		if (newest !== undefined && this.active.entries.length === 0) this.show(newest);
	}

	show(session: ChatSession): void {
		if (this.#active === session) return;
		this.#active = session;
		this.#shown.fire(session);
	}

	/** An empty conversation to begin in: the one on screen if it is still empty, else a new one. */
	empty(): ChatSession {
		const { active } = this;
		return active.entries.length === 0 && !active.busy ? active : this.create();
	}

	dispose(): void {
		for (const session of this.#sessions.values()) session.dispose();
		this.#shown.dispose();
	}

	#add(session: ChatSession): ChatSession {
		this.#sessions.set(session.id, session);
		this.#follow(session);
		return session;
	}

	#newId(): string {
		for (;;) {
			const id = `chat-${Math.floor(this.#parts.clock.random() * 36 ** 8)
				.toString(36)
				.padStart(8, "0")}`;
			if (!this.#sessions.has(id)) return id;
		}
	}
}
