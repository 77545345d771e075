/** How a list of issues is shown. */
export interface IssueView {
	/** Words that must all occur in the number, title, labels or author, whatever their case; empty shows all. */
	readonly text: string;
	/** `service` is the order in which the service lists them. */
	readonly sort: IssueSort;
	readonly state: "open" | "closed" | "all";
}

/** An order of issues; what the service does not tell comes last. */
export type IssueSort = "service" | "newest" | "oldest" | "updated" | "comments" | "title";

/** What is shown unless a person says otherwise. */
export const DEFAULT_VIEW: IssueView = { text: "", sort: "service", state: "open" };
