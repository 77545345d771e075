import type { TurnView as Turn } from "#protocol/panel.ts";
import { chipList } from "./chips.ts";
import { el } from "./dom.ts";
import { type ActedMessage, ActionRow, type MessageEvents } from "./message-actions.ts";
import { PIECE_CHARS, PlainText } from "./plain-text.ts";
import { goToEditor, turnEditor } from "./turn-editor.ts";
import { versionSwitcher } from "./version-switcher.ts";
import { timeOfDay } from "./words.ts";

/** Fills the article of the person's turn: their text as they typed it, and the line under it. */
export class TurnView implements ActedMessage {
	readonly role = "user";
	readonly id: string;
	readonly #text: string;
	readonly #article: HTMLElement;
	readonly #actions: ActionRow;
	readonly #box = el("div", { class: "turn-box" });
	readonly #chips: HTMLElement[] = [];
	readonly #events: MessageEvents;

	constructor(turn: Turn, article: HTMLElement, events: MessageEvents) {
		this.id = turn.id;
		this.#text = turn.text;
		this.#article = article;
		this.#events = events;
		this.#actions = new ActionRow(this, events);
		const { attachments = [] } = turn;
		if (attachments.length > 0) this.#chips.push(chipList(attachments, { open: (id) => events.openAttachment(id) }));
		article.append(
			this.#box,
			el("footer", {
				class: "message-foot",
				children: [
					this.#actions.element,
					...versionSwitcher(turn, events),
					...(turn.at === undefined ? [] : [timeOfDay(turn.at)]),
				],
			}),
		);
		const edited = events.edited(turn.id);
		if (edited === undefined) this.#show();
		else this.#open(edited);
	}

	get collapsed(): boolean {
		return this.#article.classList.contains("collapsed");
	}

	shown(): string {
		return this.#text;
	}

	source(): string {
		return this.#text;
	}

	edit(): void {
		const text = this.#events.edited(this.id) ?? this.#text;
		this.#events.editing(this.id, text);
		this.#open(text);
		goToEditor(this.#article, { start: text.length, end: text.length });
	}

	#open(text: string): void {
		const editor = turnEditor(text, {
			typed: (typed) => this.#events.editing(this.id, typed),
			send: (edited) => {
				if (this.#events.isBusy()) return "A reply is under way. Send this once it has ended.";
				this.#close();
				this.#events.ask({ type: "edit-turn", message: this.id, text: edited });
				return undefined;
			},
			cancel: () => {
				this.#close();
				this.#article.focus();
			},
		});
		if (this.collapsed) this.toggle();
		this.#article.classList.add("editing");
		this.#box.replaceChildren(...this.#chips, editor);
	}

	#close(): void {
		this.#events.editing(this.id, undefined);
		this.#show();
	}

	#show(): void {
		this.#article.classList.remove("editing");
		this.#box.replaceChildren(...this.#chips, this.#textElement());
	}

	#textElement(): HTMLElement {
		if (this.#text.length <= PIECE_CHARS) return el("div", { class: "turn-text", text: this.#text });
		const text = new PlainText("turn-text long");
		text.append(this.#text);
		return text.element;
	}

	toggle(): void {
		this.#events.collapsed(this.id, this.#article.classList.toggle("collapsed"));
		this.#actions.update();
	}
}
