import * as vscode from "vscode";
import type { ListedConversation } from "#app/chat/conversation-store.ts";
import { partsOf } from "#app/chat/parts.ts";
import { search } from "#app/chat/search.ts";
import type { CommandId } from "#app/contributions.ts";
import type { Disposable } from "#base/disposables.ts";
import { msInWords } from "#base/duration.ts";
import { leaving } from "../kit/leaving.ts";
import { withoutIcons } from "../kit/plain.ts";
import { syntheticRow } from "../kit/tree.ts";
import type { ChatRoom } from "./chat-room.ts";

/** Debounce of the search, in ms. */
const TYPING_MS = 150;

/** Minimum interval between updates of the matches, in ms. */
const DRAW_EVERY_MS = 100;

/** Maximum number of listed conversations: the editor is slow with many rows. */
const MOST_LISTED = 1_000;

const MOST_FOUND = 100;

interface HistoryRow extends vscode.QuickPickItem {
	readonly conversation?: ListedConversation;
	readonly message?: string | undefined;
	/** True for the row that reads the history again. */
	readonly isRetry?: boolean;
}

const PIN = button("pin", "Pin", "switchboard.chat.pin");
const UNPIN = button("pinned", "Unpin", "switchboard.chat.pin");
const OTHERS = [
	button("edit", "Rename...", "switchboard.chat.rename"),
	button("export", "Export...", "switchboard.chat.export"),
	button("trash", "Delete", "switchboard.chat.delete"),
];

/** Button of a row that runs a command on the conversation. */
function button(icon: string, tooltip: string, command: CommandId) {
	return { iconPath: new vscode.ThemeIcon(icon), tooltip, command };
}

/** List of all conversations, with a search in their text. */
class HistoryPick implements Disposable {
	readonly #room: ChatRoom;
	readonly #pick = vscode.window.createQuickPick<HistoryRow>();
	readonly #changes: Disposable;
	#typing: Disposable | undefined;
	#searching = new AbortController();

