import * as vscode from "vscode";
import type { ListedConversation } from "#app/chat/conversation-index.ts";
import { partsOf } from "#app/chat/parts.ts";
import { type FoundPlace, search } from "#app/chat/search.ts";
import type { CommandId } from "#app/contributions.ts";
import type { Disposable } from "#base/disposables.ts";
import { inWords } from "#base/duration.ts";
import { withoutIcons } from "../kit/plain.ts";
import { asked } from "../kit/tree.ts";
import type { ChatRoom } from "./chat-room.ts";

/** A search begins when nothing was typed for so long. Milliseconds. */
const TYPING_MS = 150;

/** Rows with found places are added so often at most. Milliseconds. */
const DRAW_EVERY_MS = 100;

/** Found conversations that are shown. */
const MOST_FOUND = 100;

interface HistoryRow extends vscode.QuickPickItem {
	readonly conversation?: ListedConversation;
	/** Place of the match; without a message, the beginning of the conversation. */
	readonly place?: Place;
	/** Reads the history again. */
	readonly isRetry?: boolean;
}

type Place = Pick<FoundPlace, "snippet"> & Partial<Pick<FoundPlace, "message">>;

/** A button of a row, and the command that it runs; the list stays while `stays`. */
interface RowButton extends vscode.QuickInputButton {
	readonly command: CommandId;
	readonly stays: boolean;
}

const PIN = button("pin", "Pin", "switchboard.chat.pin", true);
const UNPIN = button("pinned", "Unpin", "switchboard.chat.pin", true);
const OTHERS = [
	button("edit", "Rename...", "switchboard.chat.rename", false),
	button("export", "Export...", "switchboard.chat.export", false),
	button("trash", "Delete", "switchboard.chat.delete", true),
];

function button(icon: string, tooltip: string, command: CommandId, stays: boolean): RowButton {
	return { iconPath: new vscode.ThemeIcon(icon), tooltip, command, stays };
}

/** The list of all conversations, in which typing searches their text. */
class HistoryPick implements Disposable {
	readonly #parts: ChatRoom;
	readonly #pick = vscode.window.createQuickPick<HistoryRow>();
	readonly #changes: Disposable;
	#typing: Disposable | undefined;
	#searching: AbortController | undefined;

	constructor(parts: ChatRoom) {
		this.#parts = parts;
		this.#changes = parts.store.onDidChange(() => this.#changed());
		const pick = this.#pick;
		pick.title = "Conversations";
		pick.placeholder = "Search in the text of all conversations";
		pick.onDidChangeValue(() => this.#drawSoon(TYPING_MS));
		pick.onDidTriggerItemButton(({ item: { conversation }, button }) => {
			const pressed = [PIN, UNPIN, ...OTHERS].find((each) => each === button);
			if (pressed === undefined || conversation === undefined) return;
			if (!pressed.stays) pick.hide();
			const { id, pinned } = conversation;
			const argument =
				pressed.command === "switchboard.chat.pin"
					? { conversation: id, pinned: !pinned }
					: asked({ conversation: id });
			void vscode.commands.executeCommand(pressed.command, argument).then(() => {
				if (pressed.stays) void this.#draw();
			});
		});
	}

	/** Resolves to the chosen row and what was searched for, or undefined when the person leaves. */
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
		this.#searching?.abort();
		this.#pick.dispose();
	}

	/** Found rows stay: a reply that arrives somewhere would make the search begin again and again. */
	#changed(): void {
		if (this.#pick.value.trim() === "" && this.#typing === undefined) this.#drawSoon(2 * TYPING_MS);
	}

