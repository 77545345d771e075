import type { ComposerView } from "#protocol/panel.ts";
import { el, icon, iconButton } from "./dom.ts";
import { TurnHistory } from "./history.ts";

/** What the composer asks of the panel. */
export interface ComposerEvents {
	/** The person's turn, without surrounding blank space and never empty. */
	send(text: string): void;
	stop(): void;
	/** The draft changed. */
	drafted(draft: string): void;
	selectConnection(): void;
	addConnection(): void;
	/** Something to tell the person without moving the focus. */
	announce(text: string): void;
}

/** The box a person types into. It is never disabled: the next turn can be written while a reply arrives. */
export class Composer {
	readonly element: HTMLElement;
	readonly history = new TurnHistory();
	readonly #events: ComposerEvents;
	readonly #input: HTMLTextAreaElement;
	readonly #send: HTMLButtonElement;
	readonly #stop: HTMLButtonElement;
	readonly #target: HTMLButtonElement;
	readonly #targetWords: HTMLElement;
	#view: ComposerView = { busy: false };

	constructor(draft: string, events: ComposerEvents) {
		this.#events = events;
		this.#input = el("textarea", {
			attributes: {
				id: "composer",
				rows: "1",
				placeholder: "Ask anything",
				"aria-label": "Message. Enter sends, Shift+Enter breaks the line.",
				spellcheck: "true",
			},
		});
		this.#input.value = draft;
		this.#send = iconButton("send", "Send (Enter)", () => this.#submit());
		this.#send.id = "send";
		this.#stop = iconButton("debug-stop", "Stop (Escape)", () => {
			events.stop();
			this.focus();
		});
		this.#stop.id = "stop";
		this.#targetWords = el("span", { class: "target-words" });
		this.#target = el("button", {
			class: "target",
			attributes: { type: "button", id: "target" },
			children: [icon("plug"), this.#targetWords, icon("chevron-down")],
		});
		this.#target.addEventListener("click", () => {
			if (this.#view.connection === undefined) events.addConnection();
			else events.selectConnection();
		});
		this.element = el("footer", {
			class: "composer",
			children: [
				el("div", {
					class: "composer-box",
					children: [
						this.#input,
						el("div", { class: "composer-bar", children: [this.#target, this.#send, this.#stop] }),
					],
				}),
			],
		});
		this.#input.addEventListener("keydown", (event) => this.#onKey(event));
		this.#input.addEventListener("input", () => {
			this.history.leave();
			this.#changed();
		});
		this.element.addEventListener("mousedown", (event) => {
			if (event.target instanceof Element && event.target.closest("button, textarea") === null) {
				event.preventDefault();
				this.focus();
			}
		});
		this.update(this.#view);
	}

	update(view: ComposerView): void {
		const stopHadFocus = document.activeElement === this.#stop;
		this.#view = view;
		this.#send.hidden = view.busy;
		this.#stop.hidden = !view.busy;
		if (stopHadFocus && !view.busy) this.focus();
		const words =
			view.connection === undefined
				? "Add a connection"
				: view.model === undefined
					? view.connection
					: `${view.connection} · ${view.model}`;
		if (this.#targetWords.textContent !== words) this.#targetWords.textContent = words;
		const label = view.connection === undefined ? words : `Connection and model: ${words}`;
		this.#target.setAttribute("aria-label", label);
		this.#target.title = label;
		this.#mark();
	}

	focus(): void {
		this.#input.focus({ preventScroll: true });
	}

	/** Puts text into the box for the person to edit, the caret behind it. */
	fill(text: string): void {
		this.#input.value = text;
		this.#input.setSelectionRange(text.length, text.length);
		this.#changed();
		this.focus();
	}

	/** Puts text below what is typed; nothing of that is lost. */
	add(text: string): void {
		const typed = this.#input.value.trimEnd();
		this.history.leave();
		this.fill(typed === "" ? text : `${typed}\n\n${text}`);
		this.#input.scrollTop = this.#input.scrollHeight;
	}

	#onKey(event: KeyboardEvent): void {
		// An input method uses Enter, Escape and the arrows itself; 229 is what engines report for keys it has taken.
		if (event.isComposing || event.keyCode === 229) return;
		if (event.key === "Enter" && !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey) {
			event.preventDefault();
			this.#submit();
		} else if (event.key === "ArrowUp" && !event.shiftKey && (this.#input.value === "" || this.history.walking)) {
			if (this.#recall(this.history.back(this.#input.value))) event.preventDefault();
		} else if (event.key === "ArrowDown" && !event.shiftKey && this.history.walking) {
			if (this.#recall(this.history.forward())) event.preventDefault();
		}
	}

	#recall(text: string | undefined): boolean {
		if (text === undefined) return false;
		this.#input.value = text;
		this.#input.setSelectionRange(text.length, text.length);
		this.#changed();
		return true;
	}

	#submit(): void {
		const text = this.#input.value.trim();
		this.focus();
		if (text === "") return;
		if (this.#view.busy) {
			this.#events.announce("A reply is still arriving. Press Escape to stop it.");
			return;
		}
		if (this.#view.connection === undefined) {
			this.#events.addConnection();
			return;
		}
		this.history.add(text);
		this.#input.value = "";
		this.#changed();
		this.#events.send(text);
		// Until the host says so itself: a second Enter before that must not cost the next turn.
		this.update({ ...this.#view, busy: true });
	}

	#changed(): void {
		this.#mark();
		this.#events.drafted(this.#input.value);
	}

	#mark(): void {
		this.#send.classList.toggle("ready", this.#input.value.trim() !== "" && !this.#view.busy);
	}
}
