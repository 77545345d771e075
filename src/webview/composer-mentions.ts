import type { ContextToPanel, SuggestionView, Trigger } from "#protocol/context.ts";
import type { ToHost } from "#protocol/panel.ts";
import { replaceText } from "./replace-text.ts";
import { SuggestionList } from "./suggestions.ts";

/** Rooms that the mentions of the composer work with. */
export interface MentionRooms {
	post(message: ToHost): void;
	/** Announces a text to screen readers without moving the focus. */
	announce(text: string): void;
}

const LOOKING = "Looking...";

/** An `@` or `/` that is being typed in the composer: asks what may be meant, lists it, and takes a row into the text. */
export class ComposerMentions {
	readonly #input: HTMLTextAreaElement;
	readonly #rooms: MentionRooms;
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
	constructor(input: HTMLTextAreaElement, rooms: MentionRooms, changed: () => void) {
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
		const { value, selectionStart } = this.#input;
		const { from, to, trigger } = mention;
		const [rest, end] =
			item.next === undefined
				? [without(value, mention), from]
				: [`${value.slice(0, from)}${trigger}${item.next}${value.slice(to)}`, from + 1 + item.next.length];
		// Who has typed on stays behind that.
		const caret = Math.max(end, rest.length - value.length + selectionStart);
		replaceText(this.#input, rest);
		this.#input.setSelectionRange(caret, caret);
		this.#changed();
		if (item.next === undefined) {
			this.close();
			this.#rooms.post({ type: "choose", id: item.id });
		}
		// What was typed on may be a mention itself.
		if (item.next !== undefined || selectionStart > to) this.look();
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
