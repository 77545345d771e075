import { el, iconButton, isTaken } from "./dom.ts";
import { FrameTask } from "./frame-task.ts";
import type { MessageSlot } from "./message-slot.ts";
import type { Transcript } from "./transcript.ts";

const MOST_MARKED = 5000;
/** Frames after a jump in which layout may still move the match. */
const STEADY_FRAMES = 4;

interface FindEvents {
	went(): void;
	closed(article: HTMLElement | undefined): void;
	announce(words: string): void;
}

/** Find box: searches all messages, collapsed and unbuilt ones too, and marks matches without changing the document. */
export class Find {
	readonly element: HTMLElement;
	readonly #transcript: Transcript;
	readonly #scroller: HTMLElement;
	readonly #events: FindEvents;
	readonly #input = el("input", {
		attributes: { id: "find", placeholder: "Find", "aria-label": "Find in conversation", spellcheck: "false" },
	});
	readonly #count = el("span", { class: "find-count" });
	readonly #texts = new WeakMap<MessageSlot, { readonly version: number; readonly text: ArticleText }>();
	readonly #search = new FrameTask(() => this.#find());
	#found: { readonly slot: MessageSlot; readonly match: StaticRange }[] = [];
	#at = -1;
	/** Room above the first message for the box. Pixels. */
	#room = 0;
	/** True until the first match of these words was scrolled to. */
	#isFresh = false;

	constructor(scroller: HTMLElement, transcript: Transcript, events: FindEvents) {
		this.#scroller = scroller;
		this.#transcript = transcript;
		this.#events = events;
		this.element = el("div", {
			class: "find",
			attributes: { role: "search" },
			children: [
				this.#input,
				this.#count,
				iconButton("arrow-up", "Previous Match (Shift+Enter)", () => this.#go(-1)),
				iconButton("arrow-down", "Next Match (Enter)", () => this.#go(1)),
				iconButton("close", "Close (Escape)", () => this.close()),
			],
		});
		this.element.hidden = true;
		this.#input.addEventListener("input", () => {
			this.#isFresh = true;
			this.#search.ask();
		});
		this.element.addEventListener("keydown", (event) => this.#onKey(event));
	}

	/** Shows the box with these words, or with the selection in the conversation. */
	open(words?: string): void {
		const selected = words ?? String(document.getSelection() ?? "");
		if (selected !== "" && !selected.includes("\n")) this.#input.value = selected;
		this.element.hidden = false;
		this.#makeRoom();
		this.#input.focus();
		this.#input.select();
		this.#isFresh = true;
		this.#search.ask();
	}

	close(): void {
		if (this.element.hidden) return;
		const article = this.#found[this.#at]?.slot.article;
		const hadFocus = this.element.contains(document.activeElement);
		this.element.hidden = true;
		this.#makeRoom();
		this.#found = [];
		this.#at = -1;
		this.#mark();
		if (hadFocus) this.#events.closed(article);
	}

	/** Adds room above the first message, which would lie under the box, without moving the view. */
	#makeRoom(): void {
		const scroller = this.#scroller;
		const covered = this.element.getBoundingClientRect().bottom - scroller.getBoundingClientRect().top;
		const room = Math.max(0, this.element.hidden ? 0 : covered);
		const more = room - this.#room;
		this.#room = room;
		if (more === 0) return;
		scroller.style.setProperty("--room-above", `${room}px`);
		if (scroller.scrollTop > 0) scroller.scrollTop += more;
	}

	leave(): void {
		this.#at = -1;
		this.close();
	}

	changed(): void {
		if (!this.element.hidden) this.#search.ask();
	}

	#onKey(event: KeyboardEvent): void {
		if (isTaken(event)) return;
		if (event.key === "Escape") this.close();
		else if (event.key === "Enter" && event.target === this.#input) this.#go(event.shiftKey ? -1 : 1);
		else return;
		event.preventDefault();
		event.stopPropagation();
	}

	#find(): void {
		if (this.element.hidden) return;
		const words = folded(this.#input.value);
		const here = this.#found[this.#at]?.slot;
		const before = this.#at - this.#found.findIndex(({ slot }) => slot === here);
		this.#found = [];
		let whole = true;
		if (words !== "") {
			const longest = words.split(/[^\p{L}\p{N}]+/u).reduce((a, b) => (b.length > a.length ? b : a), "");
			this.#transcript.buildAll((slot) => slot.source.toLowerCase().includes(longest));
			for (const slot of this.#transcript.slots) {
				whole &&= slot.built;
				for (const match of this.#textOf(slot).find(words)) this.#found.push({ slot, match });
			}
		}
		this.#at = this.#isFresh ? -1 : this.#indexOf(here, before);
		this.#mark();
		if (this.#isFresh && this.#found.length > 0) this.#goToFirst();
		this.#tell(whole);
	}

	#textOf(slot: MessageSlot): ArticleText {
		const kept = this.#texts.get(slot);
		if (kept !== undefined && kept.version === slot.version) return kept.text;
		const text = new ArticleText(slot.article);
		this.#texts.set(slot, { version: slot.version, text });
		return text;
	}

	/** Index of the match with `before` others of its message before it, or -1. Its nodes may be new: code is colored late. */
	#indexOf(here: MessageSlot | undefined, before: number): number {
		const first = this.#found.findIndex(({ slot }) => slot === here);
		const last = this.#found.findLastIndex(({ slot }) => slot === here);
		return Math.min(first + before, last);
	}

	/** Goes to the first match from the view on, as the editor's find box does. */
	#goToFirst(): void {
		const top = this.#transcript.place?.message;
		let passed = false;
		const at = this.#found.findIndex(({ slot }) => {
			passed ||= slot.message.id === top;
			return passed;
		});
		this.#isFresh = false;
		this.#at = Math.max(0, at);
		this.#show();
	}

	#go(step: 1 | -1): void {
		const { length } = this.#found;
		if (length === 0) return;
		this.#at = (this.#at + step + length) % length;
		this.#show();
		this.#tell(true);
	}

	#tell(whole: boolean): void {
		const { length } = this.#found;
		const of = this.#at === -1 ? `${length}` : `${this.#at + 1} of ${length}`;
		const words = this.#input.value === "" ? "" : length === 0 ? (whole ? "No results" : "…") : whole ? of : `${of}…`;
		if (this.#count.textContent === words) return;
		this.#count.textContent = words;
		this.element.classList.toggle("nothing", words === "No results");
		if (whole && words !== "") this.#events.announce(words);
	}

	/** Scrolls to the match and unfolds its parents. */
	#show(): void {
		const found = this.#found[this.#at];
		if (found === undefined) return;
		const { slot, match } = found;
		this.#events.went();
		slot.expand();
		const parent = match.startContainer.parentElement;
		parent?.closest(".block[hidden]")?.removeAttribute("hidden");
		for (let at = parent?.closest("details"); at != null; at = at.parentElement?.closest("details")) at.open = true;
		this.#mark();
		this.#center(match, STEADY_FRAMES);
	}

	/** Centers the match, again in the next frames, since heights around it settle late. */
	#center(match: StaticRange, frames: number): void {
		const { startContainer, startOffset, endContainer, endOffset } = match;
		if (!startContainer.isConnected) return;
		const range = document.createRange();
		range.setStart(startContainer, startOffset);
		range.setEnd(endContainer, endOffset);
		const box = range.getBoundingClientRect();
		const view = this.#scroller.getBoundingClientRect();
		if (box.top < this.element.getBoundingClientRect().bottom || box.bottom > view.bottom) {
			this.#scroller.scrollTop += box.top - view.top - view.height / 3;
		}
		const sideways = startContainer.parentElement?.closest("pre, .table");
		if (sideways != null) {
			const { left, right, width } = sideways.getBoundingClientRect();
			if (box.left < left || box.right > right) sideways.scrollLeft += box.left - left - width / 3;
		}
		if (frames > 0) requestAnimationFrame(() => this.#center(match, frames - 1));
	}

	#mark(): void {
		const here = this.#found[this.#at];
		CSS.highlights.set("found", new Highlight(...this.#found.slice(0, MOST_MARKED).map(({ match }) => match)));
		CSS.highlights.set("found-here", new Highlight(...(here === undefined ? [] : [here.match])));
	}
}

