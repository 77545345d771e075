/** Page of ours in an editor tab, as the host describes it and `webview/page.ts` draws it. Its texts are never markup. */
export interface PageView {
	readonly title: string;
	readonly facts?: readonly string[];
	/** Reason why the page is not up to date. */
	readonly problem?: string | undefined;
	/** Buttons of which one is pressed; the page posts the id of another that is. */
	readonly choice?: {
		readonly label: string;
		readonly buttons: readonly (readonly [id: string, label: string])[];
		readonly pressed: string;
	};
	readonly tables: readonly PageTable[];
}

/** Table of a page. The first column names the rows; the second has bars beside its texts. */
export interface PageTable {
	readonly caption: string;
	readonly columns: readonly string[];
	readonly rows: readonly PageRow[];
}

/** Row of a table. */
export interface PageRow {
	readonly name: string;
	readonly values: readonly string[];
	/** Size that the bars of the table compare. */
	readonly size: number;
	/** Blue where it is left out. */
	readonly color?: "green" | "yellow" | "blue" | "purple" | undefined;
}

/** Message by which a page that has been loaded asks for its view. */
export const PAGE_READY = "ready";
