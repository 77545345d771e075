import type { CodehostClient } from "#api/codehost/client.ts";
import type { Issue } from "#api/codehost/model.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Event } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import type { IssueView } from "./issue-view.ts";

/** What a list of issues is doing. What is loaded stays there in each of these. */
export type IssueListState =
	/** Nothing was asked yet, or what was loaded is not to be shown any more. */
	| { readonly name: "idle" }
	| { readonly name: "loading"; readonly what: "first" | "more" | "refresh" }
	| { readonly name: "loaded" }
	/** `what` failed; {@link IssueList.retry} does it again. */
	| { readonly name: "error"; readonly what: "first" | "more" | "refresh"; readonly error: ClientError };

/** What has happened to a list. */
export type IssueListEvent =
	/** `state`, `hasMore` or `total` is another. */
	| { readonly type: "state" }
	/** `issues` has new ones at its end, from that index on. */
	| { readonly type: "appended"; readonly from: number }
	/** `issues` has the same issues in the same places, and those of these numbers are new objects. */
	| { readonly type: "changed"; readonly numbers: readonly number[] }
	/** `issues` is another list. */
	| { readonly type: "replaced" };

/** What a list is made from. */
export interface IssueListParts {
	/** `owner/repo`. */
	readonly repository: string;
	/** The client of the repository's connection. */
	readonly client: () => Promise<CodehostClient>;
	/** The query parameters that the service is known to understand. */
	readonly knownQuery: () => readonly string[];
	readonly view: IssueView;
}

/**
 * The issues of one repository as a tree shows them: a page of a hundred, then more when asked for. A refresh changes
 * in place what has changed and nothing else; a failure takes nothing away. No issue is in it twice.
 */
export declare class IssueList implements Disposable {
	constructor(parts: IssueListParts);
	readonly onDidChange: Event<IssueListEvent>;
	readonly state: IssueListState;
	/** What is to be shown: loaded, of the wanted state, with the words, in the wanted order. Grows in place. */
	readonly issues: readonly Issue[];
	/** How many are loaded, shown or not. */
	readonly loaded: number;
	/** Whether the service has more to load. */
	readonly hasMore: boolean;
	readonly view: IssueView;
	/** Issue of that number, if it is loaded. */
	get(number: number): Issue | undefined;
	/** Loads the first page unless something is loaded or under way. Never rejects: `state` tells. */
	load(): Promise<void>;
	/** Loads the next hundred. */
	loadMore(): Promise<void>;
	/** Asks again for what is loaded; what the service says is unchanged stays the same object. */
	refresh(): Promise<void>;
	/** Does again what failed, although a limit may seem used up: a person asked for it. */
	retry(): Promise<void>;
	/** Ends what is under way; what was loaded before stays. */
	cancel(): void;
	/** Shows otherwise. Asks the service again only where it has to filter or sort itself. */
	show(view: IssueView): Promise<void>;
	/** Takes away everything: the list belongs to somebody else now. */
	reset(): void;
	dispose(): void;
}
