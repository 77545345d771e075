import { el, textButton } from "./dom.ts";

/** Events of the editor of a turn. */
export interface TurnEditorEvents {
	/** The text as it stands there now. */
	typed(text: string): void;
	/** A text that is not blank, without surrounding blank space; tells why it cannot be sent, if so. */
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
		if (event.isComposing || event.keyCode === 229) return;
		const isEnter = event.key === "Enter" && event.target === input && !event.shiftKey && !event.altKey;
		if (isEnter) send();
		else if (event.key === "Escape") events.cancel();
		else return;
		event.preventDefault();
		event.stopPropagation();
	});
	return editor;
}

/** Keyboard focus in the editor of a turn. */
export interface EditorCaret {
	readonly message: string;
	readonly start: number;
	readonly end: number;
}

/** Keyboard focus, if that is in the editor of a turn. */
export function editorCaret(): EditorCaret | undefined {
	const input = document.activeElement;
	const message = input?.closest("article")?.dataset["id"];
	if (message === undefined || !(input instanceof HTMLTextAreaElement)) return undefined;
	return { message, start: input.selectionStart, end: input.selectionEnd };
}

/** Puts the keyboard into the editor of the turn in `article`, if it is open. */
export function goToEditor(article: HTMLElement, { start, end }: Pick<EditorCaret, "start" | "end">): void {
	const input = article.querySelector<HTMLTextAreaElement>(".turn-editor textarea");
	input?.focus();
	input?.setSelectionRange(start, end);
}
