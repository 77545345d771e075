import assert from "node:assert/strict";
import { test } from "node:test";
import type { Issue } from "#api/codehost/model.ts";
import { issueHover, issuePage, issueTab } from "#editor/codehost/issue-page.ts";
import type { PageNode } from "#protocol/page.ts";

const NOW = Date.UTC(2026, 0, 12, 12);
const DAY = 86_400_000;

const whole: Issue = {
	number: 24,
	title: "Lamp is slow",
	state: "open",
	stateReason: null,
	body: "See **there**.",
	labels: [
		{ name: "bug", color: "7057ff" },
		{ name: "pale", color: "fbca04" },
		{ name: "plain", color: null },
	],
	author: "ada",
	assignees: ["lin"],
	milestone: "Winter",
	htmlUrl: "https://code.example/acme/app/issues/24",
	createdAt: NOW - 3 * DAY,
	updatedAt: NOW - DAY,
	closedAt: null,
	comments: 1,
	isPullRequest: false,
	raw: {},
};

const of = (issue: Partial<Issue> = {}) => ({
	repository: { repository: "acme/app", connection: "c" },
	issue: { ...whole, ...issue },
});

const textOf = (node: PageNode): string =>
	typeof node === "string" ? node : node.time === undefined ? (node.children ?? []).map(textOf).join("") : "TIME";

/** Texts of the parts of a page, and the targets of its links. */
function pageOf(issue: Partial<Issue> = {}) {
	const { nodes = [], ...page } = issuePage(of(issue), { tab: "tab", linksIn: () => [] });
	const links = (each: PageNode): string[] =>
		typeof each === "string" ? [] : [each.attributes?.["href"] ?? [], (each.children ?? []).flatMap(links)].flat();
	return { ...page, texts: nodes.map(textOf), links: nodes.flatMap(links) };
}

test("the tab of an issue names its repository, and its connection where two read it", () => {
	assert.equal(issueTab(of()), "acme/app #24 Lamp is slow");
	assert.equal(issueTab(of(), "Work"), "acme/app #24 Lamp is slow · Work");
	assert.ok(issueTab(of({ title: "long ".repeat(90) }), "Work").length < 90);
	assert.equal(issueTab(of({ title: "a\nb\u202e" })), "acme/app #24 a b");
});

test("the header says what the service tells of an issue, and nothing else", () => {
	assert.deepEqual(pageOf().texts, [
		"acme/app #24 · Open · ada opened TIME · updated TIME · 1 comment",
		"bug pale plain",
		"Assigned to lin · Milestone Winter",
		"",
		"See there.",
	]);
	const bare = { state: null, author: null, createdAt: null, updatedAt: null, labels: [], assignees: [] };
	const none = pageOf({ ...bare, milestone: null, comments: null, body: null });
	assert.deepEqual(none.texts.slice(0, 2), ["acme/app #24", ""]);
	assert.match(none.texts.at(-1) ?? "", /no description/);
	const closed = { state: "closed", stateReason: "not_planned", closedAt: NOW, isPullRequest: true, updatedAt: null };
	assert.match(
		pageOf({ ...closed, comments: 0 }).texts[0] ?? "",
		/Closed pull request \(not planned\).*closed TIME · 0 comments$/,
	);
});

test("people and comments are links where the service tells web addresses", () => {
	const site = "https://code.example";
	assert.deepEqual(pageOf().links, [`${site}/ada`, `${site}/acme/app/issues/24`, `${site}/lin`]);
	const below = pageOf({ htmlUrl: `${site}/web/ACME/app/issues/24`, assignees: [] });
	assert.deepEqual(below.links, [`${site}/web/ada`, `${site}/web/ACME/app/issues/24`]);
	for (const htmlUrl of [null, "command:x", "not an address"]) assert.deepEqual(pageOf({ htmlUrl }).links, []);
});

test("a hover is the header and the beginning of the body, rendered and safe", () => {
	const hover = issueHover(of(), NOW);
	assert.match(hover, /^\*\*Lamp is slow\*\*\n\nacme\\\/app \\#24 · Open · /);
	assert.match(hover, /\[ada\]\(<https:\/\/code\.example\/ada>\) opened <span title="[^"<>]+">3 days ago<\/span>/);
	assert.match(hover, /updated <span title="[^"<>]+">1 day ago</);
	assert.match(hover, /\[1 comment\]\(<https:\/\/code\.example\/acme\/app\/issues\/24>\)/);
	assert.match(
		hover,
		/<span style="color:#ffffff;background-color:#7057ff;border-radius:8px;">&nbsp;bug&nbsp;<\/span>/,
	);
	assert.match(hover, /color:#000000;background-color:#fbca04/);
	assert.match(hover, /\n\n---\n\nSee \*\*there\*\*\.$/);
	assert.match(issueHover(of({ body: "OS: a\r\nEditor: b" }), NOW), /\n\nOS: a {2}\nEditor: b$/);
	const evil = "</span><img src=https://x/y><a href='command:x'>x</a> [y](command:y) $(bug)";
	const hostile = issueHover(of({ title: evil, author: evil, labels: [{ name: evil, color: null }], body: evil }), NOW);
	assert.doesNotMatch(hostile, /(?<!\\)<img|(?<!\\)<a href="command|\]\(command:/);
	assert.ok(issueHover(of({ body: "word ".repeat(9_000) }), NOW).length < 2_500);
});
