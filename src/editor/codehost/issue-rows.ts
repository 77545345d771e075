import type * as vscode from "vscode";
import type { Issue } from "#api/codehost/model.ts";
import type { IssueList, IssueListEvent } from "#app/codehost/issue-list.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import { type AddedRepository, keyOf } from "#app/codehost/repositories.ts";
import { CHUNK_ROWS, Chunks, chunkLook } from "../chunks.ts";
import { loadingLook } from "../loading-look.ts";
import type { Row, Rows } from "../tree.ts";
import { type ErrorPlace, errorLook, moreLook, noteLook } from "./issue-list-look.ts";
import { IssueLooks } from "./issue-look.ts";

/** So many issues are brought into sight with their repository, where the view has the room. */
const GLIMPSE = 10;

/** Rooms that the rows below a repository are made with. */
export interface IssueRowsParts {
	readonly repository: AddedRepository;
	readonly lists: IssueLists;
	/** Rows of the view. */
	readonly rows: Pick<Rows, "row" | "get">;
	/** The row of the repository. */
	readonly home: () => Row;
	readonly place: () => ErrorPlace;
	/** Hover of the row of an issue, or of an error. */
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
	/** True if the error stood above the issues when they were drawn last. */
	#hasHead = false;

	constructor(parts: IssueRowsParts) {
		this.#parts = parts;
		this.#key = keyOf(parts.repository);
		this.#chunks = new Chunks({
			home: parts.home,
			length: () => this.#list.issues.length,
			rows: (from, to) => this.#list.issues.slice(from, to).map(({ number }) => this.#issueRow(number)),
			group: (from) => this.#groupRow(from),
			last: () => this.#last(),
			isScattered: () => this.#isScattered,
		});
	}

	/** Rows right below the repository; begins to load the first page if nothing was asked yet. */
	children(): readonly Row[] {
		// Without its connection there is nothing to load from, and once that is back nothing to take back.
		if (this.#list.state.name === "idle" && !this.#parts.place().isGone) void this.#list.load();
		this.#hasHead = this.#isHeadWanted;
		const rows = this.#chunks.children(0);
		return this.#hasHead ? [this.#head(), ...rows] : rows;
	}

	/** The rows that are to be drawn again, with what is below them, for what has happened to the list. */
	stale(event: IssueListEvent): readonly Row[] {
		switch (event.type) {
			case "changed":
				return event.numbers.flatMap((number) => this.#parts.rows.get(this.#issueId(number)) ?? []);
			case "appended":
			case "replaced":
				return [this.#chunks.holder(event.from)];
			case "state": {
				const { state, issues } = this.#list;
				if (state.name !== "loading") {
					const isHeadStale = this.#hasHead !== this.#isHeadWanted;
					return [isHeadStale ? this.#parts.home() : this.#chunks.holder(issues.length)];
				}
				// That more is under way changes no other rows.
				return [this.#hasHead ? this.#headId : undefined, this.#endId].flatMap((id) =>
					id === undefined ? [] : (this.#parts.rows.get(id) ?? []),
				);
			}
		}
	}

	/** The last of the first few rows, of what was drawn: where it is in sight, there is something to read. */
	get glimpse(): Row | undefined {
		const { rows } = this.#parts;
		const issue = this.#list.issues.slice(0, GLIMPSE).at(-1);
		return rows.get(issue === undefined ? this.#endId : this.#issueId(issue.number));
	}

	/** The row of the error, while there is one. */
	get error(): Row | undefined {
		if (this.#list.state.name !== "error") return undefined;
		return this.#parts.rows.get(this.#hasHead ? this.#headId : this.#endId);
	}

	/**
	 * True if the error belongs above the issues: what failed is not the loading of more, and somebody who looks at the
	 * first of them would not see it below the last. It is not put above so many that drawing them again takes long.
	 */
	get #isHeadWanted(): boolean {
		const { state, issues, isOutdated } = this.#list;
		const isToBeTold = state.name === "loading" || (state.name === "error" && state.what !== "more");
		const isBounded = this.#hasHead || issues.length <= CHUNK_ROWS;
		return isOutdated && isToBeTold && isBounded && issues.length > 0;
	}

	get #headId(): string {
		return `head:${this.#key}`;
	}

	get #endId(): string {
		return `end:${this.#key}`;
	}

	get #list(): IssueList {
		return this.#parts.lists.of(this.#parts.repository);
	}

	/** In an order that the service was not asked for, each page comes in between. */
	get #isScattered(): boolean {
		return this.#list.unasked.has("sort");
	}

	#groupRow(from: number): Row {
		const { rows, repository } = this.#parts;
		const opens = this.#isScattered ? "closed" : "open";
		// The editor keeps what is open by the id.
		return rows.row(`chunk:${this.#key}@${from}:${opens}`, () => ({
			fields: { ...repository },
			look: () => {
				const to = Math.min(from + CHUNK_ROWS, this.#list.issues.length);
				return chunkLook("Issues", { from, to, opens });
			},
			children: () => this.#chunks.children(from),
		}));
	}

	/** Row above the issues while they are not up to date: why, or that they are refreshed. */
	#head(): Row {
		const { rows, repository, place, cards } = this.#parts;
		return rows.row(this.#headId, () => ({
			fields: { ...repository },
			look: () =>
				this.#list.state.name === "error" ? errorLook(this.#list, place()) : loadingLook("Loading the issues again"),
			card: () => cards.error(),
		}));
	}

	/**
	 * Row after the issues: an error, Load More, or that there is nothing. It is one row, whatever it says, for who
	 * has pressed Enter on it is to find the focus there when it says something else.
	 */
	#last(): Row | undefined {
		const { rows, repository, place, cards } = this.#parts;
		const { state, hasMore, issues, halted } = this.#list;
		const isWell = state.name === "loaded" || state.name === "loading" || this.#hasHead;
		if (isWell && !hasMore && issues.length > 0 && halted === undefined) return undefined;
		return rows.row(this.#endId, () => ({
			fields: { ...repository },
			look: () => {
				const list = this.#list;
				const isError = list.state.name === "error" && !this.#hasHead;
				if (isError || place().isGone) return errorLook(list, place());
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
