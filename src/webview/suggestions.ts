import type { SuggestionView } from "#protocol/context.ts";
import { kindIcon } from "./chips.ts";
import { el, icon } from "./dom.ts";

const LIST = "suggestions";

/** The list above the composer while an `@` or `/` is typed. The keyboard stays in the input, which points into it. */
export class SuggestionList {
	readonly element = el("ul", {
		class: "suggestions",
		attributes: { id: LIST, role: "listbox", "aria-label": "Suggestions" },
	});
	/** Stands in the place of the list where there is something to say instead. */
	readonly note = el("div", { class: "suggestions suggestions-note" });
	readonly #input: HTMLElement;
	readonly #choose: (item: SuggestionView) => void;
	#items: readonly SuggestionView[] = [];
	#active = 0;
	/** The row that was gone to. */
	#moved: string | undefined;

	/** `input` is where is typed; `choose` hears of the row that was taken. */
	constructor(input: HTMLElement, choose: (item: SuggestionView) => void) {
		this.#input = input;
		this.#choose = choose;
		this.element.hidden = true;
		this.note.hidden = true;
		input.setAttribute("aria-autocomplete", "list");
		input.setAttribute("aria-haspopup", "listbox");
	}

	/** True if there are rows to take. */
	get isOpen(): boolean {
		return !this.element.hidden;
	}

	/** True if there are rows, or words in their place. */
	get isShown(): boolean {
		return this.isOpen || !this.note.hidden;
	}

	/** Shows rows in place of those before: the first is active, but one that was gone to stays so while it is there. */
	show(items: readonly SuggestionView[]): void {
		const again = items.findIndex(({ id }) => id === this.#moved);
		if (again < 0) this.#moved = undefined;
		this.#list(items, Math.max(0, again));
	}

	/** Says in place of the rows that they are looked for; the one that was gone to is remembered. */
	say(words: string): void {
		this.#list([], 0);
		const spinner = icon("loading");
		spinner.classList.add("spin");
		this.note.replaceChildren(spinner, words);
		this.note.hidden = false;
	}

	close(): void {
		if (this.isShown) this.show([]);
	}

	/** Moves the choice by so many rows, round the ends. */
	move(step: number): void {
		const { length } = this.#items;
		this.#activate((this.#active + step + length) % length);
		this.#moved = this.#items[this.#active]?.id;
	}

	/** Takes the active row. */
	take(): void {
		const item = this.#items[this.#active];
		if (item !== undefined) this.#choose(item);
	}

	#list(items: readonly SuggestionView[], active: number): void {
		this.#items = items;
		this.note.hidden = true;
		this.element.replaceChildren(...items.map((item, at) => this.#row(item, at)));
		this.element.hidden = items.length === 0;
		if (this.isOpen) this.#input.setAttribute("aria-controls", LIST);
		else this.#input.removeAttribute("aria-controls");
		this.#activate(active);
	}

	#row(item: SuggestionView, at: number): HTMLElement {
		const row = el("li", {
			class: "suggestion",
			attributes: { id: `${LIST}-${at}`, role: "option" },
			children: [
				kindIcon(item.kind),
				el("span", {
					class: "suggestion-words",
					children: [
						el("span", { class: "suggestion-label", text: item.label }),
						...(item.detail === undefined ? [] : [el("span", { class: "suggestion-detail", text: item.detail })]),
					],
				}),
			],
		});
		// A press would take the focus out of the input before the click comes.
		row.addEventListener("mousedown", (event) => event.preventDefault());
		row.addEventListener("click", () => {
			this.#input.focus({ preventScroll: true });
			this.#choose(item);
		});
		return row;
	}

	#activate(at: number): void {
		this.#active = at;
		for (const [index, row] of [...this.element.children].entries()) {
			row.setAttribute("aria-selected", String(index === at));
			if (index !== at) continue;
			this.#input.setAttribute("aria-activedescendant", row.id);
			row.scrollIntoView({ block: "nearest" });
		}
		if (!this.isOpen) this.#input.removeAttribute("aria-activedescendant");
	}
}
