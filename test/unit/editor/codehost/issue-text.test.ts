import assert from "node:assert/strict";
import { test } from "node:test";
import type { Issue } from "#api/codehost/model.ts";
import {
	issueDocument,
	issueLine,
	issueLink,
	issueQuote,
	issueTitle,
	wholeTitleOf,
} from "#editor/codehost/issue-text.ts";

const plain: Issue = {
	number: 12,
	title: "The bell rings twice",
	state: "open",
	stateReason: null,
	body: "It rings.\r\n\r\nThen again.",
	labels: [{ name: "bug", color: null }],
	author: "ada",
	assignees: [],
	milestone: null,
	htmlUrl: "https://code.example/acme/app/issues/12",
	createdAt: Date.UTC(2026, 0, 2, 3, 4),
	updatedAt: null,
	closedAt: null,
	comments: 0,
	isPullRequest: false,
	raw: {},
};

test("a Markdown link to an issue holds its title as text, whatever is in it", () => {
	const repository = { connection: "ada", repository: "acme/my_app" };
	const linkTo = (fields: object) => issueLink({ repository, issue: { ...plain, ...fields } });
	const address = "https://code.example/acme/app/issues/12";
	assert.equal(linkTo({}), `[acme/my\\_app#12 The bell rings twice](${address})`);
	assert.equal(linkTo({ title: "a](x) <b>\n[c" }), `[acme/my\\_app#12 a\\](x) \\<b\\> \\[c](${address})`);
	assert.match(
		linkTo({ htmlUrl: "https://code.example/a(b)?c=\\) d" }),
		/\]\(https:\/\/code\.example\/a%28b%29\?c=%5c%29%20d\)$/,
	);
	assert.equal(linkTo({ htmlUrl: "command:run" }), "acme/my\\_app#12 The bell rings twice");
});

test("the document holds the body as it was written and the title as text", () => {
	const text = issueDocument({ ...plain, title: "[run](command:x) <b> `code`" });
	assert.match(text, /^# \\\[run\\\]\(command:x\) \\<b\\> \\`code\\`$/m);
	assert.match(text, /\nIt rings\.\n\nThen again\.\n$/);
});

test("the document has no HTML of a service that could take it over", () => {
	const body = '<meta http-equiv="refresh" content="0;url=https://evil.example">';
	const text = issueDocument({ ...plain, title: body, author: body, body });
	assert.doesNotMatch(text, /(?<!\\)<meta/);
});

test("an issue enters a conversation as facts on lines, then its description", () => {
	const body = "one\n\n```\ntwo\r\n> three\u2028four\u0000five";
	const lines = issueQuote({ ...plain, body, title: "a\nb" }, "acme/app").split("\n");
	assert.equal(lines[0], `Issue #${plain.number} of acme/app: a b`);
	assert.deepEqual(lines.slice(lines.indexOf("") + 1), ["one", "", "```", "two", "> threefourfive"]);
	assert.match(issueQuote({ ...plain, body: null }, "acme/app"), /\n\n\(no description\)$/);
});

test("an issue of a list is one line, with what is known of it", () => {
	const line = issueLine({ ...plain, title: "a\nb", state: "open", author: "ada", labels: [] });
	assert.equal(line, `#${plain.number} a b (open; ada)`);
	assert.equal(issueLine({ ...plain, state: null, author: null, labels: [] }).includes("("), false);
});

test("a long description is whole in the document, and truncated in a conversation", () => {
	const issue = { ...plain, body: `${"x".repeat(65_000)} the end` };
	assert.match(issueDocument(issue), /x{65000} the end\n$/);
	const quote = issueQuote(issue, "acme/app");
	assert.ok(quote.length < 21_000);
	assert.match(quote, /The rest is not shown\.\)$/);
});

test("a description beyond what most code hosts allow is cut in the document too", () => {
	const text = issueDocument({ ...plain, body: "x\r\n".repeat(2_000_000) });
	assert.ok(text.length < 66_000);
	assert.match(text, /The rest is not shown\.\)\n$/);
});

test("a title that is copied is whole, in one line and without surprises", () => {
	const title = `one\ntwo\u202e ${"very ".repeat(400)}long`;
	assert.equal(wholeTitleOf({ ...plain, title }), `one two ${"very ".repeat(400)}long`);
	assert.ok(issueTitle({ ...plain, title }).length <= 300);
	assert.equal(wholeTitleOf({ ...plain, title: "\u202e" }), "(no title)");
});

test("a title of joiners between two letters is copied as it is, however long", () => {
	const title = `a${"\u200d".repeat(200_000)}b`;
	assert.equal(wholeTitleOf({ ...plain, title }), title);
});