	constructor(room: ChatRoom) {
		this.#room = room;
		const pick = this.#pick;
		pick.title = "Conversations";
		pick.placeholder = "Search in the text of all conversations";
		pick.keepScrollPosition = true;
		pick.onDidChangeValue(() => this.#drawSoon(TYPING_MS));
		// A reply that arrives somewhere must not restart the search.
		this.#changes = room.store.onDidChange(() => {
			if (pick.value.trim() === "" && this.#typing === undefined) this.#drawSoon(2 * TYPING_MS);
		});
		pick.onDidTriggerItemButton(({ item: { conversation }, button }) => {
			const pressed = [PIN, UNPIN, ...OTHERS].find((each) => each === button);
			if (pressed === undefined || conversation === undefined) return;
			const row = syntheticRow({ conversation: conversation.id });
			void vscode.commands.executeCommand(pressed.command, row).then(() => this.#draw());
		});
	}

	/** Resolves to the chosen row and the query, or undefined if the person leaves. */
	async ask(): Promise<{ readonly row: HistoryRow; readonly query: string } | undefined> {
		const pick = this.#pick;
		pick.show();
		void this.#draw();
		return new Promise((resolve) => {
			let row: HistoryRow | undefined;
			pick.onDidAccept(() => {
				row = pick.selectedItems[0];
				if (row?.isRetry) void this.#draw();
				else if (row !== undefined) pick.hide();
			});
			pick.onDidHide(() => resolve(row && { row, query: pick.value.trim() }));
		});
	}

	dispose(): void {
		this.#changes.dispose();
		this.#typing?.dispose();
		this.#searching.abort();
		this.#pick.dispose();
	}

	#drawSoon(ms: number): void {
		this.#typing?.dispose();
		this.#typing = this.#room.clock.after(ms, () => {
			this.#typing = undefined;
			void this.#draw();
		});
	}

	async #draw(): Promise<void> {
		this.#searching.abort();
		this.#searching = new AbortController();
		const { signal } = this.#searching;
		const pick = this.#pick;
		pick.busy = true;
		const query = pick.value;
		const rows = await this.#rows(query, signal).catch((error: Error): HistoryRow[] => [
			{ label: "Retry", detail: withoutIcons(error.message), alwaysShow: true, isRetry: true },
		]);
		if (signal.aborted) return;
		const none = query.trim() === "" ? "There is no conversation yet." : "No conversation has this text.";
		const active = query.trim() === "" ? pick.activeItems[0]?.conversation?.id : undefined;
		pick.items = rows.length > 0 ? rows : [{ label: none, alwaysShow: true }];
		const again = active === undefined ? undefined : rows.find(({ conversation }) => conversation?.id === active);
		if (again !== undefined) pick.activeItems = [again];
		pick.busy = false;
	}

	/** Rows of all conversations, or of the matches, which are shown as they are found. */
	async #rows(query: string, signal: AbortSignal): Promise<HistoryRow[]> {
		const { store, files, clock } = this.#room;
		const conversations = await store.list();
		if (query.trim() === "") {
			const newest = conversations.slice(0, MOST_LISTED);
			const more = conversations.length - newest.length;
			const last = more > 0 ? [{ label: `${more} older conversations`, description: "Type to search them" }] : [];
			return [...newest.flatMap((each, n) => this.#listed(each, conversations[n - 1])), ...last];
		}
		const rows: HistoryRow[] = [];
		let drawn = clock.monotonic();
		for await (const { conversation, snippet, message } of search(query, conversations, files, signal)) {
			rows.push({ ...this.#row(conversation, snippet), message });
			if (rows.length >= MOST_FOUND) break;
			if (clock.monotonic() - drawn < DRAW_EVERY_MS) continue;
			drawn = clock.monotonic();
			this.#pick.items = [...rows];
		}
		return rows;
	}

	/** Row of a conversation, with a heading above the first of the pinned ones and of the others. */
	#listed(conversation: ListedConversation, before: ListedConversation | undefined): HistoryRow[] {
		const { pinned, snippet } = conversation;
		const row = this.#row(conversation, snippet);
		const isFirst = before === undefined ? pinned : before.pinned && !pinned;
		const kind = vscode.QuickPickItemKind.Separator;
		return isFirst ? [{ label: pinned ? "Pinned" : "Others", kind }, row] : [row];
	}

	#row(conversation: ListedConversation, snippet: string): HistoryRow {
		const { conversations, clock } = this.#room;
		const { id, title, at, pinned } = conversation;
		const ago = clock.now() - at;
		const facts = [
			...(at > 0 ? [ago < 90_000 ? "just now" : `${msInWords(ago)} ago`] : []),
			...(id === conversations.active.id ? ["on screen"] : []),
			...(conversations.get(id)?.busy ? ["receiving a reply"] : []),
		];
		return {
			conversation,
			label: withoutIcons(leaving(title)),
			description: facts.join(", "),
			detail: withoutIcons(leaving(snippet)),
			// The editor's own filter does not see the text of a conversation.
			alwaysShow: true,
			buttons: [pinned ? UNPIN : PIN, ...OTHERS],
		};
	}
}

/** Shows the conversation that the person chooses, at the match; undefined if they leave. */
export async function showPicked(parts: ChatRoom): Promise<{ conversation: string } | undefined> {
	const { conversations, panels } = parts;
	const pick = new HistoryPick(parts);
	try {
		const { row, query } = (await pick.ask()) ?? {};
		const id = row?.conversation?.id;
		// It may have been deleted in another window meanwhile.
		const session = id === undefined ? undefined : await conversations.open(id, { restore: true });
		if (session === undefined) return undefined;
		// It may be in a version that is not on screen.
		const message = row?.message;
		if (message !== undefined && !session.isReadOnly && !session.entries.some(({ id }) => id === message)) {
			session.choose(message);
		}
		conversations.show(session);
		await panels.reveal();
		// Joined parts have the id of the first.
		const shown = message && (partsOf(message, session.entries)[0]?.id ?? message);
		if (shown !== undefined && query !== undefined) await panels.tell({ type: "find", text: query, message: shown });
		return { conversation: session.id };
	} finally {
		pick.dispose();
	}
}
