import type { ContextToPanel, SuggestionView } from "#protocol/context.ts";
import { kindIcon } from "./chips.ts";
import { el, icon } from "./dom.ts";
import type { MessageRooms } from "./message-actions.ts";
import { replaceText } from "./replace-text.ts";

const LOOKING = "Looking...";

/** Suggestions for an `@` or `/` that is typed in the composer. */
export class ComposerMentions {
	readonly #input: HTMLTextAreaElement;
	readonly #rooms: Pick<MessageRooms, "post" | "announce">;
	readonly #changed: () => void;
	readonly #suggestions: SuggestionList;
	#mention: Mention | undefined;
	/** Mention whose list was closed by Escape: it stays closed. */
	#dismissed: Pick<Mention, "trigger" | "from"> | undefined;
	/** Query with a blank that found nothing: a longer one is a sentence. */
	#missed: string | undefined;
	#request = 0;
	#answered = 0;

	/** `changed` is called when a suggestion changed the text. */
	constructor(input: HTMLTextAreaElement, rooms: Pick<MessageRooms, "post" | "announce">, changed: () => void) {
		this.#input = input;
		this.#rooms = rooms;
		this.#changed = changed;
		this.#suggestions = new SuggestionList(input, (item) => this.#choose(item));
		input.addEventListener("blur", () => this.close());
		input.addEventListener("click", () => this.look());
	}

	get elements(): readonly HTMLElement[] {
		return [this.#suggestions.element, this.#suggestions.note];
	}

	/** Shows suggestions, unless they answer an earlier query. */
	suggest({ request, items, more }: Extract<ContextToPanel, { type: "suggestions" }>): void {
		if (request !== this.#request || this.#mention === undefined) return;
		// Enter and Tab wait until something is found.
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

	/** Closes the list and ignores pending answers. */
	close(): void {
		this.#mention = undefined;
		this.#suggestions.close();
	}

	/** Handles a key; true if it is one of the list's. */
	take(event: KeyboardEvent): boolean {
		const isOver = !this.#suggestions.isShown && !this.#isAsking;
		if (isOver || event.shiftKey || !this.#onListKey(event.key)) return false;
		event.preventDefault();
		// Escape would also stop the reply.
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

	/** True until the last query is answered: the list then belongs to the one before. */
	get #isAsking(): boolean {
		return this.#mention !== undefined && this.#answered !== this.#request;
	}

	/** Handles a key of the list. Enter and Tab wait for the last query, since they must not send the text as it is. */
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

interface Mention {
	/** Attachments or saved prompts. */
	readonly trigger: "@" | "/";
	readonly query: string;
	readonly from: number;
	/** Offset of the caret at its end. */
	readonly to: number;
}

const LONGEST_QUERY = 100;

/** Finds the mention that ends at the caret. A space ends it, except in a search such as `@issue bell rings`. */
export function mentionAt(text: string, caret: number): Mention | undefined {
	const before = text.slice(Math.max(0, caret - LONGEST_QUERY), caret);
	const found = /(?:^|\s)@((?:file|issues?|pet|order)(?::| (?! ))[^\n@]*|[^\s@]*)$/.exec(before);
	const query = found?.[1];
	if (query !== undefined) return { trigger: "@", query, from: caret - query.length - 1, to: caret };
	const prompt = /^\/([^\s/]*)$/.exec(text.slice(0, caret))?.[1];
	return prompt === undefined ? undefined : { trigger: "/", query: prompt, from: 0, to: caret };
}

/** Removes a mention from a text, with the space that would be left twice. */
export function without(text: string, { from, to }: Mention): string {
	const after = text.slice(to);
	return text.slice(0, from) + (from === 0 || /\s$/.test(text.slice(0, from)) ? after.replace(/^ /, "") : after);
}

const LIST = "suggestions";

/** List above the composer. The focus stays in the input, which refers to the active row. */
class SuggestionList {
	readonly element = el("ul", {
		class: "suggestions bare-list",
		attributes: { id: LIST, role: "listbox", "aria-label": "Suggestions" },
	});
	readonly note = el("div", { class: "suggestions suggestions-note" });
	readonly #input: HTMLElement;
	readonly #choose: (item: SuggestionView) => void;
	#items: readonly SuggestionView[] = [];
	#active = 0;
	/** Id of the row that the person moved to. */
	#moved: string | undefined;

	constructor(input: HTMLElement, choose: (item: SuggestionView) => void) {
		this.#input = input;
		this.#choose = choose;
		this.element.hidden = true;
		this.note.hidden = true;
		input.setAttribute("aria-autocomplete", "list");
		input.setAttribute("aria-haspopup", "listbox");
	}

	get isOpen(): boolean {
		return !this.element.hidden;
	}

	get isShown(): boolean {
		return this.isOpen || !this.note.hidden;
	}

	/** Shows other rows. The first is active, or the one that the person moved to. */
	show(items: readonly SuggestionView[]): void {
		const again = items.findIndex(({ id }) => id === this.#moved);
		if (again < 0) this.#moved = undefined;
		this.#list(items, Math.max(0, again));
	}

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

	/** Moves the active row, around the ends. */
	move(step: number): void {
		const { length } = this.#items;
		this.#activate((this.#active + step + length) % length);
		this.#moved = this.#items[this.#active]?.id;
	}

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
		// A press would move the focus out of the input before the click.
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
