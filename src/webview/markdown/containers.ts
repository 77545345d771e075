import { el } from "../dom.ts";
import { CODE_INDENT, type Cursor } from "./cursor.ts";
import type { ListMarker } from "./starts.ts";

/** Deeper quotes and lists are shown as text: no document needs them, and depth costs every later layout. */
export const MAX_DEPTH = 64;

/** Items a list holds before the next ones go into runs, how many go into a run, and how many into a part of one. */
const FREE_ITEMS = 64;
const RUN_ITEMS = 256;
const PART_ITEMS = 8;

interface Container {
	readonly kind: "document" | "quote" | "list" | "item";
	readonly element: HTMLElement | undefined;
	/** Of an item: the columns its content is indented by. */
	readonly indent: number;
	/** Of a list: what its markers have in common. */
	readonly marker: string;
	/** Of an ordered list: its first number. */
	readonly start: number;
	/** The number of the line it began on. */
	readonly line: number;
	children: number;
	/** Of a long list: the group new items go into, and the part of it. */
	run: HTMLElement | undefined;
	part: HTMLElement | undefined;
}

/** The stack of open quotes, lists and items, and what a blank line means in them. */
export class Containers {
	readonly #place: (block: HTMLElement) => void;
	readonly #stack: Container[] = [
		{
			kind: "document",
			element: undefined,
			indent: 0,
			marker: "",
			start: 1,
			line: 0,
			children: 0,
			run: undefined,
			part: undefined,
		},
	];
	#line = 0;
	/** True when the line before was blank in a way that sets blocks of a list apart. */
	#afterBlank = false;

	constructor(place: (block: HTMLElement) => void) {
		this.#place = place;
	}

	get full(): boolean {
		return this.#stack.length >= MAX_DEPTH;
	}

	nextLine(): void {
		this.#line += 1;
	}

	allMatched(matched: number): boolean {
		return matched === this.#stack.length;
	}

	/**
	 * How many containers, from the outermost and at most `depth`, the line continues; the cursor ends up behind their
	 * marks.
	 */
	match(cursor: Cursor, depth = this.#stack.length): number {
		let matched = 1;
		for (; matched < depth; matched += 1) {
			const container = this.#stack[matched];
			if (container === undefined || !continues(container, cursor)) break;
		}
		return matched;
	}

	closeTo(depth: number): void {
		this.#stack.length = Math.max(1, Math.min(depth, this.#stack.length));
	}

	/** The line was blank. */
	blank(): void {
		const top = this.#top();
		const begunHere = top.kind === "item" && top.children === 0 && top.line === this.#line;
		this.#afterBlank = top.kind !== "quote" && !begunHere;
	}

	/** The line was not blank. */
	filled(): void {
		this.#afterBlank = false;
	}

	get depth(): number {
		return this.#stack.length;
	}

	/** Shows a block where it will stand if it is added when all but `depth` containers are closed. */
	preview(block: HTMLElement, depth: number): void {
		const top = this.#stack[depth - 1];
		this.#show(block, top?.kind === "list" ? this.#stack[depth - 2] : top);
	}

	/** Adds a block to the innermost container that may hold it. */
	add(block: HTMLElement): void {
		if (this.#top().kind === "list") this.#stack.pop();
		const parent = this.#top();
		if (parent.kind === "item" && parent.children > 0 && this.#afterBlank) this.#loosen(this.#stack.length - 2);
		parent.children += 1;
		if (block.parentNode === null) this.#show(block, parent);
		this.#afterBlank = false;
	}

	#show(block: HTMLElement, parent: Container | undefined): void {
		if (parent?.element === undefined) this.#place(block);
		else parent.element.append(block);
	}

	openQuote(): void {
		const element = el("blockquote");
		this.add(element);
		this.#push("quote", element, {});
	}

	/** Opens an item, and a list around it unless the innermost open list has the same kind of marker. */
	openItem(marker: ListMarker, indent: number): void {
		const top = this.#top();
		if (top.kind !== "list" || top.marker !== marker.kind) {
			const list = marker.start === undefined ? el("ul", { class: "tight" }) : el("ol", { class: "tight" });
			if (marker.start !== undefined && marker.start !== 1) list.setAttribute("start", String(marker.start));
			this.add(list);
			this.#push("list", list, { marker: marker.kind, start: marker.start ?? 1 });
		} else if (this.#afterBlank) this.#loosen(this.#stack.length - 1);
		const item = this.#addItem(this.#top(), marker);
		this.#push("item", item, { indent });
		this.#afterBlank = false;
	}

	/**
	 * A list of thousands of items costs a layout and a paint of all of them for each that is added, so a long list is
	 * cut into runs of which an engine leaves out those not in view, and these into parts that are laid out and painted
	 * by themselves. Neither says anything to assistive technology; the first item of a run says its number itself,
	 * because a run left out is not counted through.
	 */
	#addItem(list: Container, marker: ListMarker): HTMLElement {
		const item = el("li");
		const beyond = list.children - FREE_ITEMS;
		if (beyond >= 0 && beyond % RUN_ITEMS === 0) {
			list.run?.classList.add("settled");
			list.run = el("div", { class: "run", attributes: { role: "none" } });
			list.element?.append(list.run);
			if (marker.start !== undefined) item.value = list.start + list.children;
		}
		if (list.run !== undefined && beyond % PART_ITEMS === 0) {
			list.part = el("div", { class: "part", attributes: { role: "none" } });
			list.run.append(list.part);
		}
		list.children += 1;
		(list.part ?? list.element)?.append(item);
		return item;
	}

	/** Loose lists set their items apart. A class does it, so that it costs the same for any number of items. */
	#loosen(at: number): void {
		this.#stack[at]?.element?.removeAttribute("class");
	}

	#push(kind: Container["kind"], element: HTMLElement, rest: Partial<Container>): void {
		const { indent = 0, marker = "", start = 1 } = rest;
		this.#stack.push({
			kind,
			element,
			indent,
			marker,
			start,
			line: this.#line,
			children: 0,
			run: undefined,
			part: undefined,
		});
	}

	#top(): Container {
		const top = this.#stack.at(-1);
		if (top === undefined) throw new Error("the document itself was closed");
		return top;
	}
}

function continues(container: Container, cursor: Cursor): boolean {
	switch (container.kind) {
		case "quote":
			if (cursor.indent >= CODE_INDENT || cursor.char !== ">") return false;
			cursor.toNonspace();
			cursor.characters(1);
			cursor.columns(1);
			return true;
		case "item":
			if (cursor.blank) {
				if (container.children === 0) return false;
				cursor.toNonspace();
				return true;
			}
			if (cursor.indent < container.indent) return false;
			cursor.columns(container.indent);
			return true;
		default:
			return true;
	}
}
