import type { ContextToPanel, SuggestionView, Trigger } from "#protocol/context.ts";
import { kindIcon } from "./chips.ts";
import { el, icon } from "./dom.ts";
import type { MessageRooms } from "./message-actions.ts";
import { replaceText } from "./replace-text.ts";

const LOOKING = "Looking...";

/** An `@` or `/` that is being typed in the composer: asks what may be meant, lists it, and takes a row into the text. */
export class ComposerMentions {
	readonly #input: HTMLTextAreaElement;
	readonly #rooms: Pick<MessageRooms, "post" | "announce">;
	readonly #changed: () => void;
	readonly #suggestions: SuggestionList;
	/** The one at the caret. */
	#mention: Mention | undefined;
	/** The mention whose list was closed by hand: it stays closed. */
	#dismissed: Pick<Mention, "trigger" | "from"> | undefined;
	/** Query behind a blank that found nothing: a longer one that begins with it is a sentence. */
	#missed: string | undefined;
	#request = 0;
	/** The question that the list answers. */
	#answered = 0;

	/** `changed` is called when the text has become another by what was taken. */
	constructor(input: HTMLTextAreaElement, rooms: Pick<MessageRooms, "post" | "announce">, changed: () => void) {
		this.#input = input;
		this.#rooms = rooms;
		this.#changed = changed;
		this.#suggestions = new SuggestionList(input, (item) => this.#choose(item));
		input.addEventListener("blur", () => this.close());
		input.addEventListener("click", () => this.look());
	}

	/** The list, and what is said in its place. */
	get elements(): readonly HTMLElement[] {
		return [this.#suggestions.element, this.#suggestions.note];
	}

	/** Shows what was found for what is typed; an answer to what was typed before is passed over. */
	suggest({ request, items, more }: Extract<ContextToPanel, { type: "suggestions" }>): void {
		if (request !== this.#request || this.#mention === undefined) return;
		// Until something is found a key waits for it.
		if (items.length > 0 || !more) this.#answered = request;
		const { query } = this.#mention;
		if (!more && items.length === 0 && /^\w+ \S+\s/.test(query)) this.#missed = query;
		if (items.length === 0 && more) {
			this.#look();
			return;
		}
		this.#suggestions.show(items);
		if (items.length === 0 || more) return;
		this.#rooms.announce(items.length === 1 ? "1 suggestion" : `${items.length} suggestions`);
	}

	/** Closes the list: the text is another one, and what was found or is yet to be found for it is of no use. */
	close(): void {
		this.#mention = undefined;
		this.#suggestions.close();
	}

	/** True if the key is one of the list's, which has taken it then. */
	take(event: KeyboardEvent): boolean {
		const isOver = !this.#suggestions.isShown && !this.#isAsking;
		if (isOver || event.shiftKey || !this.#onListKey(event.key)) return false;
		event.preventDefault();
		// Escape would stop the reply, too.
		event.stopPropagation();
		return true;
	}

	/** Asks for suggestions if a mention ends at the caret. */
	look(): void {
		const { value, selectionStart, selectionEnd } = this.#input;
		if (!this.#suggestions.isOpen) this.#suggestions.close();
		this.#mention = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : undefined;
		const { trigger, from } = this.#dismissed ?? {};
		if (this.#mention?.from !== from || this.#mention?.trigger !== trigger) this.#dismissed = undefined;
		const isSentence = this.#missed !== undefined && this.#mention?.query.startsWith(this.#missed);
		if (this.#mention === undefined || this.#dismissed !== undefined || isSentence) {
			this.close();
			return;
		}
		this.#request++;
		const { trigger: character, query } = this.#mention;
		this.#rooms.post({ type: "suggest", trigger: character, query, request: this.#request });
	}

	/** True while there is no answer yet to the last query: a list that is there belongs to the one before. */
	get #isAsking(): boolean {
		return this.#mention !== undefined && this.#answered !== this.#request;
	}

	/**
	 * Handles a key of the list. Enter and Tab wait for the answer to the last query: they must not send the text as it
	 * is.
	 */
	#onListKey(key: string): boolean {
		const { isOpen, isShown } = this.#suggestions;
		const isTaking = key === "Enter" || key === "Tab";
		if (isTaking && this.#isAsking) this.#look();
		else if (isTaking && isOpen) this.#suggestions.take();
		else if (key === "Escape" && isShown) {
			this.#dismissed = this.#mention;
			this.close();
		} else if (!isOpen) return false;
		else if (key === "ArrowDown") this.#suggestions.move(1);
		else if (key === "ArrowUp") this.#suggestions.move(-1);
		else return false;
		return true;
	}

	/** Says that the answer has yet to come. */
	#look(): void {
		this.#suggestions.say(LOOKING);
		this.#rooms.announce(LOOKING);
	}

	#choose(item: SuggestionView): void {
		const mention = this.#mention;
		if (mention === undefined) return;
		const { value } = this.#input;
		const { from, to, trigger } = mention;
		const { id, next } = item;
		const [rest, caret] =
			next === undefined
				? [without(value, mention), from]
				: [`${value.slice(0, from)}${trigger}${next}${value.slice(to)}`, from + 1 + next.length];
		replaceText(this.#input, rest);
		this.#input.setSelectionRange(caret, caret);
		this.#changed();
		if (next !== undefined) this.look();
		else {
			this.close();
			this.#rooms.post({ type: "choose", id });
		}
	}
}

/** Query that is being typed behind an `@` or a `/`. */
interface Mention {
	readonly trigger: Trigger;
	readonly query: string;
	/** Offset of the `@` or `/`. */
	readonly from: number;
	/** End of the query: the caret. */
	readonly to: number;
}

/** Longest query that is searched for. */
const LONGEST_QUERY = 100;

/**
 * The mention that ends at the caret, if there is one: an `@` at the start of a word, or a `/` at the very start. Spaces
 * end it, but for a search such as `@issue bell rings` or `@issue:bell rings`.
 */
export function mentionAt(text: string, caret: number): Mention | undefined {
	const before = text.slice(Math.max(0, caret - LONGEST_QUERY), caret);
	const found = /(?:^|\s)@((?:file|issues?|pet|order)(?::| (?! ))[^\n@]*|[^\s@]*)$/.exec(before);
	const query = found?.[1];
	if (query !== undefined) return { trigger: "@", query, from: caret - query.length - 1, to: caret };
	const prompt = /^\/([^\s/]*)$/.exec(text.slice(0, caret))?.[1];
	return prompt === undefined ? undefined : { trigger: "/", query: prompt, from: 0, to: caret };
}

/** The text without the mention, and without the space that it would leave twice. */
export function without(text: string, { from, to }: Mention): string {
	const after = text.slice(to);
	return text.slice(0, from) + (from === 0 || /\s$/.test(text.slice(0, from)) ? after.replace(/^ /, "") : after);
}

const LIST = "suggestions";

/** The list above the composer while an `@` or `/` is typed. The keyboard stays in the input, which points into it. */
class SuggestionList {
	readonly element = el("ul", {
		class: "suggestions bare-list",
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
						el("span", { class: "one-line", text: item.label }),
						...(item.detail === undefined ? [] : [el("span", { class: "one-line small-print", text: item.detail })]),
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
