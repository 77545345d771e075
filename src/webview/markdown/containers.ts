import { el } from "../dom.ts";
import { CODE_INDENT, type Cursor } from "./cursor.ts";
import type { ListMarker } from "./starts.ts";

/** Deeper quotes and lists are shown as text: no document needs them, and depth costs every later layout. */
export const MAX_DEPTH = 64;

interface Container {
	readonly kind: "document" | "quote" | "list" | "item";
	readonly element: HTMLElement | undefined;
	/** Of an item: the columns its content is indented by. */
	readonly indent: number;
	/** Of a list: what its markers have in common. */
	readonly marker: string;
	/** The number of the line it began on. */
	readonly line: number;
	children: number;
}

/** The stack of open quotes, lists and items, and what a blank line means in them. */
export class Containers {
	readonly #place: (block: HTMLElement) => void;
	readonly #stack: Container[] = [
		{ kind: "document", element: undefined, indent: 0, marker: "", line: 0, children: 0 },
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

	/** Counts the containers, from the outermost, that the line continues; the cursor ends up behind their marks. */
	match(cursor: Cursor): number {
		let matched = 1;
		for (; matched < this.#stack.length; matched += 1) {
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

	/** Adds a block to the innermost container that may hold it. */
	add(block: HTMLElement): void {
		if (this.#top().kind === "list") this.#stack.pop();
		const parent = this.#top();
		if (parent.kind === "item" && parent.children > 0 && this.#afterBlank) this.#loosen(this.#stack.length - 2);
		parent.children += 1;
		if (parent.element === undefined) this.#place(block);
		else parent.element.append(block);
		this.#afterBlank = false;
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
			this.#push("list", list, { marker: marker.kind });
		} else if (this.#afterBlank) this.#loosen(this.#stack.length - 1);
		const item = el("li");
		const list = this.#top();
		list.children += 1;
		list.element?.append(item);
		this.#push("item", item, { indent });
		this.#afterBlank = false;
	}

	/** Loose lists set their items apart. A class does it, so that it costs the same for any number of items. */
	#loosen(at: number): void {
		this.#stack[at]?.element?.removeAttribute("class");
	}

	#push(kind: Container["kind"], element: HTMLElement, rest: Partial<Container>): void {
		const { indent = 0, marker = "" } = rest;
		this.#stack.push({ kind, element, indent, marker, line: this.#line, children: 0 });
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