	#drawSoon(ms: number): void {
		this.#typing?.dispose();
		this.#typing = this.#parts.clock.after(ms, () => {
			this.#typing = undefined;
			void this.#draw();
		});
	}

	async #draw(): Promise<void> {
		this.#searching?.abort();
		const searching = new AbortController();
		this.#searching = searching;
		const { store, files, clock } = this.#parts;
		const pick = this.#pick;
		pick.busy = true;
		const conversations = await store.list().catch((error: Error) => error);
		if (searching.signal.aborted) return;
		if (conversations instanceof Error) {
			this.#show([{ label: "Retry", detail: withoutIcons(conversations.message), alwaysShow: true, isRetry: true }]);
			pick.busy = false;
			return;
		}
		const query = pick.value;
		const rows: HistoryRow[] = [];
		if (query.trim() === "") {
			for (const [n, each] of conversations.entries()) {
				const before = conversations[n - 1];
				if (before === undefined ? each.pinned : before.pinned && !each.pinned) {
					rows.push({ label: each.pinned ? "Pinned" : "Others", kind: vscode.QuickPickItemKind.Separator });
				}
				rows.push(this.#row(each, { snippet: each.snippet }));
			}
		} else {
			let drawn = clock.monotonic();
			for await (const found of search(query, { files, conversations, signal: searching.signal })) {
				rows.push(this.#row(found.conversation, { snippet: found.snippet, message: found.message }));
				if (rows.length >= MOST_FOUND) break;
				if (clock.monotonic() - drawn < DRAW_EVERY_MS) continue;
				drawn = clock.monotonic();
				pick.items = [...rows];
			}
			if (searching.signal.aborted) return;
		}
		this.#show(rows, query.trim() === "" ? pick.activeItems[0]?.conversation?.id : undefined);
		pick.busy = false;
	}

	/** Shows the rows, that of the conversation that was active still active. */
	#show(rows: readonly HistoryRow[], active?: string): void {
		const pick = this.#pick;
		const none = pick.value.trim() === "" ? "There is no conversation yet." : "No conversation has this text.";
		pick.keepScrollPosition = true;
		pick.items = rows.length > 0 ? rows : [{ label: none, alwaysShow: true }];
		const again = active === undefined ? undefined : rows.find(({ conversation }) => conversation?.id === active);
		if (again !== undefined) pick.activeItems = [again];
	}

	#row(conversation: ListedConversation, place: Place): HistoryRow {
		const { conversations, clock, redactor } = this.#parts;
		const { id, title, at, pinned } = conversation;
		const session = conversations.get(id);
		const facts = [
			at > 0 ? agoInWords(clock.now() - at) : "",
			id === conversations.active.id ? "on screen" : "",
			session?.busy === true ? "receiving a reply" : "",
		];
		return {
			...{ conversation, place },
			label: withoutIcons(redactor.leaving(title)),
			description: facts.filter((fact) => fact !== "").join(", "),
			detail: withoutIcons(redactor.leaving(place.snippet)),
			// What is found is found in the text, which the editor does not know.
			alwaysShow: true,
			buttons: [pinned ? UNPIN : PIN, ...OTHERS],
		};
	}
}

/** Lets the person choose a conversation and shows it, at the place that was searched for; undefined when they leave. */
export async function showPicked(parts: ChatRoom): Promise<{ conversation: string } | undefined> {
	const { conversations, panels } = parts;
	const pick = new HistoryPick(parts);
	try {
		const { row, query } = (await pick.ask()) ?? {};
		const id = row?.conversation?.id;
		// It may have been deleted in another window while the list was looked at.
		const session = id === undefined ? undefined : await conversations.open(id, { restore: true });
		if (session === undefined) return undefined;
		// It may stand in a version that is not the one on screen.
		const message = row?.place?.message;
		if (message !== undefined && !session.isReadOnly && !session.entries.some(({ id }) => id === message)) {
			session.choose(message);
		}
		conversations.show(session);
		await panels.reveal();
		// What is shown as one reply bears the id of its first part.
		const shown = message && (partsOf(message, session.entries)[0]?.id ?? message);
		if (shown !== undefined && query !== undefined) await panels.tell({ type: "find", text: query, message: shown });
		return { conversation: session.id };
	} finally {
		pick.dispose();
	}
}

function agoInWords(ms: number): string {
	return ms < 60_000 ? "just now" : `${inWords(ms)} ago`;
}
