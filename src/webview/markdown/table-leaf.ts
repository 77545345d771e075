import { el } from "../dom.ts";
import type { Definitions } from "./definitions.ts";
import { type Align, tableCell, tableFrame } from "./elements.ts";
import { InlineStream } from "./inline-stream.ts";
import { finishInline, type Leaf } from "./leaves.ts";
import { splitRow } from "./starts.ts";

/** A row longer than this is built once more at its end only. */
const ROW_CHARS = 4096;
/** Empty cells a table may be filled up with, so that a wide head over short rows cannot fill the memory. */
const MAX_FILLED_CELLS = 65_536;

/** A table longer than this is frozen. */
const FREE_ROWS = 64;
/**
 * The rows of a frozen table stand in groups that an engine leaves out where they are not in view. Few and large ones:
 * it looks at each of them in every frame.
 */
const GROUP_ROWS = 256;
/** Within a group as many rows are laid out and painted by themselves, so that those around a new one are not again. */
const PART_ROWS = 8;

/** A table: a head, and rows of which only the last is ever touched. */
export class TableLeaf implements Leaf {
	readonly element: HTMLElement;
	readonly #table = el("table");
	readonly #aligns: readonly Align[];
	readonly #definitions: Definitions;
	#body: HTMLElement | undefined;
	#part: HTMLElement | undefined;
	#row: string | undefined;
	#cells: InlineStream[] = [];
	#texts: string[] = [];
	#filled = 0;
	#rows = 0;
	#frozen = false;

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

	/** False when the row would fill up more cells than a table may. */
	accepts(line: string): boolean {
		return this.#filled + this.#aligns.length - splitRow(line).length <= MAX_FILLED_CELLS;
	}

	begin(text: string): void {
		this.#row = text;
		this.#cells = this.#makeCells("td");
		this.#texts = [];
		if (this.#rows === FREE_ROWS) this.#freeze();
		const row = el("tr", { children: this.#cells.map((cell) => cell.element) });
		if (this.#frozen) giveRoles(row);
		this.#place().append(row);
		this.#rows += 1;
	}

	extend(text: string): void {
		this.#row = (this.#row ?? "") + text;
	}

	finishLine(): void {
		if (this.#row === undefined) return;
		this.#fill(splitRow(this.#row), true);
		this.#filled += this.#aligns.length - this.#texts.length;
		this.#row = undefined;
	}

	render(): void {
		if (this.#row !== undefined && this.#row.length <= ROW_CHARS) this.#fill(splitRow(this.#row), false);
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
			else {
				cell.reset(text);
			}
			if (last) finishInline(cell, this.#definitions);
			else cell.render();
		}
	}

	/**
	 * Fixes the columns at the widths they have, and lays rows out one by one from here on: an engine goes through all
	 * rows of a table for every row that is added. Roles say what the display types no longer do. Without a layout to
	 * measure, the table stays as it is.
	 */
	#freeze(): void {
		const heads = [...this.#table.querySelectorAll("th")];
		const widths = heads.map((head) => head.getBoundingClientRect().width);
		if (widths.some((width) => width === 0)) return;
		this.#frozen = true;
		this.#table.style.setProperty("--columns", widths.map((width) => `${width}px`).join(" "));
		this.#table.style.width = `${this.#table.getBoundingClientRect().width}px`;
		this.#table.classList.add("frozen");
		this.#table.setAttribute("role", "table");
		for (const group of this.#table.children) {
			group.setAttribute("role", "rowgroup");
			for (const row of group.children) giveRoles(row);
		}
	}

	/** What the next row goes into. */
	#place(): HTMLElement {
		const below = this.#rows - FREE_ROWS;
		if (this.#body === undefined || (this.#frozen && below % GROUP_ROWS === 0)) {
			this.#body?.classList.add("settled");
			this.#body = this.#table.appendChild(el("tbody"));
			if (this.#frozen) this.#body.setAttribute("role", "rowgroup");
		}
		if (this.#frozen && below % PART_ROWS === 0) {
			this.#part = this.#body.appendChild(el("div", { class: "rows", attributes: { role: "none" } }));
		}
		return this.#part ?? this.#body;
	}

	#makeCells(tag: "th" | "td"): InlineStream[] {
		return this.#aligns.map((align) => new InlineStream(tableCell(tag, align), this.#definitions));
	}
}

function giveRoles(row: Element): void {
	row.setAttribute("role", "row");
	for (const cell of row.children) cell.setAttribute("role", cell.localName === "th" ? "columnheader" : "cell");
}
