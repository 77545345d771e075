import type { TurnEdit } from "#protocol/context.ts";
import type { ToHost } from "#protocol/panel.ts";
import { el, isTaken, textButton } from "./dom.ts";
import { keyOf, type MessagePlace } from "./host.ts";

/** Events of the editor of a turn. */
interface TurnEditorEvents {
	/** The text as it stands there now. */
	typed(text: string): void;
	/** Sends a text that is not blank, without surrounding blank space; returns why it cannot be sent, if so. */
	send(text: string): string | undefined;
	cancel(): void;
}

/** The editor that stands in place of a turn's text: Enter sends, Escape leaves the turn as it was. */
export function turnEditor(text: string, events: TurnEditorEvents): HTMLElement {
	const input = el("textarea", {
		attributes: { rows: "1", "aria-label": "Edit your message. Enter sends it, Escape leaves it as it was." },
	});
	input.value = text;
	input.addEventListener("input", () => events.typed(input.value));
	const note = el("p", { class: "turn-note", attributes: { role: "alert" } });
	const send = () => {
		const edited = input.value.trim();
		if (edited !== "") note.textContent = events.send(edited) ?? "";
	};
	const editor = el("div", {
		class: "turn-editor",
		children: [
			input,
			el("div", {
				class: "card-actions",
				children: [textButton("Send", "primary", send), textButton("Cancel", "secondary", () => events.cancel())],
			}),
			note,
		],
	});
	editor.addEventListener("keydown", (event) => {
		if (isTaken(event)) return;
		const isEnter = event.key === "Enter" && event.target === input && !event.shiftKey && !event.altKey;
		if (isEnter) send();
		else if (event.key === "Escape") events.cancel();
		else return;
		event.preventDefault();
		event.stopPropagation();
	});
	return editor;
}

/** Keyboard focus, if that is in the editor of a turn. */
export function editorCaret() {
	const input = document.activeElement;
	const message = input?.closest("article")?.dataset["id"];
	if (message === undefined || !(input instanceof HTMLTextAreaElement)) return undefined;
	return { message, start: input.selectionStart, end: input.selectionEnd };
}

/** Puts the keyboard into the editor of the turn in `article`, if it is open. */
export function goToEditor(article: HTMLElement, { start, end }: Record<"start" | "end", number>): void {
	const input = article.querySelector<HTMLTextAreaElement>(".turn-editor textarea");
	input?.focus();
	input?.setSelectionRange(start, end);
}

/** Text typed in place of turns. The host keeps it between pages, and gets each change. */
export class TurnEdits {
	readonly #post: (message: ToHost) => void;
	/** By conversation and turn; undefined where it was sent or left. */
	readonly #all = new Map<string, string | undefined>();

	constructor(post: (message: ToHost) => void) {
		this.#post = post;
	}

	/** Text typed in place of a turn; undefined where none is. */
	of(turn: MessagePlace): string | undefined {
		return this.#all.get(keyOf(turn));
	}

	/** Keeps what is typed in place of a turn; undefined once it was sent or left. */
	put(turn: MessagePlace, text: string | undefined): void {
		this.#all.set(keyOf(turn), text);
		this.#post({ type: "edit", ...turn, text: text ?? null });
	}

	/** Takes in what the host has kept: of a turn that was edited in this page it may be behind. */
	take(conversation: string, kept: readonly TurnEdit[]): void {
		for (const { message, text } of kept) {
			const key = keyOf({ conversation, message });
			if (!this.#all.has(key)) this.#all.set(key, text);
		}
	}
}
