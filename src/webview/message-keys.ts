import { APPROVAL } from "./call-block.ts";
import { isTaken } from "./dom.ts";
import type { MessageSlot } from "./message-slot.ts";
import type { Transcript } from "./transcript.ts";

/** Keyboard navigation of messages: Alt+Up and Alt+Down walk through them, Escape returns to the composer. */
export class MessageKeys {
	readonly #transcript: Transcript;
	readonly #compose: () => void;

	/** `compose` focuses the composer, which is below the last message. */
	constructor(transcript: Transcript, compose: () => void) {
		this.#transcript = transcript;
		this.#compose = compose;
		document.addEventListener("keydown", (event) => this.#onKey(event));
	}

	/** Focuses the last message; false if there is none. */
	focusLast(): boolean {
		return this.#focus([...this.#transcript.slots].at(-1));
	}

	#onKey(event: KeyboardEvent): void {
		const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event;
		if (ctrlKey || metaKey || shiftKey || isTaken(event)) return;
		const article = target instanceof Element ? target.closest("article") : null;
		const { element } = this.#transcript;
		if (article !== null && !element.contains(article)) return;
		const approval = altKey && key === "Enter" ? element.querySelector<HTMLElement>(`.${APPROVAL}`) : null;
		if (key === "Escape" && article !== null) this.#compose();
		else if (approval !== null) approval.focus();
		else if (altKey && (key === "ArrowUp" || key === "ArrowDown")) this.#walk(article, key === "ArrowUp" ? -1 : 1);
		else return;
		event.preventDefault();
	}

	#walk(from: Element | null, step: 1 | -1): void {
		const slots = [...this.#transcript.slots];
		const at = slots.findIndex(({ article }) => article === from);
		if (at === -1) {
			if (step === -1) this.#focus(slots.at(-1));
		} else if (at + step === slots.length) this.#compose();
		else this.#focus(slots[at + step]);
	}

	#focus(slot: MessageSlot | undefined): boolean {
		if (slot === undefined) return false;
		slot.build();
		slot.article.focus({ preventScroll: true });
		const view = this.#transcript.element.parentElement;
		const isLonger = slot.article.offsetHeight > (view?.clientHeight ?? 0);
		slot.article.scrollIntoView({ block: isLonger ? "start" : "nearest" });
		return true;
	}
}

const ROWS = ["versions", "message-actions"];

/** True if the focus came by keyboard; after a click it goes to the composer. */
export function isByKeyboard(): boolean {
	return document.activeElement?.matches(":focus-visible") ?? false;
}

/** Keyboard focus among the messages: id and index of the message, since versions differ in id, and row and name of a button. */
export function focusPlace({ slots }: Transcript) {
	const focused = document.activeElement;
	if (focused === null || !isByKeyboard()) return undefined;
	const all = [...slots];
	const at = all.findIndex(({ article }) => article.contains(focused));
	const slot = all[at];
	if (slot === undefined) return undefined;
	const row = ROWS.find((name) => focused.closest(`.${name}`) !== null);
	return { message: slot.message.id, at, row, name: focused.getAttribute("aria-label") };
}

/** Restores a lost focus to a button, its neighbor or the message. Returns the name of its version switcher to announce. */
export function returnFocus(
	{ message, at, row, name }: NonNullable<ReturnType<typeof focusPlace>>,
	transcript: Transcript,
): string | undefined {
	const slot = transcript.slot(message) ?? [...transcript.slots][at];
	if (slot === undefined || slot.article.contains(document.activeElement)) return undefined;
	slot.build();
	const all = [...slot.article.querySelectorAll<HTMLButtonElement>(`.${row} button`)];
	const usable = all.filter(({ disabled, hidden }) => !disabled && !hidden);
	const same = usable.find((each) => each.getAttribute("aria-label") === name);
	const beside = row === "versions" ? usable[0] : undefined;
	(same ?? beside ?? slot.article).focus({ preventScroll: true });
	return slot.article.querySelector(`.${row}[role="group"]`)?.getAttribute("aria-label") ?? undefined;
}
