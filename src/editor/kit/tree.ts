import * as vscode from "vscode";
import { systemClock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { countdownTo } from "./countdown.ts";
import { leaving } from "./leaving.ts";
import { cardText } from "./plain.ts";
import { type Fields, Row, type RowLook, type RowParts, Rows } from "./rows.ts";
import { plainLine } from "./text.ts";

/** Row for a command whose subject was chosen elsewhere than in a tree. */
export function syntheticRow(fields: Fields): Row {
	return new Row("", { key: "", fields, look: { label: "", spoken: "", context: "" } });
}

/** View of the editor and the way to announce that its rows have changed. */
export interface TreeShell {
	readonly view: vscode.TreeView<object>;
	readonly changed: vscode.EventEmitter<object | undefined>;
}

/** Debounce of redraws, in milliseconds. */
const GATHERED_MS = 30;

/** Attempts to reveal a row, which fails while the editor redraws around it. */
const REVEAL_TRIES = 10;

/** Time that the editor takes to redraw rows, in milliseconds. */
const DRAWN_MS = 100;

/** Content of a tree, recomputed after changes; only differences are redrawn. */
interface TreeSource {
	/** Events that may change rows or the head of the view. */
	readonly changes: readonly ((changed: () => void) => Disposable)[];
	roots(): readonly RowParts[];
	/** Times that rows or the message count down to, in epoch milliseconds; null for none. */
	ends?(): readonly (number | null)[];
	/** Content of the view beside its rows. */
	head?(): {
		/** Words beside the name of the view. */
		readonly description?: string;
		/** Line above the rows; none if empty. */
		readonly message?: string;
		/** Context keys that are set. */
		readonly contexts?: Readonly<Record<string, boolean>>;
		/** Number at the icon of the view; undefined for none. */
		readonly badge?: vscode.ViewBadge | undefined;
		/** Id of the view with a running progress bar; undefined for none. */
		readonly busy?: string | undefined;
	};
	/** Debounce of redraws, in milliseconds. */
	readonly gatheredMs?: number;
}

/** Draws rows in a view that was registered before there was anything to show. */
export class Tree implements vscode.TreeDataProvider<object>, Disposable {
	readonly shell: TreeShell;
	readonly #source: TreeSource;
	readonly #rows: Rows;
	readonly #held = new DisposableStore();
	readonly #countdown: ReturnType<typeof countdownTo>;
	readonly #contexts = new Map<string, boolean>();
	/** Items that rows were drawn as. */
	readonly #items = new WeakMap<Row, { readonly look: RowLook; readonly item: vscode.TreeItem }>();
	#timer: ReturnType<typeof setTimeout> | undefined;
	#endProgress: (() => void) | undefined;

	constructor(shell: TreeShell, source: TreeSource) {
		this.shell = shell;
		this.#source = source;
		this.#rows = new Rows(() => source.roots());
		const refresh = () => this.refresh();
		this.#countdown = this.#held.add(countdownTo(systemClock, () => source.ends?.() ?? [], refresh));
		for (const changed of source.changes) this.#held.add(changed(refresh));
		this.#held.add(shell.view.onDidChangeVisibility(refresh));
		const fold = (element: object, isClosed: boolean) => {
			if (element instanceof Row) element.isClosed = isClosed;
			refresh();
		};
		this.#held.add(shell.view.onDidCollapseElement(({ element }) => fold(element, true)));
		this.#held.add(shell.view.onDidExpandElement(({ element }) => fold(element, false)));
		refresh();
	}

	get selected(): readonly Row[] {
		return this.shell.view.selection.filter((each) => each instanceof Row);
	}

	getChildren(element?: object): object[] {
		return [...this.#rows.below(element instanceof Row ? element : this.#rows.root)];
	}

	getTreeItem(element: object): vscode.TreeItem {
		if (!(element instanceof Row)) return new vscode.TreeItem("");
		const { look } = element.parts;
		let drawn = this.#items.get(element);
		if (drawn?.look !== look) {
			drawn = { look, item: itemOf(element, look) };
			this.#items.set(element, drawn);
		}
		return drawn.item;
	}

	getParent(element: object): object | undefined {
		const parent = element instanceof Row ? element.parent : undefined;
		return parent === this.#rows.root ? undefined : parent;
	}

	resolveTreeItem(item: vscode.TreeItem, element: object): vscode.TreeItem {
		if (!(element instanceof Row)) return item;
		const { card, look } = element.parts;
		const tooltip = card?.() ?? wordsCard(look.label, look.description);
		// A tooltip made of the look is never stale.
		if (card !== undefined) element.card = tooltip.value;
		// The item stays without its card, which would be sent along each time.
		return { ...item, tooltip };
	}

	/** Row at the end of a path of keys, from the top; undefined if there is none. */
	row(...keys: readonly string[]): Row | undefined {
		this.#flush();
		let row: Row | undefined = this.#rows.root;
		for (const key of keys) row = row && this.#known(row).find(({ parts }) => parts.key === key);
		return row;
	}

	/** Reveals the row at the end of a path of keys, expanded and selected, if there is one. */
	async revealAt(...keys: readonly string[]): Promise<void> {
		const row = this.row(...keys);
		if (row !== undefined) await this.reveal(row);
	}

	/** Redraws what has changed: the head at once, visible rows after a debounce. */
	refresh(): void {
		this.#drawHead();
		this.#timer ??= setTimeout(() => {
			this.#timer = undefined;
			this.#countdown.plan();
			if (this.shell.view.visible) this.#flush();
		}, this.#source.gatheredMs ?? GATHERED_MS);
	}

	/** Reveals a row, expanded and selected, and with it the row that `below` gives if there is room. */
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
		// The editor needs the parents first, and may not have asked for them.
		this.#known(row);
		const last = below?.();
		if (last === undefined) return;
		// It may be gone by now, which does not concern the row itself.
		await show(last, { select: false }).catch(() => undefined);
		await show(row, { select: true, focus, expand: true });
	}

	dispose(): void {
		clearTimeout(this.#timer);
		this.#held.dispose();
		this.#endProgress?.();
	}

	/** Rows below one as the editor knows them, or is going to. */
	#known(row: Row): readonly Row[] {
		return row.below ?? this.#rows.below(row);
	}

	#drawHead(): void {
		const { contexts = {}, busy, badge, ...words } = this.#source.head?.() ?? {};
		const { description = "", message = "" } = leaving(words);
		const { view } = this.shell;
		if (description !== (view.description ?? "")) view.description = description;
		if (message !== (view.message ?? "")) view.message = message;
		if (badge?.value !== view.badge?.value) view.badge = badge;
		for (const [key, value] of Object.entries(contexts)) {
			if (value === this.#contexts.get(key)) continue;
			this.#contexts.set(key, value);
			void vscode.commands.executeCommand("setContext", key, value);
		}
		if ((busy !== undefined) === (this.#endProgress !== undefined)) return;
		this.#endProgress?.();
		this.#endProgress = undefined;
		if (busy === undefined) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#endProgress = resolve;
		void vscode.window.withProgress({ location: { viewId: busy } }, () => promise);
	}

	#flush(): void {
		for (const row of this.#rows.update()) this.shell.changed.fire(row === this.#rows.root ? undefined : row);
	}
}

function itemOf(row: Row, look: RowLook): vscode.TreeItem {
	const { icon, color, context, opens, command, highlights } = look;
	const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
	const [label, description, spoken] = leaving([look.label, look.description, look.spoken] as const);
	const item = new vscode.TreeItem(
		highlights === undefined ? label : { label, highlights: highlights.map(([from, to]) => [from, to]) },
		opens === undefined ? None : opens === "open" ? Expanded : Collapsed,
	);
	item.id = row.id;
	item.contextValue = context;
	item.accessibilityInformation = { label: spoken };
	if (description !== undefined) item.description = description;
	if (icon !== undefined) {
		item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
	}
	if (command !== undefined)
		item.command = { command: command.id, title: command.title, arguments: [command.argument ?? row] };
	// By itself a hover would show the label once more.
	if (row.parts.card === undefined && !description) item.tooltip = "";
	return item;
}

/** Builder of a tooltip. All text in it is escaped; web addresses become links: {@link cardText}. */
export class Card {
	/** The card: not trusted, without HTML and without icons. */
	readonly markdown = new vscode.MarkdownString();

	/** A line of its own, in bold. */
	title(text: string): this {
		this.markdown.appendMarkdown(`**${cardText(leaving(plainLine(text)))}**\n\n`);
		return this;
	}

	/** A paragraph. */
	text(text: string): this {
		this.markdown.appendMarkdown(`${cardText(leaving(text.trim()))}\n\n`);
		return this;
	}

	/** A line with a name and a value; none where there is no value. */
	fact(name: string, value: string | number | null | undefined): this {
		if (value === null || value === undefined || value === "") return this;
		this.markdown.appendMarkdown(`${name}: ${cardText(leaving(plainLine(String(value))))}  \n`);
		return this;
	}

	/** Adds such a line for each of some names and values. */
	facts(facts: readonly (readonly [name: string, value: string])[]): this {
		for (const [name, value] of facts) this.fact(name, value);
		return this;
	}

	/** A line across. */
	rule(): this {
		this.markdown.appendMarkdown("\n\n---\n\n");
		return this;
	}
}

/** Tooltip for words that may not fit into a sidebar. */
export function wordsCard(title: string, text = ""): vscode.MarkdownString {
	return new Card().title(title).text(text).markdown;
}