const SEARCHED = ".turn-text, .markdown, .plain, .call-title";
const BLOCKS = "p, li, h1, h2, h3, h4, h5, h6, td, th, pre, .plain, .turn-text, .call-title";

/** Text of an article in one folded string with line ends between blocks, mapped to its text nodes. */
class ArticleText {
	readonly #nodes: Text[] = [];
	readonly #starts: number[] = [];
	readonly #text: string;

	constructor(article: Element) {
		let text = "";
		let block: Element | null = null;
		for (const root of article.querySelectorAll(SEARCHED)) {
			const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
			for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
				const parent = node.parentElement;
				if (node.nodeName === "BR") text += " ";
				if (!(node instanceof Text) || parent === null || parent.closest(".code-bar, .unbuilt") !== null) continue;
				const its = parent.closest(BLOCKS);
				if (its !== block) text += "\n";
				block = its;
				this.#nodes.push(node);
				this.#starts.push(text.length);
				text += folded(node.data);
			}
		}
		this.#text = text;
	}

	/** Finds all matches of {@link folded} words, in order and without overlap. */
	find(words: string): StaticRange[] {
		const matches: StaticRange[] = [];
		let index = 0;
		/** Node and offset of a position, which only grows. The blank of a `<br>` counts to the node before it. */
		const placeOf = (position: number): readonly [node: Text, offset: number] => {
			while ((this.#starts[index + 1] ?? Number.POSITIVE_INFINITY) <= position) index += 1;
			const node = this.#nodes[index];
			if (node === undefined) throw new Error("a match outside the text");
			return [node, Math.min(position - (this.#starts[index] ?? 0), node.length - 1)];
		};
		for (let at = this.#text.indexOf(words); at !== -1; at = this.#text.indexOf(words, at + words.length)) {
			const [startContainer, startOffset] = placeOf(at);
			const [endContainer, last] = placeOf(at + words.length - 1);
			matches.push(new StaticRange({ startContainer, startOffset, endContainer, endOffset: last + 1 }));
		}
		return matches;
	}
}

/** Folds case and blanks, letter by letter. */
function folded(text: string): string {
	// The one letter that becomes two in lower case.
	return text.replaceAll("\u0130", "i").toLowerCase().replaceAll(/\s/g, " ");
}
