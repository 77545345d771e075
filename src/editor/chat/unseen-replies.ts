import * as vscode from "vscode";
import { isAsking, type WaitingConversation } from "#app/chat/conversations.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { withoutLinks } from "../kit/plain.ts";
import { notifies } from "../settings.ts";
import type { ChatRoom } from "./chat-room.ts";

/** Places where the chat is shown, as far as it matters what is seen there. */
interface Sight {
	/** True while one of them shows the conversation on screen. */
	isInSight(): boolean;
	setBadge(badge: vscode.ViewBadge | undefined): void;
	reveal(): Promise<void>;
}

/** Ended replies and asking calls that nobody has seen: the view's badge, and a notification if the person wants one. */
export class UnseenReplies implements Disposable {
	readonly #conversations: ChatRoom["conversations"];
	readonly #sight: Sight;
	readonly #held = new DisposableStore();
	/** The conversations that wait, each with true if it asks. */
	readonly #unseen = new Map<string, boolean>();

	constructor({ conversations, store }: Pick<ChatRoom, "conversations" | "store">, sight: Sight) {
		this.#conversations = conversations;
		this.#sight = sight;
		this.#held.add(conversations.onDidWait((waiting) => this.#add(waiting)));
		this.#held.add(conversations.onDidShow(() => this.update()));
		this.#held.add(
			store.onDidDelete((id) => {
				this.#unseen.delete(id);
				this.update();
			}),
		);
	}

	/** Reads again what is in sight. A call that asks while its panel goes out of sight waits unseen from then on. */
	update(): void {
		const { active } = this.#conversations;
		if (this.#sight.isInSight()) this.#unseen.delete(active.id);
		else if (isAsking(active.entries.at(-1))) this.#unseen.set(active.id, true);
		const { size: value } = this.#unseen;
		const tooltip = value === 1 ? "1 conversation waits for you" : `${value} conversations wait for you`;
		this.#sight.setBadge(value === 0 ? undefined : { value, tooltip });
	}

	dispose(): void {
		this.#held.dispose();
	}

	#add({ session, asks }: WaitingConversation): void {
		if (session === this.#conversations.active && this.#sight.isInSight()) return;
		if (this.#unseen.get(session.id) === asks) return;
		this.#unseen.set(session.id, asks);
		this.update();
		if (notifies()) void this.#notify(session, asks);
	}

	async #notify({ id, title }: ChatSession, asks: boolean): Promise<void> {
		const words = asks ? `A tool call in "${title}" waits for your approval.` : `The reply in "${title}" has ended.`;
		const open = "Open Chat";
		if ((await vscode.window.showInformationMessage(withoutLinks(words), open)) !== open) return;
		const session = await this.#conversations.open(id);
		if (session !== undefined) this.#conversations.show(session);
		await this.#sight.reveal();
	}
}
