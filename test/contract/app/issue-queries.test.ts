import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { IssueList } from "#app/codehost/issue-list.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import type { SavedQuery } from "#app/codehost/issue-queries.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { MemoryStore } from "../../support/memory-editor.ts";

const REPOSITORIES = ["exchange/switchboard", "ada/garden"];

/** A window with two repositories, and lists of which the person has saved these queries. */
async function queried(
	context: TestContext,
	{ profile, saved = [] }: { readonly profile?: CodehostConnection["profile"]; readonly saved?: SavedQuery[] } = {},
) {
	const window = await openWindow(context);
	const { id } = await window.addPat(undefined, profile);
	for (const repository of REPOSITORIES) await window.repositories.add({ connection: id, repository });
	const store = new MemoryStore();
	const open = () => {
		const lists = new IssueLists(window.repositories, store, () => saved);
		context.after(() => lists.dispose());
		return lists;
	};
	window.requests.length = 0;
	const [board = { connection: "", repository: "" }, garden = board] = window.repositories.list();
	return { ...window, id, board, garden, saved, open, lists: open() };
}

function queryIn(lists: IssueLists, name: string): SavedQuery {
	const query = lists.query(name);
	assert.ok(query !== undefined, name);
	return query;
}

const numbers = ({ issues }: IssueList) => issues.map(({ number }) => number);

test("a query about the person lists their issues in each repository", async (t) => {
	const { lists, board, garden, requests } = await queried(t);
	const sent: string[] = [];
	for (const name of ["Assigned to Me", "Created by Me", "Mentioned"]) {
		await lists.show({ ...lists.view, query: queryIn(lists, name) });
		for (const each of [board, garden]) await lists.shown(each).load();
		sent.push(...requests.splice(0).map(({ url }) => new URL(url).search.slice(1)));
		const all = [board, garden].flatMap((each) => lists.shown(each).issues);
		assert.ok(all.length > 0, name);
		if (name === "Created by Me") assert.ok(all.every(({ author }) => author === "ada"));
		if (name === "Assigned to Me") assert.ok(all.every(({ assignees }) => assignees.includes("ada")));
		if (name === "Mentioned") assert.ok(all.every(({ body }) => body?.includes("@ada")));
	}
	const asked = ["assignee", "creator", "mentioned"].map((parameter) => `${parameter}=ada&state=open&per_page=100`);
	assert.deepEqual(
		sent,
		asked.flatMap((each) => [each, each]),
	);
});

test("the list of all issues of a repository stays as it is while a query is shown", async (t) => {
	const { lists, board, requests } = await queried(t);
	const all = lists.of(board);
	await all.load();
	const before = numbers(all);
	await lists.show({ ...lists.view, query: queryIn(lists, "Created by Me") });
	const mine = lists.shown(board);
	await mine.load();
	assert.ok(mine.loaded < all.loaded);
	assert.deepEqual([lists.of(board), numbers(lists.of(board))], [all, before]);
	assert.equal(lists.get(board, before[0] ?? 0)?.number, before[0]);
	await lists.show({ ...lists.view, query: queryIn(lists, "All Issues") });
	assert.equal(lists.shown(board), all);
	assert.equal(requests.length, 2);
});

test("filter, order, more, refresh and retry work for a query as for all issues", async (t) => {
	const label = { name: "By Ada", repositories: ["EXCHANGE/paging"], parameters: { creator: "@me", per_page: 20 } };
	const { lists, repositories, id, sandbox } = await queried(t, { saved: [label] });
	const paging = await repositories.add({ connection: id, repository: "exchange/paging" });
	await lists.show({ ...lists.view, query: label });
	const list = lists.shown(paging);
	await list.load();
	assert.deepEqual([list.loaded, list.hasMore], [83, false]);
	await lists.show({ ...lists.view, sort: "oldest", text: "#24" });
	assert.deepEqual([list.loaded, numbers(list)], [83, [24, 240, 243, 246, 249]]);
	sandbox.codehost.behave({ fail: { status: 500 } });
	assert.equal(await lists.refresh(), false);
	assert.deepEqual([list.isOutdated, list.loaded], [true, 83]);
	sandbox.codehost.behave({});
	assert.equal(await list.retry(), true);
	await lists.refreshQuietly(paging);
	assert.equal(list.state.name, "ready");
});

test("the state of a query holds until the person filters for another", async (t) => {
	const closed = { name: "Done", parameters: { state: "closed", labels: ["bug"] } };
	const { lists, board, requests } = await queried(t, { saved: [closed] });
	await lists.show({ ...lists.view, query: closed });
	await lists.shown(board).load();
	assert.ok(lists.shown(board).issues.every(({ state }) => state === "closed"));
	await lists.show({ ...lists.view, state: "all" });
	assert.ok(lists.shown(board).issues.some(({ state }) => state === "open"));
	const sent = requests.map(({ url }) => new URL(url).searchParams.get("state"));
	assert.deepEqual(sent, ["closed", "all"]);
	assert.equal(lists.of(board).view.state, "all");
});

