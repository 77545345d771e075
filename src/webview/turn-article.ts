import type { TurnView } from "#protocol/panel.ts";
import { chipList } from "./chips.ts";
import { el } from "./dom.ts";
import { type ActedMessage, ActionRow, type MessageArticle, type MessageRooms } from "./message-actions.ts";
import { PIECE_CHARS, staticText } from "./plain-text.ts";
import { goToEditor, turnEditor } from "./turn-editor.ts";
import { versionSwitcher } from "./version-switcher.ts";
import { timeOfDay } from "./words.ts";

/** Fills the article of the person's turn. */
export class TurnArticle implements ActedMessage {
	readonly role = "user";
	readonly slot: MessageArticle;
	readonly #text: string;
	readonly #actions: ActionRow;
	readonly #box = el("div", { class: "turn-box" });
	readonly #chips: HTMLElement[] = [];
	readonly #rooms: MessageRooms;

	constructor(turn: TurnView, slot: MessageArticle, rooms: MessageRooms) {
		this.slot = slot;
		this.#text = turn.text;
		this.#rooms = rooms;
		const { attachments = [] } = turn;
		const open = (id: string) => rooms.post({ type: "open-attachment", id });
		if (attachments.length > 0) this.#chips.push(chipList(attachments, { open, images: rooms.images }));
		const edited = rooms.edits.of(slot.place);
		if (edited === undefined) this.#show();
		else this.#open(edited);
		this.#actions = new ActionRow(this, rooms);
		slot.article.append(
			this.#box,
			el("footer", {
				class: "message-foot",
				children: [
					this.#actions.element,
					...versionSwitcher(turn, rooms.post),
					...(turn.at === undefined ? [] : [timeOfDay(turn.at)]),
				],
			}),
		);
	}

	shown(): string {
		return this.#text;
	}

	source(): string {
		return this.#text;
	}

	edit(): void {
		const text = this.#rooms.edits.of(this.slot.place) ?? this.#text;
		this.#rooms.edits.put(this.slot.place, text);
		this.#open(text);
		goToEditor(this.slot.article, { start: text.length, end: text.length });
	}

	#open(text: string): void {
		const editor = turnEditor(text, {
			typed: (typed) => this.#rooms.edits.put(this.slot.place, typed),
			send: (edited) => {
				if (this.#rooms.isBusy()) return "A reply is under way. Send this once it has ended.";
				this.#close();
				this.#rooms.post({ type: "edit-turn", message: this.slot.place.message, text: edited });
				return undefined;
			},
			cancel: () => {
				this.#close();
				this.slot.article.focus();
			},
		});
		if (this.slot.collapsed) this.slot.toggle();
		this.slot.article.classList.add("editing");
		this.#box.replaceChildren(...this.#chips, editor);
	}

	#close(): void {
		this.#rooms.edits.put(this.slot.place, undefined);
		this.#show();
	}

	#show(): void {
		this.slot.article.classList.remove("editing");
		const text = this.#text;
		const isLong = text.length > PIECE_CHARS;
		const shown = isLong ? staticText(text, "turn-text long") : el("div", { class: "turn-text", text });
		this.#box.replaceChildren(...this.#chips, shown);
	}

	/** Updates it after it was collapsed or expanded. */
	folded(): void {
		this.#actions.update();
	}
}
