import { el } from "../dom.ts";
import { BlockMachine } from "./blocks.ts";
import { type Bracketed, Definitions } from "./definitions.ts";
import { Sections } from "./sections.ts";

/** A part of a line that is held back is looked at again only after it has grown by half, once it is this long. */
const HELD_OFTEN_CHARS = 256;
/** How many characters are rebuilt at a time after the end; a few milliseconds' work. */
const SLICE_CHARS = 16_384;

/**
 * A growing markdown text. Work is in proportion to the text that is new: whole lines go through the block machine
 * once, and the last, incomplete line grows in place.
 *
 * After the end the document equals the one built from the whole text at once. Blocks are decided line by line, and a
 * part of a line is shown only where no continuation can decide otherwise; what is inside a line is settled only where
 * no later mark can reach it. The one thing that can come late is a link definition, so what has brackets and was built
 * before the last definition is built again at the end.
 */
export class MarkdownView {
	readonly element = el("div", { class: "markdown" });
	readonly #definitions = new Definitions();
	readonly #sections: Sections;
	readonly #machine: BlockMachine;
	/** The part of the last line that is not in the document yet. */
	#held = "";
	#heldTried = 0;
	#carriageReturn = false;
	#tip: HTMLElement | undefined;

	constructor() {
		this.#sections = new Sections(this.element);
		this.#machine = new BlockMachine((block) => this.#sections.add(block), this.#definitions);
	}

	append(text: string): void {
		this.#sections.grew(text.length);
		this.#feed(this.#unified(text));
		this.#machine.render();
		this.#moveTip();
	}

	/** No more will come. Rebuilding for late link definitions may go on for a few moments in slices. */
	end(): void {
		if (this.#held !== "") this.#machine.line(this.#held);
		this.#held = "";
		this.#machine.end();
		this.#moveTip();
		rebuild(this.#definitions.takeStale());
	}

	#feed(text: string): void {
		let from = 0;
		for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
			const piece = text.slice(from, end);
			if (this.#machine.lineOpen) {
				this.#machine.extend(piece);
				this.#machine.endLine();
			} else this.#machine.line(this.#held + piece);
			this.#held = "";
			this.#heldTried = 0;
			from = end + 1;
		}
		const rest = text.slice(from);
		if (rest === "") return;
		if (this.#machine.lineOpen) this.#machine.extend(rest);
		else this.#hold(rest);
	}

	#hold(text: string): void {
		this.#held += text;
		if (this.#held.length > HELD_OFTEN_CHARS && this.#held.length < this.#heldTried * 1.5) return;
		this.#heldTried = this.#held.length;
		if (this.#machine.open(this.#held)) this.#held = "";
	}

	/** One kind of line end, also where its two characters come apart; no NUL. */
	#unified(text: string): string {
		let all = text;
		if (this.#carriageReturn && all.startsWith("\n")) all = all.slice(1);
		this.#carriageReturn = text === "" ? this.#carriageReturn : text.endsWith("\r");
		if (all.includes("\r")) all = all.replaceAll(/\r\n?/g, "\n");
		return all.includes("\0") ? all.replaceAll("\0", "\uFFFD") : all;
	}

	#moveTip(): void {
		const tip = this.#machine.tip;
		if (tip === this.#tip) return;
		if (this.#tip !== undefined) {
			this.#tip.classList.remove("tip");
			if (this.#tip.classList.length === 0) this.#tip.removeAttribute("class");
		}
		this.#tip = tip;
		tip?.classList.add("tip");
	}
}

/** Rebuilds as many as fit into a slice, and the rest in later ones. */
function rebuild(stale: readonly Bracketed[]): void {
	let chars = 0;
	let done = 0;
	for (const one of stale) {
		one.rebuild();
		done += 1;
		chars += one.size;
		if (chars > SLICE_CHARS) break;
	}
	if (done < stale.length) setTimeout(() => rebuild(stale.slice(done)), 0);
}
