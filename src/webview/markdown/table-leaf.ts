import { el } from "../dom.ts";
import type { Definitions } from "./definitions.ts";
import { type Align, tableCell, tableFrame } from "./elements.ts";
import { InlineStream } from "./inline-stream.ts";
import { finishInline, type Leaf } from "./leaves.ts";
import { splitRow } from "./starts.ts";

/** A table: a head, and rows of which only the last is ever touched. */
export class TableLeaf implements Leaf {
	readonly element: HTMLElement;
	readonly #table = el("table");
	readonly #aligns: readonly Align[];
	readonly #definitions: Definitions;
	#body: HTMLElement | undefined;
	#row: string | undefined;
	#cells: InlineStream[] = [];
	#texts: string[] = [];

	constructor(head: readonly string[], aligns: readonly Align[], definitions: Definitions) {
		this.#aligns = aligns;
		this.#definitions = definitions;
		const cells = this.#makeCells("th");
		this.#table.append(el("thead", { children: [el("tr", { children: cells.map((cell) => cell.element) })] }));
		for (const [i, cell] of cells.entries()) {
			cell.append(head[i] ?? "");
			finishInline(cell, definitions);
		}
		this.element = tableFrame(this.#table);
	}

	get tip(): HTMLElement {
		return this.#cells[this.#texts.length - 1]?.element ?? this.#table;
	}

	begin(text: string): void {
		this.#row = text;
		this.#cells = this.#makeCells("td");
		this.#texts = [];
		this.#body ??= this.#table.appendChild(el("tbody"));
		this.#body.append(el("tr", { children: this.#cells.map((cell) => cell.element) }));
	}

	extend(text: string): void {
		this.#row = (this.#row ?? "") + text;
	}

	finishLine(): void {
		if (this.#row === undefined) return;
		this.#fill(splitRow(this.#row), true);
		this.#row = undefined;
	}

	render(): void {
		if (this.#row !== undefined) this.#fill(splitRow(this.#row), false);
	}

	close(): void {
		this.finishLine();
	}

	#fill(texts: readonly string[], last: boolean): void {
		this.#texts = texts.slice(0, this.#cells.length);
		for (const [i, text] of this.#texts.entries()) {
			const cell = this.#cells[i];
			if (cell === undefined) continue;
			if (text.startsWith(cell.source)) cell.append(text.slice(cell.source.length));
			else cell.reset(text);
			if (last) finishInline(cell, this.#definitions);
			else cell.render();
		}
	}

	#makeCells(tag: "th" | "td"): InlineStream[] {
		return this.#aligns.map((align) => new InlineStream(tableCell(tag, align), this.#definitions));
	}
}
