import type * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import type { IssueList, IssueListEvent } from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, keyOf } from "#app/codehost/repositories.ts";
import { CHUNK_ROWS, Chunks, chunkLook } from "../chunks.ts";
import type { Row, Rows } from "../tree.ts";
import { type ErrorPlace, errorLook, moreLook, noteLook } from "./issue-list-look.ts";
import { IssueLooks } from "./issue-look.ts";

/** What the rows below a repository are made with. */
export interface IssueRowsParts {
	readonly repository: AddedRepository;
	readonly lists: IssueLists;
	/** Those of the view. */
	readonly rows: Pick<Rows, "row" | "get">;
	/** The row of the repository. */
	readonly home: () => Row;
	readonly place: () => ErrorPlace;
	/** What is shown over the row of an issue, or of an error. */
	readonly cards: {
		issue(issue: Issue | undefined): vscode.MarkdownString | undefined;
		error(): vscode.MarkdownString | undefined;
	};
}

/** The rows below one repository: its issues, in groups where there are very many, and what stands after them. */
export class IssueRows {
	readonly #parts: IssueRowsParts;
	readonly #key: string;
	readonly #chunks: Chunks<Row>;
	/** Whether a drawing of the tree waits for the first page: it will be drawn anyway. */
	#isAwaited = false;

	constructor(parts: IssueRowsParts) {
		this.#parts = parts;
		this.#key = keyOf(parts.repository);
		this.#chunks = new Chunks({
			home: parts.home,
			length: () => this.#list.issues.length,
			rows: (from, to) => this.#list.issues.slice(from, to).map(({ number }) => this.#issueRow(number)),
			group: (from) => this.#groupRow(from),
			last: () => this.#last(),
		});
	}

	/** What stands right below the repository; loads the first page if nothing was asked yet. */
	async children(): Promise<readonly Row[]> {
		const list = this.#list;
		// What was begun may give way to something else, such as another filter or credential: that is waited for as well.
		// Without its connection there is nothing to load from, and once that is back nothing to take back.
		for (let tries = 0; tries < 2 && isUnknown(list) && !this.#parts.place().isGone; tries++) {
			this.#isAwaited = true;
			await list.load();
			this.#isAwaited = false;
		}
		return this.#chunks.children(0);
	}

	/** The rows that are to be drawn again, with what is below them, for what has happened to the list. */
	stale(event: IssueListEvent): readonly Row[] {
		if (this.#isAwaited) return [];
		switch (event.type) {
			case "changed":
				return event.numbers.flatMap((number) => this.#parts.rows.get(this.#issueId(number)) ?? []);
			case "appended":
			case "replaced":
				return [this.#chunks.holder(event.from)];
			case "state": {
				const { state, issues } = this.#list;
				// That more is under way changes one row only.
				if (state.name !== "loading") return [this.#chunks.holder(issues.length)];
				const end = this.#parts.rows.get(this.#endId);
				return end === undefined ? [] : [end];
			}
		}
	}

	/** The row of the error, while there is one. */
	get error(): Row | undefined {
		return this.#list.state.name === "error" ? this.#parts.rows.get(this.#endId) : undefined;
	}

	get #endId(): string {
		return `end:${this.#key}`;
	}

	get #list(): IssueList {
		return this.#parts.lists.of(this.#parts.repository);
	}

	#groupRow(from: number): Row {
		const { rows, repository } = this.#parts;
		return rows.row(`chunk:${this.#key}@${from}`, () => ({
			fields: { ...repository },
			look: () => {
				const to = Math.min(from + CHUNK_ROWS, this.#list.issues.length);
				return chunkLook("Issues", { from, to, opens: "open" });
			},
			children: () => this.#chunks.children(from),
		}));
	}

	/**
	 * What stands after the issues: an error, Load More, or that there is nothing. It is one row, whatever it says, for who
	 * has pressed Enter on it is to find the focus there when it says something else.
	 */
	#last(): Row | undefined {
		const { rows, repository, place, cards } = this.#parts;
		const { state, hasMore, issues, halted } = this.#list;
		const isWell = state.name === "loaded" || state.name === "loading";
		if (isWell && !hasMore && issues.length > 0 && halted === undefined) return undefined;
		return rows.row(this.#endId, () => ({
			fields: { ...repository },
			look: () => {
				const list = this.#list;
				if (list.state.name === "error" || place().isGone) return errorLook(list, place());
				return list.hasMore || list.state.name !== "loaded" ? moreLook(list) : noteLook(list);
			},
			card: () => cards.error(),
		}));
	}

	#issueRow(number: number): Row {
		const { rows, repository, lists, cards } = this.#parts;
		return rows.row(this.#issueId(number), () => {
			const looks = new IssueLooks();
			return {
				fields: { ...repository, number },
				look: () => looks.of(this.#list.get(number), lists.view.text),
				card: () => cards.issue(this.#list.get(number)),
			};
		});
	}

	#issueId(number: number): string {
		return `issue:${this.#key}#${number}`;
	}
}

/** Whether there is nothing to draw yet. */
function isUnknown({ state, loaded }: IssueList): boolean {
	return state.name === "idle" || (state.name === "loading" && loaded === 0);
}
