import type { Block, BlockDelta, Reply } from "#api/messages/model.ts";

/** A shorter beginning is taken for what is said, not for an echo: it is more likely to be the same by chance. */
const SHORTEST_ECHO = 4;
/** The same where only the last words are said again, and where at the earliest these begin. */
const SHORTEST_END = 12;
/** The same where the text was cut off within a word, which what follows without a blank cannot follow otherwise. */
const SHORTEST_TORN = 3;
const LAST_CHARS = 2048;
/** The same where they are said again on a line of their own, and are not several lines. */
const SHORTEST_LINE = 80;
/** What no letter or digit stands before: the start of a word or of a line. */
const START = /(?<![\p{L}\p{N}])\S/gu;
const LINE_START = /(?<=\n[^\S\n]*)\S/gu;

/** A line that opens a fence of code, and closes one where nothing but the fence stands in it. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;
/** A longer line is none that only names a language. */
const LONGEST_FENCE = 80;
/** Words before a fence: a short line that ends like a sentence and has no sign of code in it. */
const WORDS = /^\p{L}[^`~;{}=<>()[\]]{0,78}[:.!\u2026]\s*$/u;
const BEGUN_WORDS = /^\p{L}[^`~;{}=<>()[\]]{0,79}$/u;

interface Shown<Delta> {
	readonly delta: Delta;
	readonly reply: Reply;
}

/**
 * What is shown of a reply that goes on with a text: without the text itself or its last words, where the service sends
 * them again, without a fence that is open already, and without the blank space that had to be left off the text when it
 * was sent. Where words come before the fence that is opened again, the code before them ends. What arrives is held back
 * only for as long as it may still turn out to be one of them.
 */
export class Continuation {
	/** The text as services take it for the last message: they refuse one that ends in blank space. */
	readonly prefill: string;
	readonly #rest: string;
	/** What an echo may consist of, the longest first: all of the text, or its last words. */
	readonly #echoes: readonly string[];
	/** The same where it begins on a line of its own. */
	readonly #lines: readonly string[];
	/** Last words that are too few to be an echo anywhere but right behind the word that was cut off. */
	readonly #torn: readonly string[];
	/** The fence of the code that the text was cut off within, and what stands behind it; empty where it was not. */
	readonly #fence: string;
	readonly #language: string;
	/** The block that goes on with the text: the first one. */
	#key: string | undefined;
	/** How many characters of the block are not shown; undefined until that is known. */
	#cut: number | undefined;
	/** What is shown in front of the block: the end of the code before it. */
	#lead = "";
	#shown = 0;

