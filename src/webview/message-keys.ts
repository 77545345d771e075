import type { MessageSlot } from "./message-slot.ts";
import type { Transcript } from "./transcript.ts";

/** Rooms that the keys between messages work with. */
export interface MessageKeysOptions {
	readonly transcript: Transcript;
	/** Puts the keyboard into the composer, which stands below the last message. */
	compose(): void;
}

/** Puts the keyboard focus on messages: Alt+Up and Alt+Down walk through them, Escape leads back to the composer. */
export class MessageKeys {
	readonly #options: MessageKeysOptions;

	constructor(options: MessageKeysOptions) {
		this.#options = options;
		document.addEventListener("keydown", (event) => this.#onKey(event));
	}

	/** Goes to the last message; false where there is none. */
	focusLast(): boolean {
		return this.#focus([...this.#options.transcript.slots].at(-1));
	}

	#onKey(event: KeyboardEvent): void {
		const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event;
		if (ctrlKey || metaKey || shiftKey || event.isComposing) return;
		const article = target instanceof Element ? target.closest("article") : null;
		if (article !== null && !this.#options.transcript.element.contains(article)) return;
		if (key === "Escape" && article !== null) this.#options.compose();
		else if (altKey && (key === "ArrowUp" || key === "ArrowDown")) this.#walk(article, key === "ArrowUp" ? -1 : 1);
		else return;
		event.preventDefault();
	}

	#walk(from: Element | null, step: 1 | -1): void {
		const slots = [...this.#options.transcript.slots];
		const at = slots.findIndex(({ article }) => article === from);
		if (at === -1) {
			if (step === -1) this.#focus(slots.at(-1));
		} else if (at + step === slots.length) this.#options.compose();
		else this.#focus(slots[at + step]);
	}

	#focus(slot: MessageSlot | undefined): boolean {
		if (slot === undefined) return false;
		this.#options.transcript.reach(slot);
		slot.article.focus({ preventScroll: true });
		const view = this.#options.transcript.element.parentElement;
		const isLonger = slot.article.offsetHeight > (view?.clientHeight ?? 0);
		// Of one that is longer than the view its beginning is what is read first.
		slot.article.scrollIntoView({ block: isLonger ? "start" : "nearest" });
		return true;
	}
}
