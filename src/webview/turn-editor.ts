import type { TurnEdit } from "#protocol/context.ts";
import type { ToHost } from "#protocol/panel.ts";
import { el, isTaken, textButton } from "./dom.ts";
import { keyOf, type MessagePlace } from "./host.ts";

interface TurnEditorEvents {
	typed(text: string): void;
	/** Sends a trimmed text; returns the reason if it cannot be sent. */
	send(text: string): string | undefined;
	cancel(): void;
}

/** Creates the editor of a turn: Enter sends, Escape cancels. */
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

/** Selection in the focused editor of a turn, if any. */
export function editorCaret() {
	const input = document.activeElement;
	const message = input?.closest("article")?.dataset["id"];
	if (message === undefined || !(input instanceof HTMLTextAreaElement)) return undefined;
	return { message, start: input.selectionStart, end: input.selectionEnd };
}

/** Focuses the editor of the turn in `article`, if it is open. */
export function goToEditor(article: HTMLElement, { start, end }: Record<"start" | "end", number>): void {
	const input = article.querySelector<HTMLTextAreaElement>(".turn-editor textarea");
	input?.focus();
	input?.setSelectionRange(start, end);
}

/** Unsent edits of turns, which the host stores on each change. */
export class TurnEdits {
	readonly #post: (message: ToHost) => void;
	/** By conversation and turn; undefined once sent or canceled. */
	readonly #all = new Map<string, string | undefined>();

	constructor(post: (message: ToHost) => void) {
		this.#post = post;
	}

	of(turn: MessagePlace): string | undefined {
		return this.#all.get(keyOf(turn));
	}

	/** Stores the edit of a turn; undefined once it was sent or canceled. */
	put(turn: MessagePlace, text: string | undefined): void {
		this.#all.set(keyOf(turn), text);
		this.#post({ type: "edit", ...turn, text: text ?? null });
	}

	/** Loads the edits from the host, except for turns that were edited in this page. */
	take(conversation: string, kept: readonly TurnEdit[]): void {
		for (const { message, text } of kept) {
			const key = keyOf({ conversation, message });
			if (!this.#all.has(key)) this.#all.set(key, text);
		}
	}
}