test("a service without parameters has all issues alone, and is not asked for others", async (t) => {
	const { lists, board, requests } = await queried(t, { profile: "custom" });
	assert.deepEqual(
		lists.queries.map(({ name }) => name),
		["All Issues"],
	);
	await lists.show({ ...lists.view, query: queryIn(lists, "Assigned to Me") });
	const list = lists.shown(board);
	assert.equal(list.untaken, "assignee");
	assert.equal(await list.load(), false);
	assert.deepEqual([list.loaded, requests.length], [0, 0]);
});

test("a service with names of its own is asked by them", async (t) => {
	const profile = { issueQuery: ["state", "creator"], issueQueryNames: { mentioned: "creator" } };
	const { lists, board, requests } = await queried(t, { profile });
	assert.deepEqual(
		lists.queries.map(({ name }) => name),
		["All Issues", "Created by Me", "Mentioned"],
	);
	await lists.show({ ...lists.view, query: queryIn(lists, "Mentioned") });
	assert.equal(await lists.shown(board).load(), true);
	assert.deepEqual(new URL(requests[0]?.url ?? "").search, "?creator=ada&state=open");
});

test("an app is nobody, so that it has no issues of its own", async (t) => {
	const { lists, addApp, repositories } = await queried(t);
	const { id } = await addApp();
	const added = await repositories.add({ connection: id, repository: "exchange/paging" });
	await lists.show({ ...lists.view, query: queryIn(lists, "Mentioned") });
	assert.equal(lists.shown(added).untaken, "@me");
	assert.equal(lists.of(added).untaken, undefined);
});

test("the owner of a token is looked up where the connection does not name them", async (t) => {
	const { lists, registry, keys, baseUrl, requests } = await queried(t);
	const draft = { id: "own", service: "codehost", label: "Own", profile: "sandbox", baseUrl } as const;
	registry.addPassing({ ...draft, credential: { kind: "pat" } }, keys.fineGrained);
	await lists.show({ ...lists.view, query: queryIn(lists, "Created by Me") });
	assert.ok(await lists.shown({ connection: "own", repository: "ada/garden" }).load());
	assert.deepEqual(
		requests.map(({ url }) => new URL(url).pathname.split("/").at(-1)),
		["user", "issues"],
	);
	assert.match(requests[1]?.url ?? "", /creator=ada/);
});

test("a later window shows the query again, as it is in the settings by then", async (t) => {
	const blockers = (labels: string) => ({ name: "Blockers", parameters: { labels } });
	const { lists, saved, open, board } = await queried(t, { saved: [blockers("bug")] });
	await lists.show({ ...lists.view, query: queryIn(lists, "Blockers") });
	await new Promise(setImmediate);
	assert.equal(open().view.query.name, "Blockers");
	const before = lists.shown(board);
	await lists.renewQuery();
	assert.equal(lists.shown(board), before);
	saved.splice(0, 1, blockers("enhancement"));
	await lists.renewQuery();
	assert.deepEqual(lists.shown(board).view.query.parameters, { labels: "enhancement" });
});

test("a query that is not in the settings for a while is chosen still", async (t) => {
	const blockers = { name: "Blockers", parameters: { labels: "bug" } };
	const { lists, saved, open } = await queried(t, { saved: [blockers] });
	await lists.show({ ...lists.view, query: queryIn(lists, "Blockers") });
	await new Promise(setImmediate);
	saved.length = 0;
	await lists.renewQuery();
	const later = open();
	await lists.show({ sort: "newest" });
	await new Promise(setImmediate);
	for (const each of [lists, later, open()]) {
		assert.equal(each.view.query.name, "All Issues");
		saved.push(blockers);
		await each.renewQuery();
		assert.deepEqual(each.view.query, blockers);
		saved.length = 0;
	}
});

test("a query of the person's goes before one of ours with its name", async (t) => {
	const own = ["Mentioned", "All Issues"].map((name) => ({ name, parameters: { labels: "bug" } }));
	const { lists, open, board } = await queried(t, { saved: own });
	const all = lists.of(board);
	for (const query of own) {
		assert.deepEqual(
			lists.queries.filter(({ name }) => name === query.name),
			[query],
		);
		await lists.show({ ...lists.view, query });
		await new Promise(setImmediate);
		await lists.renewQuery();
		for (const each of [lists, open()]) assert.deepEqual(each.shown(board).view.query, query);
		assert.equal(lists.of(board), all);
	}
});

test("@me in a list of values is the person too", async (t) => {
	const query = { name: "Ours", parameters: { creator: ["@me"] } };
	const { lists, board, requests, addApp, repositories } = await queried(t, { saved: [query] });
	await lists.show({ ...lists.view, query });
	await lists.shown(board).load();
	assert.match(requests[0]?.url ?? "", /creator=ada&/);
	const { id } = await addApp();
	assert.equal(lists.shown(await repositories.add({ connection: id, repository: "exchange/paging" })).untaken, "@me");
});

test("what is shown in passing is not kept for later windows", async (t) => {
	const { lists, open } = await queried(t);
	const all = { group: "repository", query: queryIn(lists, "All Issues") } as const;
	await lists.show({ group: "label", query: queryIn(lists, "Mentioned") });
	await lists.show(all, { isPassing: true });
	await new Promise(setImmediate);
	assert.deepEqual([open().view.group, open().view.query.name], ["label", "Mentioned"]);
	await lists.show(all);
	await new Promise(setImmediate);
	assert.deepEqual(open().view, lists.view);
});
