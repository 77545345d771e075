import * as vscode from "vscode";
import type { Disposable } from "#base/disposables.ts";
import type { Fields } from "./arguments.ts";
import { cardText } from "./card-text.ts";

/** How a row looks, and what a menu or Enter does with it. */
export interface RowLook {
	readonly label: string;
	readonly description?: string | undefined;
	readonly icon?: string | undefined;
	/** The id of the theme colour of the icon. */
	readonly color?: string | undefined;
	/** What a screen reader says in place of label and description. */
	readonly spoken: string;
	/** What the conditions of the menus look at. */
	readonly context: string;
	/** Whether it can be opened, and whether it is at first; it keeps what the person has done since. */
	readonly opens?: "open" | "closed" | undefined;
	/** The command that Enter and a click run, with the row as its argument. */
	readonly command?: { readonly id: string; readonly title: string } | undefined;
	readonly highlights?: readonly [number, number][] | undefined;
}

/** What a row is made of. Its look and what is below it are asked for each time it is drawn. */
export interface RowParts {
	/** What it stands for, as the argument of a command names it. */
	readonly fields?: Fields | undefined;
	/** While a row looks as before it may give the same object, which no other row gives: it is then drawn at no cost. */
	look(): RowLook;
	/** Never waits for a service: one that is silent would keep back the rows of all others. */
	children?(): readonly Row[];
	/** Shown on hover; asked for only then. */
	card?(): vscode.MarkdownString | undefined;
}

/** One row of a tree. The editor knows a row by its object, so the one of an id stays the same while it is shown. */
export class Row {
	/** Unique in its tree and the same whenever its subject is. */
	readonly id: string;
	readonly parts: RowParts;

	constructor(id: string, parts: RowParts) {
		this.id = id;
		this.parts = parts;
	}

	get fields(): Fields {
		return this.parts.fields ?? {};
	}
}

/** What a command gets when a person has chosen, by another way than a row of a tree, what it is to work on. */
export function asked(fields: Fields): Row {
	const look = { label: "", spoken: "", context: "" };
	return new Row("", { fields, look: () => look });
}

/** Keeps the row of each id, so that drawing a tree anew leaves expansion, selection and focus as they are. */
export class Rows {
	readonly #rows = new Map<string, Row>();

	/** The row of an id; made when there is none yet. */
	row(id: string, make: () => RowParts): Row {
		let row = this.#rows.get(id);
		if (row === undefined) {
			row = new Row(id, make());
			this.#rows.set(id, row);
		}
		return row;
	}

	get(id: string): Row | undefined {
		return this.#rows.get(id);
	}

	/** Forgets the rows for which `keep` says no. */
	prune(keep: (id: string) => boolean): void {
		for (const id of this.#rows.keys()) if (!keep(id)) this.#rows.delete(id);
	}
}

/** A view of the editor and the way to tell it that its rows have changed. */
export interface TreeShell {
	readonly view: vscode.TreeView<object>;
	readonly changed: vscode.EventEmitter<object | undefined>;
}

/** Time in which changes are gathered before a view is told of them. Milliseconds. */
const GATHERED_MS = 30;

/** Number of times that a row is looked for: the editor does not find it while it draws the rows around it anew. */
const REVEAL_TRIES = 10;

/** Time in which the editor draws rows anew. Milliseconds. */
const DRAWN_MS = 100;

/** Draws rows in a view that was registered before there was anything to show. */
export class Tree implements vscode.TreeDataProvider<object>, Disposable {
	readonly shell: TreeShell;
	readonly #roots: () => readonly Row[];
	readonly #stale = new Set<Row>();
	/** What each look of a row was drawn as. */
	readonly #drawn = new WeakMap<RowLook, vscode.TreeItem>();
	/** The row below which each was drawn last: in a long list that changes a row goes from one group to another. */
	readonly #parents = new WeakMap<Row, Row>();
	readonly #gatheredMs: number;
	#allStale = false;
	#timer: ReturnType<typeof setTimeout> | undefined;

	constructor(shell: TreeShell, roots: () => readonly Row[], gatheredMs = GATHERED_MS) {
		this.shell = shell;
		this.#roots = roots;
		this.#gatheredMs = gatheredMs;
	}

