/** Page of ours in an editor tab, as the host describes it and `webview/page.ts` draws it. Its texts are never markup. */
export interface PageView {
	readonly title: string;
	/** Name of the tab; the title by default. */
	readonly tab?: string;
	/** Address of a picture that the host serves, and the text that stands for it. */
	readonly picture?: { readonly address: string; readonly text: string } | undefined;
	readonly facts?: readonly string[];
	/** Reason why the page is not up to date. */
	readonly problem?: string | undefined;
	/** Work under way or just done, read aloud when it changes. */
	readonly status?: string | undefined;
	readonly choice?: PageChoice;
	readonly buttons?: readonly PageButton[];
	readonly details?: readonly PageDetail[];
	/** Content between the facts and the tables. */
	readonly nodes?: readonly PageNode[];
	readonly tables: readonly PageTable[];
}

/** Elements of a {@link PageNode}: those of rendered Markdown, and times. */
export const PAGE_TAGS = [
	...["a", "abbr", "b", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em"],
	...["h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "s", "samp"],
	...["small", "span", "strong", "sub", "summary", "sup"],
	...["table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul", "var"],
] as const;

/** Text, or an element with what is in it. A click on a link posts its address to the host. */
export type PageNode =
	| string
	| {
			readonly tag: (typeof PAGE_TAGS)[number];
			readonly attributes?: Readonly<Record<string, string>>;
			readonly children?: readonly PageNode[];
			/** Time that the page tells relative to now, the exact one on hover. Milliseconds since the epoch. */
			readonly time?: number;
			/** Colors of a label: its own, and one in which text can be read on it. */
			readonly colors?: readonly [back: string, text: string];
	  };

/** Button of a page, which posts its id when pressed. A page has each id once. */
export type PageButton = readonly [id: string, label: string];

/** Buttons of which one at most is pressed. */
export interface PageChoice {
	readonly label: string;
	readonly buttons: readonly PageButton[];
	/** Id of the pressed one; any other for none. */
	readonly pressed: string;
}

/** Named values, each perhaps with a button, or with buttons that change the value. */
export interface PageDetail {
	readonly name: string;
	readonly values: readonly { readonly text: string; readonly button?: PageButton }[];
	readonly choice?: Omit<PageChoice, "label">;
	/** True to draw the values as tags beside each other. */
	readonly areTags?: boolean;
}

/** Table of a page. The first column names the rows; the second has bars beside its texts. */
export interface PageTable {
	readonly caption: string;
	readonly columns: readonly string[];
	readonly rows: readonly PageRow[];
}

/** Row of a table. */
export interface PageRow {
	/** Makes a button of the name. */
	readonly id?: string | undefined;
	readonly name: string;
	readonly values: readonly string[];
	/** Size that the bars of the table compare; no bar without one. */
	readonly size?: number;
	/** Blue where it is left out. */
	readonly color?: "green" | "yellow" | "blue" | "purple" | undefined;
}

/** Message by which a page that has been loaded asks for its view. */
export const PAGE_READY = "ready";
