import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeCodehostReply, ISSUES } from "#api/codehost/model.ts";
import { groupIssues, issueGrouper } from "#app/codehost/issue-groups.ts";

const [APP, SITE] = [
	{ connection: "ada", repository: "acme/app" },
	{ connection: "ada", repository: "acme/site" },
];

function issuesOf(...raw: readonly object[]) {
	const bare = { title: "An issue" };
	return decodeCodehostReply(
		ISSUES,
		raw.map((each, at) => ({ ...bare, number: at + 1, ...each })),
	).filter((issue) => issue !== null);
}

/** Groups of one repository as their names, and the numbers in each. */
function grouped(field: "label" | "milestone" | "assignee", ...raw: readonly object[]) {
	const lists = [{ repository: APP, issues: issuesOf(...raw) }];
	const groups = groupIssues(lists, "service", field);
	return groups.map(({ name, issues }) => [name, ...issues.map(({ issue }) => issue.number)]);
}

test("an issue is in the group of each of its labels once; those without come last", () => {
	const groups = grouped(
		"label",
		{},
		{ labels: ["ui", { name: "bug" }] },
		{ labels: ["bug", "bug"] },
		{ labels: ["\u200b ", ""] },
		{ labels: ["", "UI"] },
	);
	assert.deepEqual(groups, [
		["bug", 2, 3],
		["ui", 2, 5],
		["", 1, 4],
	]);
});

test("groups are sorted by name, whose numbers count as such", () => {
	const milestones = ["v1.10", "v1.9", "Backlog"].map((title) => ({ milestone: { title } }));
	assert.deepEqual(grouped("milestone", {}, ...milestones), [
		["Backlog", 4],
		["v1.9", 3],
		["v1.10", 2],
		["", 1],
	]);
	const assignees = [{ login: "lin" }, { login: "Ada" }];
	assert.deepEqual(grouped("assignee", { assignees }, { assignee: { login: "ada" } }), [
		["Ada", 1, 2],
		["lin", 1],
	]);
});

test("repositories share a group, in the order of the view or one after another", () => {
	const at = (day: number) => ({ labels: ["bug"], updated_at: `2026-01-0${day}T00:00:00Z` });
	const lists = [
		{ repository: APP, issues: issuesOf(at(4), at(2)) },
		{ repository: SITE, issues: issuesOf(at(3), {}) },
	];
	const bugs = (sort: "service" | "updated") =>
		groupIssues(lists, sort, "label")[0]?.issues.map(
			({ repository, issue }) => `${repository.repository}#${issue.number}`,
		);
	assert.deepEqual(bugs("service"), ["acme/app#1", "acme/app#2", "acme/site#1"]);
	assert.deepEqual(bugs("updated"), ["acme/app#1", "acme/site#1", "acme/app#2"]);
});

test("groups are made anew only when a list, its order or the grouping has changed", () => {
	const group = issueGrouper();
	const list = { repository: APP, issues: issuesOf({ labels: ["bug"] }) };
	const first = group([list], "service", "label");
	assert.equal(group([{ ...list }], "service", "label"), first);
	for (const [lists, grouping] of [
		[[{ ...list, issues: [...list.issues] }], "label"],
		[[list], "none"],
		[[], "none"],
		[[list], "label"],
	] as const) {
		assert.deepEqual(group(lists, "service", grouping).length, lists.length);
	}
	assert.notEqual(group([list], "service", "label"), first);
});