	getChildren(element?: object): object[] {
		if (!(element instanceof Row)) return [...this.#roots()];
		const children = element.parts.children?.() ?? [];
		for (const child of children) this.#parents.set(child, element);
		return [...children];
	}

	getTreeItem(element: object): vscode.TreeItem {
		return element instanceof Row ? this.#draw(element) : new vscode.TreeItem("");
	}

	getParent(element: object): object | undefined {
		return element instanceof Row ? this.#parents.get(element) : undefined;
	}

	resolveTreeItem(item: vscode.TreeItem, element: object): vscode.TreeItem {
		// The item itself is drawn again as it is: a card is not to be sent along with it each time.
		return element instanceof Row ? { ...item, tooltip: element.parts.card?.() ?? "" } : item;
	}

	/** Draws a row and what is below it again, or the whole tree; changes that come together are drawn together. */
	refresh(row?: Row): void {
		if (row === undefined) this.#allStale = true;
		else this.#stale.add(row);
		this.#timer ??= setTimeout(() => this.#flush(), this.#gatheredMs);
	}

	/** Brings a row into sight, opens it and selects it; what `below` gives then comes along where there is room. */
	async reveal(row: Row, below?: () => Row | undefined, { focus = true } = {}): Promise<void> {
		const show = async (shown: Row, options: { select: boolean; focus?: boolean; expand?: boolean }) => {
			for (let left = REVEAL_TRIES; ; left -= 1) {
				this.#flush();
				try {
					return await this.shell.view.reveal(shown, options);
				} catch (error) {
					if (left <= 1) throw error;
					await new Promise((resolve) => setTimeout(resolve, DRAWN_MS));
				}
			}
		};
		await show(row, { select: true, focus, expand: true });
		// The editor may not have asked for them yet, and has to know whose they are.
		this.getChildren(row);
		const last = below?.();
		if (last === undefined) return;
		// It may be gone by now, which is no harm to the row itself.
		await show(last, { select: false }).catch(() => undefined);
		await show(row, { select: true, focus, expand: true });
	}

	dispose(): void {
		clearTimeout(this.#timer);
	}

	#draw(row: Row): vscode.TreeItem {
		const look = row.parts.look();
		let item = this.#drawn.get(look);
		if (item === undefined) {
			item = itemOf(row, look);
			this.#drawn.set(look, item);
		}
		return item;
	}

	#flush(): void {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		const stale = [...this.#stale];
		const all = this.#allStale;
		this.#stale.clear();
		this.#allStale = false;
		if (all) this.shell.changed.fire(undefined);
		else for (const row of stale) this.shell.changed.fire(row);
	}
}

function itemOf(row: Row, look: RowLook): vscode.TreeItem {
	const { label, description, icon, color, spoken, context, opens, command, highlights } = look;
	const item = new vscode.TreeItem(
		highlights === undefined ? label : { label, highlights: highlights.map(([from, to]) => [from, to]) },
		opens === undefined
			? vscode.TreeItemCollapsibleState.None
			: opens === "open"
				? vscode.TreeItemCollapsibleState.Expanded
				: vscode.TreeItemCollapsibleState.Collapsed,
	);
	item.id = row.id;
	item.contextValue = context;
	item.accessibilityInformation = { label: spoken };
	if (description !== undefined) item.description = description;
	if (icon !== undefined) {
		item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
	}
	if (command !== undefined) item.command = { command: command.id, title: command.title, arguments: [row] };
	// Without a card of its own a row would show its label once more.
	if (row.parts.card === undefined) item.tooltip = "";
	return item;
}

/** Text for a card. Whatever is put into it stays text, with links to the web pages that it names: {@link cardText}. */
export class Card {
	readonly #markdown = new vscode.MarkdownString();

	/** A line of its own, in bold. */
	title(text: string): this {
		this.#markdown.appendMarkdown(`**${cardText(oneLine(text))}**\n\n`);
		return this;
	}

	/** A paragraph. */
	text(text: string): this {
		this.#markdown.appendMarkdown(`${cardText(text.trim())}\n\n`);
		return this;
	}

	/** A line with a name and a value; none where there is no value. */
	fact(name: string, value: string | number | null | undefined): this {
		if (value === null || value === undefined || value === "") return this;
		this.#markdown.appendMarkdown(`${name}: ${cardText(oneLine(String(value)))}  \n`);
		return this;
	}

	/** A line across. */
	rule(): this {
		this.#markdown.appendMarkdown("\n\n---\n\n");
		return this;
	}

	/** The card: not trusted, without HTML and without icons. */
	get markdown(): vscode.MarkdownString {
		return this.#markdown;
	}
}

function oneLine(text: string): string {
	return text.replaceAll(/\s+/g, " ").trim();
}
