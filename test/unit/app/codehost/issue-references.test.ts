import assert from "node:assert/strict";
import { test } from "node:test";
import { issueLinksIn, issueReferencesIn, referredRepository } from "#app/codehost/issue-references.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";

/** References of a text, as they are written, with what they lead to. */
function read(text: string) {
	return issueReferencesIn(text).map(({ from, to, number, repository }) =>
		[text.slice(from, to), number, ...(repository === undefined ? [] : [repository])].join(" "),
	);
}

test("issues are found by number, by repository and by address, in order", () => {
	assert.deepEqual(read("#1, (#23) [#4] fixes:#5. 修复#6 and\n#7"), ["#1 1", "#23 23", "#4 4", "#5 5", "#6 6", "#7 7"]);
	assert.deepEqual(read("see acme/app#12 and a-b/c.d_e#3."), ["acme/app#12 12 acme/app", "a-b/c.d_e#3 3 a-b/c.d_e"]);
	const page = "https://code.example/acme/app";
	assert.deepEqual(read(`${page}/issues/12 (${page}/pull/3) <${page}/-/issues/4>`), [
		`${page}/issues/12 12 ${page}`,
		`${page}/pull/3 3 ${page}`,
		`${page}/-/issues/4 4 ${page}`,
	]);
	const long = `${page}/issues/12#issuecomment-99`;
	assert.deepEqual(read(`Is it ${long}?`), [`${long} 12 ${page}`]);
});

test("what only looks like a number of an issue is none", () => {
	for (const text of [
		"#0 #01 #1234567890 ##1 # 1",
		"#12ab34 #12px #1-a #1_a",
		"a#12 page.html#12 /#12 &#12; .#12",
		"https://code.example/a/b/issues/ https://code.example/a/b/issues/12a https://code.example/a/b#12",
		"acme/app/more#12 ../acme#12",
		"日本/リポ#12 Ada/Garten-ä#12 Ada/Garten-a\u0308#12 äda/garden#12 Ä-x/garden#12",
	]) {
		assert.deepEqual(read(text), [], text);
	}
});

test("a long text of beginnings is searched in a moment", () => {
	const began = performance.now();
	for (const each of ["http://", "a/", "#", "a/b#", "https://a/issues/", "a".repeat(99), "#1"]) {
		issueReferencesIn(each.repeat(500_000 / each.length));
	}
	assert.ok(performance.now() - began < 10_000);
});

test("a reference leads to the added repository of its name or address", async (context) => {
	const { repositories } = await codehostWindow(context);
	const here = await repositories.add({ connection: ADA, repository: "exchange/paging" });
	const other = await repositories.add({ connection: ADA, repository: "exchange/archive" });
	const of = (text: string, from = here) =>
		issueReferencesIn(text).map((each) => referredRepository(each, repositories, from));
	const page = await repositories.page(other);
	assert.deepEqual(of(`#1 Exchange/Archive#2 ${page}/issues/3`), [here, other, other]);
	assert.deepEqual(of("exchange/switchboard#1 https://code.example/exchange/archive/issues/1"), [undefined, undefined]);
});

test("issues and people are links, others than added ones where addresses are told", async (context) => {
	const { repositories, lists } = await codehostWindow(context);
	const repository = await repositories.add({ connection: ADA, repository: "exchange/paging" });
	const list = lists.of(repository);
	await list.load();
	const [issue] = list.issues;
	assert.ok(issue?.htmlUrl);
	const site = issue.htmlUrl.replace(/\/exchange\/.*/, "");
	const text = "@ada: #3 exchange/paging#4 a/b#5 (@lin-x) me@ada.example jos\u00e9@ada @acme/app x/@ada";
	const links = (htmlUrl: string | null) =>
		issueLinksIn(text, { repository, issue: { ...issue, htmlUrl } }, repositories).map(
			({ from, to, url }) => `${text.slice(from, to)} ${url.replace(site, "")}`,
		);
	const own = ["#3 /exchange/paging/issues/3", "exchange/paging#4 /exchange/paging/issues/4"];
	assert.deepEqual(links(null), own);
	assert.deepEqual(links(issue.htmlUrl), ["@ada /ada", ...own, "a/b#5 /a/b/issues/5", "@lin-x /lin-x"]);
});
