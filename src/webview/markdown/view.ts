import { el } from "../dom.ts";
import { BlockMachine } from "./blocks.ts";
import { Definitions } from "./definitions.ts";

/** About how much source goes into a section. */
const SECTION_CHARS = 16_384;
/** About how much goes into a part of one, which is laid out and painted by itself: only the last is again. */
const PART_CHARS = 1024;

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

	/** No more will come. */
	end(): void {
		if (this.#held !== "") this.#machine.line(this.#held);
		this.#held = "";
		this.#machine.end();
		this.#moveTip();
		this.#definitions.rebuildStale();
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
			from = end + 1;
		}
		const rest = text.slice(from);
		if (rest === "") return;
		if (this.#machine.lineOpen) this.#machine.extend(rest);
		else this.#hold(rest);
	}

	#hold(text: string): void {
		this.#held += text;
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

/**
 * Groups the blocks of the top level. A section that is full is settled: the engine then leaves out what is not in view
 * (`content-visibility`). Per section and not per block, because watching every block costs more than it saves.
 */
class Sections {
	readonly #root: HTMLElement;
	#current: HTMLElement | undefined;
	#part: HTMLElement | undefined;
	/** Characters of source since the section began, and their number when its last part did. */
	#chars = 0;
	#partAt = 0;

	constructor(root: HTMLElement) {
		this.#root = root;
	}

	/** Source was added. */
	grew(chars: number): void {
		this.#chars += chars;
	}

	add(block: HTMLElement): void {
		if (this.#current === undefined || this.#chars >= SECTION_CHARS) {
			this.#current?.classList.add("settled");
			this.#current = el("div", { class: "section" });
			this.#root.append(this.#current);
			this.#part = undefined;
			this.#chars = 0;
		}
		if (this.#part === undefined || this.#chars - this.#partAt >= PART_CHARS) {
			this.#part = el("div", { class: "part" });
			this.#current.append(this.#part);
			this.#partAt = this.#chars;
		}
		this.#part.append(block);
	}
}
