import * as vscode from "vscode";
import { isAsking, type WaitingConversation } from "#app/chat/conversations.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { CHAT_EDITOR, CONTEXT, VIEWS } from "#app/contributions.ts";
import { type Disposable, DisposableStore, ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { ToPanel } from "#protocol/panel.ts";
import { leaving } from "../kit/leaving.ts";
import { tabIcon } from "../kit/page.ts";
import { notify } from "../kit/prompts.ts";
import { setting } from "../settings.ts";
import type { ChatRoom } from "./chat-room.ts";
import { PanelHost } from "./panel-host.ts";

/** Panels of the chat: the view in the sidebar and at most one editor tab, with the same conversation. */
export class ChatPanels implements Disposable {
	readonly #room: ChatRoom;
	readonly #held = new DisposableStore();
	#view: { readonly view: vscode.WebviewView; readonly host: PanelHost } | undefined;
	#tab: { readonly panel: vscode.WebviewPanel; readonly host: PanelHost } | undefined;
	#session: Disposable | undefined;
	/** Panel that had the focus last. */
	#last: PanelHost | undefined;
	/** Messages for a view that is not created yet. */
	#waiting: ToPanel[] = [];
	readonly #unseen: UnseenReplies;
	readonly #visibilityChanged = this.#held.add(new Emitter<void>());

	/** Fires when a panel was shown or hidden. */
	readonly onDidChangeVisibility = this.#visibilityChanged.event;

	constructor(room: ChatRoom) {
		this.#room = room;
		this.#unseen = this.#held.add(
			new UnseenReplies(room, {
				isVisible: () => this.isVisible,
				setBadge: (badge) => {
					if (this.#view !== undefined) this.#view.view.badge = badge;
				},
				reveal: () => this.reveal(),
			}),
		);
		this.#watch();
		this.#held.add(room.conversations.onDidShow(() => this.#watch()));
	}

	get isVisible(): boolean {
		return this.#view?.view.visible === true || this.#tab?.panel.visible === true;
	}

	openInEditor(): void {
		if (this.#tab !== undefined) this.#tab.panel.reveal();
		else this.adopt(vscode.window.createWebviewPanel(CHAT_EDITOR, "Chat", vscode.ViewColumn.Active));
	}

	/** Shows the chat and focuses the composer. */
	async reveal(): Promise<void> {
		await this.tell({ type: "focus" });
	}

	/** Focuses the last used visible panel, else the view, and sends it a message. */
	async tell(message: ToPanel): Promise<void> {
		const inView = this.#view?.view.visible === true && this.#last === this.#view.host;
		if (this.#tab?.panel.visible === true && !inView) {
			this.#tab.panel.reveal();
			this.#tab.host.tell(message);
			return;
		}
		await vscode.commands.executeCommand(`${VIEWS.chat}.focus`);
		// A new view may be created after the command.
		if (this.#view === undefined) this.#waiting.push(message);
		else this.#view.host.tell(message);
	}

	composerChanged(): void {
		const { chosen, registry } = this.#room;
		const own = chosen.get();
		const isOwn = own !== undefined && !registry.isEphemeral(own.id);
		void vscode.commands.executeCommand("setContext", CONTEXT.addedMessages, isOwn);
		for (const each of [this.#view, this.#tab]) each?.host.composerChanged();
	}

	dispose(): void {
		this.#session?.dispose();
		this.#held.dispose();
		this.#tab?.panel.dispose();
		this.#view?.host.dispose();
	}

	/** Serves the view of the sidebar. */
	showIn(view: vscode.WebviewView): void {
		const host = this.#serve(view, view.onDidChangeVisibility);
		this.#view = { view, host };
		for (const message of this.#waiting.splice(0)) host.tell(message);
		this.#updateVisibility();
	}

	/** Serves an editor tab, which replaces the one before. */
	adopt(panel: vscode.WebviewPanel): void {
		this.#tab?.panel.dispose();
		panel.iconPath = tabIcon(this.#room.extensionUri);
		this.#tab = { panel, host: this.#serve(panel, panel.onDidChangeViewState) };
		this.#updateVisibility();
	}

	/** Serves a view or a tab until it is closed; `changed` fires when it was shown or hidden. */
	#serve(place: vscode.WebviewView | vscode.WebviewPanel, changed: vscode.Event<unknown>): PanelHost {
		const host = new PanelHost(place.webview, this.#room, (from, inside) => this.#focused(from, inside));
		changed(() => {
			if (!place.visible) host.hidden();
			this.#updateVisibility();
		});
		place.onDidDispose(() => {
			if (this.#view?.host === host) this.#view = undefined;
			if (this.#tab?.host === host) this.#tab = undefined;
			host.dispose();
			this.#updateVisibility();
		});
		return host;
	}

	#updateVisibility(): void {
		this.#updateTitles();
		this.#unseen.update();
		this.#visibilityChanged.fire();
	}

	#focused(host: PanelHost, inside: boolean): void {
		// The panel that lost the focus may report last.
		if (!inside && this.#last !== host) return;
		this.#last = host;
		void vscode.commands.executeCommand("setContext", CONTEXT.focused, inside);
	}

	#watch(): void {
		this.#session?.dispose();
		const { active } = this.#room.conversations;
		let title = "";
		const refresh = () => {
			if (title !== active.title) this.#updateTitles();
			({ title } = active);
			void vscode.commands.executeCommand("setContext", CONTEXT.busy, active.busy);
		};
		refresh();
		this.#session = active.onDidChange((event) => {
			if (event.type !== "block") refresh();
		});
	}

	#updateTitles(): void {
		const { active } = this.#room.conversations;
		const title = active.entries.length > 0 ? leaving(active.title) : "";
		if (this.#view !== undefined) this.#view.view.description = title;
		if (this.#tab !== undefined) this.#tab.panel.title = title || "Chat";
	}
}

interface Sight {
	isVisible(): boolean;
	setBadge(badge: vscode.ViewBadge | undefined): void;
	reveal(): Promise<void>;
}

/** Badge of the view and notifications for ended replies and asking calls in hidden conversations. */
export class UnseenReplies extends ResourceOwner {
	readonly #conversations: ChatRoom["conversations"];
	readonly #sight: Sight;
	/** Unseen conversations, each with true if it asks. */
	readonly #unseen = new Map<string, boolean>();

	constructor({ conversations, store }: Pick<ChatRoom, "conversations" | "store">, sight: Sight) {
		super();
		this.#conversations = conversations;
		this.#sight = sight;
		this.held.add(conversations.onDidWait((waiting) => this.#add(waiting)));
		this.held.add(conversations.onDidShow(() => this.update()));
		this.held.add(
			store.onDidDelete((id) => {
				this.#unseen.delete(id);
				this.update();
			}),
		);
	}

	/** Updates the badge. A call that asks counts once its panel is hidden. */
	update(): void {
		const { active } = this.#conversations;
		if (this.#sight.isVisible()) this.#unseen.delete(active.id);
		else if (isAsking(active.entries.at(-1))) this.#unseen.set(active.id, true);
		const { size: value } = this.#unseen;
		const tooltip = value === 1 ? "1 conversation waits for you" : `${value} conversations wait for you`;
		this.#sight.setBadge(value === 0 ? undefined : { value, tooltip });
	}

	#add({ session, asks }: WaitingConversation): void {
		if (session === this.#conversations.active && this.#sight.isVisible()) return;
		if (this.#unseen.get(session.id) === asks) return;
		this.#unseen.set(session.id, asks);
		this.update();
		if (setting("switchboard.chat.notify")) void this.#notify(session, asks);
	}

	async #notify({ id, title }: ChatSession, asks: boolean): Promise<void> {
		const words = asks ? `A tool call in "${title}" waits for your approval.` : `The reply in "${title}" has ended.`;
		if ((await notify("Information", words, "Open Chat")) === undefined) return;
		const session = await this.#conversations.open(id);
		if (session !== undefined) this.#conversations.show(session);
		await this.#sight.reveal();
	}
}
