import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCodehostReply, ISSUES } from "#api/codehost/model.ts";
import { DEFAULT_VIEW, type IssueView, issueMatcher, queryOf, SORTS, unaskedOf } from "#app/codehost/issue-list.ts";

const [first, second, bare] = decodeCodehostReply(ISSUES, [
	{
		number: 12,
		title: "Ring twice",
		state: "open",
		labels: [{ name: "Bug" }],
		user: { login: "ada" },
		created_at: "2024-01-01T00:00:00Z",
		updated_at: "2024-03-01T00:00:00Z",
		comments: 1,
	},
	{
		number: 7,
		title: "ring 10",
		state: "closed",
		created_at: "2024-02-01T00:00:00Z",
		updated_at: "2024-02-02T00:00:00Z",
		comments: 5,
	},
	{ number: 3, title: "Ring 9" },
]);
if (!first || !second || !bare) throw new Error("three issues were written");
const all = [first, second, bare];
const found = (text: string) => all.filter(issueMatcher({ ...DEFAULT_VIEW, state: "all", text })).map((i) => i.number);
const sorted = (sort: "newest" | "oldest" | "updated" | "comments" | "title") =>
	all.toSorted(SORTS[sort].compare).map(({ number }) => number);

test("every word must be in the number, title, labels or author, in any case", () => {
	assert.deepEqual(found("RING"), [12, 7, 3]);
	assert.deepEqual(found("#12"), [12]);
	assert.deepEqual(found("bug ada"), [12]);
	assert.deepEqual(found("bug lin"), []);
	assert.deepEqual(found("  "), [12, 7, 3]);
});

test("an issue of an unknown state is shown as open and as closed", () => {
	const shown = (state: "open" | "closed") => all.filter(issueMatcher({ ...DEFAULT_VIEW, state })).map((i) => i.number);
	assert.deepEqual(shown("open"), [12, 3]);
	assert.deepEqual(shown("closed"), [7, 3]);
});

test("an issue is closed only by that word, in any case, and open by any other", () => {
	const states = ["open", "opened", "OPENED", "OPEN", "closed", "CLOSED"];
	const issues = decodeCodehostReply(
		ISSUES,
		states.map((state, at) => ({ number: at + 1, title: "Ring", state })),
	);
	const shown = (state: "open" | "closed") =>
		issues
			.filter((issue) => issue !== null)
			.filter(issueMatcher({ ...DEFAULT_VIEW, state }))
			.map((i) => i.state);
	assert.deepEqual(shown("open"), ["open", "opened", "OPENED", "OPEN"]);
	assert.deepEqual(shown("closed"), ["closed", "CLOSED"]);
});

test("unknown values come last in every order", () => {
	assert.deepEqual(sorted("newest"), [7, 12, 3]);
	assert.deepEqual(sorted("oldest"), [12, 7, 3]);
	assert.deepEqual(sorted("updated"), [12, 7, 3]);
	assert.deepEqual(sorted("comments"), [7, 12, 3]);
});

test("titles are ordered as people count", () => {
	assert.deepEqual(sorted("title"), [3, 7, 12]);
	assert.deepEqual(all.toSorted(SORTS.service.compare), all);
});

test("a view knows which of its parts the service cannot be asked for", () => {
	const all = ["state", "sort", "direction"];
	const unasked = (change: Partial<IssueView>, known: readonly string[]) => [
		...unaskedOf({ ...DEFAULT_VIEW, ...change }, known),
	];
	assert.deepEqual(unasked({}, []), []);
	assert.deepEqual(unasked({ state: "closed", sort: "oldest" }, []), ["state", "sort"]);
	assert.deepEqual(unasked({ state: "all", sort: "oldest" }, all), []);
	assert.deepEqual(unasked({ sort: "title" }, all), ["sort"], "no service knows that one");
});

test("a service is asked only for what it is known to understand", () => {
	const view = { ...DEFAULT_VIEW, sort: "oldest", state: "closed" } as const;
	assert.deepEqual(queryOf(view, []), {});
	assert.deepEqual(queryOf(view, ["state"]), { state: "closed" });
	assert.deepEqual(queryOf(view, ["state", "sort", "direction"]), {
		state: "closed",
		sort: "created",
		direction: "asc",
	});
	assert.deepEqual(queryOf({ ...DEFAULT_VIEW, sort: "title" }, ["sort"]), {});
});
