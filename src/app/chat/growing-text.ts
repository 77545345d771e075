import { REDACTED } from "#base/redaction.ts";

/** What keeps secrets out of texts. */
export interface TextCensor {
	/** Plain JSON without secrets in its texts. */
	readonly redact: <T>(value: T) => T;
	/** How many characters at the end of a growing text may be the beginning of a secret. */
	readonly heldBack: (text: string) => number;
	/** How many characters at the end of a text that goes on no more are most of a secret. */
	readonly cutOff: (text: string) => number;
}

/** The same, of secrets that have to be read from where they are stored. */
export interface Censor extends TextCensor {
	/** Resolves once all secrets that are stored are known. Never rejects. */
	readonly ready: () => Promise<void>;
}

/** More of a text, secrets removed. */
export interface Taken {
	/** The place in what was taken before from which on this stands. */
	readonly at: number;
	/** What stood there until now: nothing as a rule, or a few characters where a secret had begun in them. */
	readonly over: string;
	readonly text: string;
}

/** So many characters of a secret are not yet taken for its beginning: they may have been given. */
const LEAD = 8;

/**
 * A text that comes piece by piece, without its secrets: an end that may be the beginning of one is held back until more
 * has come. Of the text itself no more is kept, or looked at again, than that.
 */
export class GrowingText {
	readonly #censor: TextCensor;
	/** The end of what was given, as far as it is as it came. */
	#lead = "";
	#held = "";
	#heard = 0;
	#given = 0;

	/** `before` was given elsewhere as a text of its own; what is taken begins with it, at a place below 0. */
	constructor(censor: TextCensor, before = "") {
		this.#censor = censor;
		this.#held = before;
		this.#given = -before.length;
	}

	/** Characters that have come, secrets and what is held back included. */
	get heard(): number {
		return this.#heard;
	}

	/** Whether something is held back. */
	get holds(): boolean {
		return this.#held !== "";
	}

	/** What can be told now that a piece has come; where the text is `whole`, all but the secret that it was cut off within. */
	take(piece: string, { whole = false }: { readonly whole?: boolean } = {}): Taken {
		const { redact, heldBack, cutOff } = this.#censor;
		const lead = this.#lead;
		const all = lead + this.#held + piece;
		const cut = whole ? cutOff(all) : 0;
		const end = whole ? all.length : Math.max(lead.length, all.length - heldBack(all));
		const open = all.slice(0, end);
		const clear = cut === 0 ? redact(open) : redact(open.slice(0, -cut)) + REDACTED;
		const over = clear.startsWith(lead) ? "" : lead;
		const at = this.#given - over.length;
		const text = over === "" ? clear.slice(lead.length) : clear;
		this.#lead = open.slice(open.length - sameEnd(open, clear));
		this.#held = all.slice(end);
		this.#heard += piece.length;
		this.#given = at + text.length;
		return { at, over, text };
	}
}

/** More of the rest of a text that was cut off. */
export interface TakenRest extends Omit<Taken, "over"> {
	/** So many characters at the end of the text before it were the beginning of a secret, and are to be taken back. */
	readonly back: number;
}

/** The rest of a text that was cut off, without a secret that was cut in two there; otherwise as {@link GrowingText}. */
export class RestText {
	readonly #growing: GrowingText;
	readonly #before: string;
	/** By how much places in the rest are behind those in what is taken. */
	#shift = 0;

	/** `before` is what was cut off; empty for a text that is nobody's rest. */
	constructor(censor: TextCensor, before = "") {
		const clear = censor.redact(before);
		this.#before = clear.slice(-Math.max(LEAD, censor.heldBack(clear)));
		this.#growing = new GrowingText(censor, this.#before);
	}

	/** Characters of the rest that have come. */
	get heard(): number {
		return this.#growing.heard;
	}

	get holds(): boolean {
		return this.#growing.holds;
	}

	take(piece: string, options: { readonly whole?: boolean } = {}): TakenRest {
		const { at, text } = this.#growing.take(piece, options);
		const place = at + this.#shift;
		if (place >= 0) return { back: 0, at: place, text };
		const expected = this.#before.slice(at);
		const same = sameStart(expected, text);
		const isSame = same === Math.min(expected.length, text.length);
		const back = isSame ? 0 : expected.length - same;
		this.#shift += back;
		return { back, at: 0, text: text.slice(same) };
	}
}

/** Passes a text on piece by piece to where nothing of it can be taken back. */
export class CensoredStream {
	readonly #growing: GrowingText;
	readonly #give: (text: string) => void;

	constructor(censor: TextCensor, give: (text: string) => void) {
		this.#growing = new GrowingText(censor);
		this.#give = give;
	}

	/** The next piece. */
	push(piece: string): void {
		if (piece !== "") this.#pass(this.#growing.take(piece));
	}

	/** The text is whole. */
	end(): void {
		this.#pass(this.#growing.take("", { whole: true }));
	}

	#pass({ over, text }: Taken): void {
		const more = text.slice(sameStart(text, over));
		if (more !== "") this.#give(more);
	}
}

function sameStart(a: string, b: string): number {
	let length = 0;
	while (length < a.length && a[length] === b[length]) length++;
	return length;
}

/** How much of their ends is the same, as far as that matters. */
function sameEnd(a: string, b: string): number {
	let length = 0;
	while (length < LEAD && length < a.length && a.at(-1 - length) === b.at(-1 - length)) length++;
	return length;
}