	/** `text` is what has been said so far. */
	constructor(text: string) {
		this.prefill = text.trimEnd();
		[this.#fence, this.#language] = openFence(text);
		this.#rest = text.slice(this.prefill.length);
		const all = this.prefill.trimStart();
		const last = all.slice(-LAST_CHARS);
		const from = (starts: RegExp) => [...last.matchAll(starts)].map(({ index }) => last.slice(index));
		const ends = (starts: RegExp) =>
			from(starts).filter((end) => end.length >= SHORTEST_END && /[\p{L}\p{N}]/u.test(end));
		this.#echoes = [all, ...ends(START)];
		const isTorn = this.#rest === "" && /\p{L}$/u.test(all);
		const isShort = ({ length }: string) => length >= SHORTEST_TORN && length < SHORTEST_END;
		this.#torn = isTorn && all.length >= SHORTEST_ECHO ? from(START).filter(isShort) : [];
		const lines = isTorn ? ends(LINE_START) : [];
		this.#lines = [all, ...lines.filter((end) => end.includes("\n") || end.length >= SHORTEST_LINE)];
	}

	/** A change of a block as it is shown, and the reply with it. */
	take(delta: BlockDelta, reply: Reply): Shown<BlockDelta> {
		if (delta.block.type === "text") this.#key ??= delta.block.key;
		if (delta.block.key !== this.#key) return { delta, reply: this.#replyShown(reply) };
		if (delta.appended === null) this.#cut = undefined;
		this.#cut ??= this.#cutOf(delta.block.text, false);
		return { delta: this.#changeOf(delta.block, delta.appended === null), reply: this.#replyShown(reply) };
	}

	/** The reply when it has ended, and what was held back until then, if anything was. */
	end(reply: Reply): Shown<BlockDelta | undefined> {
		const block = reply.blocks.find(({ key, type }) => (this.#key === undefined ? type === "text" : key === this.#key));
		if (block === undefined || this.#cut !== undefined) return { delta: undefined, reply: this.#replyShown(reply) };
		this.#key = block.key;
		this.#cut = this.#cutOf(block.text, true);
		return { delta: this.#changeOf(block, false), reply: this.#replyShown(reply) };
	}

	#changeOf(whole: Block, isNew: boolean): BlockDelta {
		const block = this.#blockShown(whole);
		const appended = isNew ? null : block.text.slice(this.#shown);
		this.#shown = block.text.length;
		return { block, appended };
	}

	#replyShown(reply: Reply): Reply {
		return {
			...reply,
			blocks: reply.blocks.map((block) => (block.key === this.#key ? this.#blockShown(block) : block)),
		};
	}

	#blockShown(block: Block): Block {
		return { ...block, text: this.#cut === undefined ? "" : this.#lead + block.text.slice(this.#cut) };
	}

	#cutOf(text: string, ended: boolean): number | undefined {
		this.#lead = "";
		const said = text.trimStart();
		const isNewLine = text.slice(0, text.length - said.length).includes("\n");
		const heard = this.#echoOf(said, { ended, isNewLine });
		const reopened = heard === 0 ? this.#fenceIn(said, ended) : 0;
		if (reopened === undefined) return undefined;
		// The end of the line before it, where the text so far has none.
		const isTorn = isNewLine && !this.#rest.includes("\n");
		if (reopened > 0) return text.length - said.length + reopened - (isTorn ? 1 : 0);
		const isAnew = heard === 0 && this.#beginsAnew(said, ended);
		if (isAnew === undefined) return undefined;
		if (isAnew) {
			this.#lead = `${/\n {0,3}$/.test(this.#rest) ? "" : "\n"}${this.#fence}\n\n`;
			return text.length - said.length;
		}
		const echoed = heard === 0 && said === text ? this.#tornIn(said, ended) : heard;
		if (echoed === undefined) return undefined;
		const echo = echoed === 0 ? 0 : text.length - said.length + echoed;
		let cut = echo;
		while (cut - echo < this.#rest.length && text[cut] === this.#rest[cut - echo]) cut++;
		const mayGoOn = cut === text.length && cut - echo < this.#rest.length;
		return mayGoOn && !ended ? undefined : cut;
	}

	/** How long the line is that opens the fence again; undefined while more of it can tell. */
	#fenceIn(said: string, ended: boolean): number | undefined {
		if (this.#fence === "" || !(said.startsWith(this.#fence) || this.#fence.startsWith(said))) return 0;
		const end = said.indexOf("\n");
		if (end < 0) return ended || said.length > LONGEST_FENCE ? 0 : undefined;
		const [, fence = "", language = ""] = FENCE.exec(said.slice(0, end)) ?? [];
		// By itself it is the end of the code.
		return fence !== "" && end <= LONGEST_FENCE && language.trim() !== "" ? end + 1 : 0;
	}

	/** Whether words come before a line that opens the fence again as it was opened; undefined while more of it can tell. */
	#beginsAnew(said: string, ended: boolean): boolean | undefined {
		// Without a language it would be the end of the code.
		if (this.#language === "") return false;
		const end = said.indexOf("\n");
		if (end < 0) return ended || !BEGUN_WORDS.test(said) ? false : undefined;
		if (!WORDS.test(said.slice(0, end))) return false;
		const next = said.slice(end).trimStart();
		const line = `${this.#fence}${this.#language}\n`;
		if (next.startsWith(line)) return true;
		return !ended && line.startsWith(next) ? undefined : false;
	}

	/**
	 * How much of what comes without a blank behind a word that was cut off says the beginning of that word again: by itself
	 * where the word goes on then, or with words before it. Undefined while more of it can tell.
	 */
	#tornIn(said: string, ended: boolean): number | undefined {
		for (const end of this.#torn) {
			if (!ended && end.length >= said.length && end.startsWith(said)) return undefined;
			if (!said.startsWith(end)) continue;
			const isWhole = /\s/.test(end) && /^\p{L}/u.test(end);
			if (isWhole || /^\p{Ll}/u.test(said.slice(end.length))) return end.length;
		}
		return 0;
	}

	/** How much of what begins an answer is an echo; undefined while more of it can tell. */
	#echoOf(
		said: string,
		{ ended, isNewLine }: { readonly ended: boolean; readonly isNewLine: boolean },
	): number | undefined {
		const echoes = isNewLine ? this.#lines : this.#echoes;
		const [all = ""] = echoes;
		if (all.length < SHORTEST_ECHO) return 0;
		for (const echo of echoes) {
			if (said.startsWith(echo)) {
				// What was said before, too, may well be said once more.
				if (all.indexOf(echo) !== all.length - echo.length) return 0;
				if (echo === all || !isNewLine) return echo.length;
				// So may a line, but hardly the half of a word that it was cut off within.
				if (said.length === echo.length && !ended) return undefined;
				return /^\p{Ll}/u.test(said.slice(echo.length)) ? echo.length : 0;
			}
			if (!ended && echo.startsWith(said)) return undefined;
		}
		return 0;
	}
}

/** The fence that is open where a text ends, behind the line that opens it, and its language where that is
 * no item of a list, which a line at the margin would end; empty where none is. */
function openFence(text: string): readonly [fence: string, language: string] {
	let open = "";
	let named = "";
	const lines = text.split("\n");
	for (const [at, line] of lines.entries()) {
		const [, fence = "", language = ""] = FENCE.exec(line) ?? [];
		// A last line without its end may yet become another fence.
		if (open === "")
			[open, named] = at === lines.length - 1 ? ["", ""] : [fence, line.startsWith(fence) ? language.trimEnd() : ""];
		else if (fence.startsWith(open) && language.trim() === "") [open, named] = ["", ""];
	}
	return [open, named];
}
