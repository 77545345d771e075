import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT_VIEW } from "#app/codehost/issue-view.ts";
import { headOf, ISSUE_SORTS, isFiltered } from "#editor/codehost/filter-head.ts";

test("the head of the view tells the filter and the order, and nothing where both are as at first", () => {
	assert.equal(headOf(DEFAULT_VIEW), "");
	assert.equal(headOf({ ...DEFAULT_VIEW, sort: "newest" }), "newest first");
	assert.equal(headOf({ text: "bell", state: "closed", sort: "title" }), '"bell" · closed · by title');
});

test("no order but the first goes without a trace", () => {
	const heads = ISSUE_SORTS.map(([sort]) => headOf({ ...DEFAULT_VIEW, sort }));
	assert.equal(heads.filter((head) => head === "").length, 1);
	assert.equal(new Set(heads).size, ISSUE_SORTS.length);
});

test("another order is no filter, other words and other states are", () => {
	assert.equal(isFiltered({ ...DEFAULT_VIEW, sort: "title" }), false);
	assert.equal(isFiltered({ ...DEFAULT_VIEW, text: "bell" }), true);
	assert.equal(isFiltered({ ...DEFAULT_VIEW, state: "all" }), true);
});
