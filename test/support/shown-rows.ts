import { readInPages } from "./shown-pages.ts";

/** A row of a tree that is on screen. */
export interface ShownRow {
	/** As a screen reader says it. */
	readonly name: string;
	/** 1 for the rows at the top. */
	readonly level: number;
	/** How many rows stand beside this one, itself included, on screen or not. */
	readonly siblings: number;
}

/** The rows of a view of the sidebar that are on screen right now, read from the editor's own page. */
export async function readShownRows(view: string): Promise<readonly ShownRow[]> {
	return (await readInPages<readonly ShownRow[]>(readRows(view))).flat();
}

/** Runs in a document: null unless it is that of a window. */
const readRows = (view: string) => `document.querySelector(".monaco-workbench") &&
	[...document.querySelectorAll(".part.sidebar .pane")]
		.filter((pane) => pane.querySelector(".pane-header")?.ariaLabel?.startsWith(${JSON.stringify(view)}))
		.flatMap((pane) => [...pane.querySelectorAll("[role=treeitem]")])
		.map((row) => ({ name: row.ariaLabel, level: Number(row.ariaLevel), siblings: Number(row.ariaSetSize) }))`;
