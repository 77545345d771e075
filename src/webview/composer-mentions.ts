import type { ContextToPanel, SuggestionView, Trigger } from "#protocol/context.ts";
import { type Mention, mentionAt, without } from "./mention.ts";
import { SuggestionList } from "./suggestions.ts";

/** What the mentions of the composer ask of it. */
export interface MentionEvents {
	/** Lists what may be meant; the answer comes through {@link ComposerMentions.suggest}. */
	suggest(trigger: Trigger, query: string, request: number): void;
	/** Takes what was listed. */
	choose(id: string): void;
	/** The text has become another by what was taken. */
	changed(): void;
	/** Enter was to take a row, but nothing was found: it sends. */
	submit(): void;
	/** Something to tell the person without moving the focus. */
	announce(text: string): void;
}

/** A row of an answer that has yet to come. */
interface Wanted {
	/** The one that was clicked; without it the one that is active then. */
	readonly row?: string;
	/** Whether the message is sent where nothing is found: nobody has seen a row to take. */
	readonly sends?: boolean;
}

/** An `@` or `/` that is being typed in the composer: asks what may be meant, lists it, and takes a row into the text. */
export class ComposerMentions {
	readonly #input: HTMLTextAreaElement;
	readonly #events: MentionEvents;
	readonly #suggestions: SuggestionList;
	#mention: Mention | undefined;
	/** The mention whose list was closed by hand: it stays closed. */
	#dismissed: Pick<Mention, "trigger" | "from"> | undefined;
	/** What was looked for behind a blank in vain: with this before it, it is a sentence. */
	#missed: string | undefined;
	#request = 0;
	/** The question that the list answers. */
	#answered = 0;
	/** What was to be taken before there was an answer. */
	#wanted: Wanted | undefined;

	constructor(input: HTMLTextAreaElement, events: MentionEvents) {
		this.#input = input;
		this.#events = events;
		this.#suggestions = new SuggestionList(input, (item) => this.#choose(item));
		input.addEventListener("blur", () => this.close());
		input.addEventListener("click", () => this.look());
	}

	/** The list. */
	get element(): HTMLElement {
		return this.#suggestions.element;
	}

	/** Shows what was found for what is typed; an answer to what was typed before is passed over. */
	suggest({ request, items, more }: Extract<ContextToPanel, { type: "suggestions" }>): void {
		if (request !== this.#request || this.#mention === undefined) return;
		this.#answered = request;
		this.#suggestions.show(items);
		const { query } = this.#mention;
		if (!more && items.length === 0 && /^\w+ \S+\s/.test(query)) this.#missed = query;
		const wanted = this.#wanted;
		if ((wanted !== undefined && this.#suggestions.take(wanted.row)) || more) return;
		this.#wanted = undefined;
		if (items.length > 0) this.#events.announce(`${items.length} suggestions`);
		else if (wanted?.sends) {
			this.close();
			this.#events.submit();
		} else if (wanted !== undefined) this.#events.announce("Nothing was found. Enter sends the message.");
	}

	/** Closes the list: the text is another one, and what was found or is yet to be found for it is of no use. */
	close(): void {
		this.#mention = undefined;
		this.#wanted = undefined;
		this.#suggestions.close();
	}

	/** Whether the key is one of the list's, which has taken it then. */
	take(event: KeyboardEvent): boolean {
		const isOver = !this.#suggestions.isOpen && !this.#isAsking;
		if (isOver || event.shiftKey || !this.#onListKey(event.key)) return false;
		event.preventDefault();
		// Escape would stop the reply, too.
		event.stopPropagation();
		return true;
	}

	/** Asks for suggestions if a mention ends at the caret. */
	look(): void {
		this.#wanted = undefined;
		const { value, selectionStart, selectionEnd } = this.#input;
		this.#mention = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : undefined;
		const { trigger, from } = this.#dismissed ?? {};
		if (this.#mention?.from !== from || this.#mention?.trigger !== trigger) this.#dismissed = undefined;
		const isSentence = this.#missed !== undefined && this.#mention?.query.startsWith(this.#missed);
		if (this.#mention === undefined || this.#dismissed !== undefined || isSentence) {
			this.close();
			return;
		}
		this.#request++;
		this.#events.suggest(this.#mention.trigger, this.#mention.query, this.#request);
	}

	/** Whether there is no answer yet to what was typed last: a list that is there is of what was typed before. */
	get #isAsking(): boolean {
		return this.#mention !== undefined && this.#answered !== this.#request;
	}

	/** One that takes a row waits for the answer to what was typed last. */
	#onListKey(key: string): boolean {
		const { isOpen } = this.#suggestions;
		const isTaking = key === "Enter" || key === "Tab";
		if (isTaking && this.#isAsking) this.#wanted = { sends: key === "Enter" && !isOpen };
		else if (isTaking) this.#suggestions.take();
		else if (key === "Escape" && (isOpen || this.#wanted !== undefined)) {
			this.#dismissed = this.#mention;
			this.close();
		} else if (!isOpen) return false;
		else if (key === "ArrowDown") this.#suggestions.move(1);
		else if (key === "ArrowUp") this.#suggestions.move(-1);
		else return false;
		return true;
	}

	#choose(item: SuggestionView): void {
		const mention = this.#mention;
		if (mention === undefined) return;
		if (this.#isAsking) {
			this.#wanted = { row: item.id };
			return;
		}
		const { value } = this.#input;
		const { from, to, trigger } = mention;
		const [rest, caret] =
			item.next === undefined
				? [without(value, mention), from]
				: [`${value.slice(0, from)}${trigger}${item.next}${value.slice(to)}`, from + 1 + item.next.length];
		this.#input.value = rest;
		this.#input.setSelectionRange(caret, caret);
		this.#input.focus({ preventScroll: true });
		this.#events.changed();
		if (item.next !== undefined) {
			this.look();
			return;
		}
		this.close();
		this.#events.choose(item.id);
	}
}
