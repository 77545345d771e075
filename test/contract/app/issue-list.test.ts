import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { IssueListEvent } from "#app/codehost/issue-list.ts";
import { DEFAULT_VIEW } from "#app/codehost/issue-view.ts";
import type { CodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import { until } from "../../support/until.ts";
import { openWindow } from "./window.ts";

async function openList(context: TestContext, repository = "exchange/switchboard", behaviour: CodehostBehaviour = {}) {
	const window = await openWindow(context, behaviour);
	const { id } = await window.addPat();
	const added = await window.repositories.add({ connection: id, repository });
	const list = window.lists.of(added);
	const events: IssueListEvent[] = [];
	list.onDidChange((event) => events.push(event));
	window.requests.length = 0;
	return { ...window, id, added, list, events };
}

const kinds = (events: readonly IssueListEvent[]) => events.map(({ type }) => type);
const numbers = (list: { readonly issues: readonly { readonly number: number }[] }) => list.issues.map((i) => i.number);

test("250 issues are shown as 100, 100 and 50, each with one request", async (t) => {
	const { list, requests } = await openList(t);
	assert.equal(list.state.name, "idle");
	const sizes: number[] = [];
	await list.load();
	for (; ; await list.loadMore()) {
		sizes.push(list.issues.length);
		if (!list.hasMore) break;
	}
	assert.deepEqual(sizes, [100, 200, 250]);
	assert.equal(requests.length, 3);
	assert.equal(new Set(numbers(list)).size, 250);
	assert.equal(list.state.name, "loaded");
});

test("a refresh of what has not changed costs 304s, and neither the issues nor anybody who watches them notice", async (t) => {
	const { list, requests, events, sandbox } = await openList(t);
	await list.load();
	await list.loadMore();
	const before = [...list.issues];
	events.length = 0;
	requests.length = 0;
	assert.equal(await list.refresh({ quiet: true }), true);
	assert.deepEqual(events, []);
	assert.deepEqual(
		requests.map(({ status }) => status),
		[304, 304],
	);
	assert.ok(list.issues.every((issue, index) => issue === before[index]));
	// A service without ETags sends everything again: it is the same all the same.
	sandbox.codehost.behave({ omitHeaders: ["etag"] });
	await list.refresh({ quiet: true });
	await list.refresh({ quiet: true });
	assert.deepEqual(events, []);
	assert.ok(list.issues.every((issue, index) => issue === before[index]));
});

test("a refresh keeps what is loaded, page by page, and tells only which issues are new objects", async (t) => {
	const { list, events, sandbox } = await openList(t);
	await list.load();
	await list.loadMore();
	events.length = 0;
	sandbox.codehost.behave({ lean: true });
	await list.refresh();
	assert.deepEqual(kinds(events), ["state", "changed", "state"]);
	assert.equal(list.issues.length, 200);
	assert.equal(list.hasMore, true);
	await list.loadMore();
	assert.equal(list.issues.length, 250);
});

test("pages of a service that decides their size itself add up to a hundred, the first shown at once", async (t) => {
	const { id, list, registry, lists, repositories, events } = await openList(t);
	await registry.edit(id, { profile: "custom" });
	await list.load();
	assert.equal(list.issues.length, 100);
	assert.deepEqual(
		events.filter(({ type }) => type === "appended"),
		[0, 30, 60, 90].map((from) => ({ type: "appended", from })),
	);
	await list.loadMore();
	assert.equal(list.issues.length, 200);
	await list.refresh();
	assert.equal(list.issues.length, 200);
	assert.equal(lists.of(repositories.list()[0] ?? assert.fail()), list);
});

test("an error takes nothing away, and trying again goes on where it failed", async (t) => {
	const { list, sandbox } = await openList(t);
	await list.load();
	const fail: CodehostBehaviour = { fail: { status: 500 } };
	sandbox.codehost.behave(fail);
	assert.equal(await list.loadMore(), false);
	assert.ok(list.state.name === "error" && list.state.what === "more" && list.state.error.code === "server");
	assert.equal(list.issues.length, 100);
	assert.equal(await list.load(), false);
	sandbox.codehost.behave({});
	assert.equal(await list.retry(), true);
	assert.equal(list.issues.length, 200);
	sandbox.codehost.behave(fail);
	await list.refresh();
	assert.equal(list.state.name, "error");
	assert.equal(list.issues.length, 200);
	sandbox.codehost.behave({});
	await list.retry();
	assert.equal(list.state.name, "loaded");
});

test("a first page that fails is an error and not an empty list", async (t) => {
	const { list, sandbox } = await openList(t);
	sandbox.codehost.behave({ fail: { status: 500 } });
	assert.equal(await list.load(), false);
	assert.equal(list.state.name, "error");
	assert.equal(await list.refresh({ quiet: true }), false);
	assert.equal(list.state.name, "error");
});

test("an empty repository is loaded and empty", async (t) => {
	const { list, events } = await openList(t, "exchange/empty");
	await list.load();
	assert.equal(list.state.name, "loaded");
	assert.deepEqual([list.issues.length, list.hasMore], [0, false]);
	await list.refresh({ quiet: true });
	assert.deepEqual(kinds(events), ["state", "state"]);
});

test("the same work asked for twice is done once, other work waits its turn", async (t) => {
	const { list, requests } = await openList(t);
	await Promise.all([list.load(), list.load(), list.refresh()]);
	assert.equal(requests.length, 1);
	await Promise.all([list.loadMore(), list.loadMore(), list.refresh()]);
	assert.equal(list.issues.length, 200);
	assert.deepEqual(
		requests.map(({ status }) => status),
		[200, 200, 304, 304],
	);
});

test("what is cancelled leaves what was there before, and a first page is not loaded until somebody asks again", async (t) => {
	const { list, sandbox } = await openList(t);
	sandbox.codehost.behave({ neverAnswer: true });
	const loading = list.load();
	assert.deepEqual({ ...list.state }, { name: "loading", what: "first" });
	list.cancel();
	await loading;
	assert.deepEqual({ ...list.state }, { name: "stopped" });
	sandbox.codehost.behave({});
	assert.equal(await list.load(), false);
	assert.equal(list.loaded, 0);
	await list.refresh();
	sandbox.codehost.behave({ neverAnswer: true });
	const more = list.loadMore();
	list.cancel();
	assert.equal(await more, false);
	assert.deepEqual([list.state.name, list.issues.length], ["loaded", 100]);
});

test("a refresh that was stopped or signed out of has not gone well, and neither has one that failed quietly", async (t) => {
	const { id, added, list, lists, registry, sandbox } = await openList(t);
	await list.load();
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 500 } });
	assert.equal((await lists.refreshQuietly(added))?.code, "server");
	assert.equal(list.state.name, "loaded", "nobody asked for it");
	sandbox.codehost.behave({ neverAnswer: true });
	for (const end of [() => list.cancel(), () => registry.signOut(id)]) {
		const refreshed = lists.refresh();
		await end();
		assert.equal(await refreshed, false);
	}
});

test("who stops the loading stops what waits for its turn as well", async (t) => {
	const { list, requests } = await openList(t);
	await list.load();
	requests.length = 0;
	const refreshed = list.refresh();
	const more = list.loadMore();
	list.cancel();
	await refreshed;
	assert.equal(await more, false);
	assert.equal(list.loaded, 100);
	assert.equal(list.state.name, "loaded");
	assert.ok(requests.every(({ url }) => !url.includes("page=2")));
	assert.equal(await list.loadMore(), true, "it can be asked for again");
	assert.equal(list.loaded, 200);
});

test("words filter what is loaded without a request, and pages that come later too", async (t) => {
	const { list, requests, events } = await openList(t);
	await list.load();
	events.length = 0;
	await list.show({ ...DEFAULT_VIEW, text: "#24" });
	assert.deepEqual(
		numbers(list).every((number) => `${number}`.startsWith("24")),
		true,
	);
	const found = list.issues.length;
	await list.loadMore();
	await list.loadMore();
	assert.ok(list.issues.length > found);
	assert.equal(requests.length, 3);
	await list.show(DEFAULT_VIEW);
	assert.equal(list.issues.length, 250);
	assert.equal(requests.length, 3);
});

test("a service that sorts and filters itself is asked to, and the old list stays until it answers", async (t) => {
	const { list, requests } = await openList(t, "ada/garden");
	await list.load();
	const open = list.issues.length;
	const shown = list.show({ ...DEFAULT_VIEW, state: "all", sort: "oldest" });
	assert.equal(list.issues.length, open);
	await shown;
	assert.ok(list.issues.length > open);
	assert.match(requests.at(-1)?.url ?? "", /state=all&sort=created&direction=asc/);
	const times = list.issues.map(({ createdAt }) => createdAt ?? 0);
	assert.deepEqual(
		times,
		times.toSorted((a, b) => a - b),
	);
});

test("a list that is shown otherwise asks anew, whatever else is asked of it in the same moment", async (t) => {
	const { list, requests, sandbox } = await openList(t);
	await list.load();
	const view = { ...DEFAULT_VIEW, sort: "oldest" } as const;
	for (const other of [() => list.loadMore(), () => list.refresh(), () => list.show(view)]) {
		const before = requests.length;
		await Promise.all([list.show(view), other()]);
		assert.deepEqual(numbers(list).slice(0, 2), [1, 2]);
		assert.match(requests[before]?.url ?? "", /sort=created&direction=asc/);
		await Promise.all([other(), list.show(DEFAULT_VIEW)]);
		assert.deepEqual(numbers(list).slice(0, 2), [250, 249]);
		assert.equal(list.state.name, "loaded");
	}
	// Also while the service is about to answer what was wanted before.
	sandbox.codehost.behave({ headersAfterMs: 100 });
	const asked = () => sandbox.status().codehost.endpoints.issues;
	const before = asked();
	const first = list.show(view);
	await until(async () => asked() > before, "the first question");
	await Promise.all([first, list.show(DEFAULT_VIEW)]);
	assert.deepEqual(numbers(list).slice(0, 2), [250, 249]);
});

test("signing out empties the lists of the connection, and signing in again loads them anew", async (t) => {
	const { id, list, registry, keys } = await openList(t);
	await list.load();
	await registry.signOut(id);
	assert.deepEqual([list.state.name, list.issues.length, list.hasMore], ["idle", 0, false]);
	assert.equal(await list.load(), false);
	assert.ok(list.state.name === "error" && list.state.error.code === "unauthorized");
	await registry.replaceSecret(id, keys.fineGrained);
	assert.equal(list.state.name, "idle");
	await list.load();
	assert.equal(list.issues.length, 100);
});

test("a list goes with its repository", async (t) => {
	const { added, list, lists, repositories } = await openList(t);
	await repositories.remove(added);
	assert.notEqual(lists.of(added), list);
});

test("a list whose links lead elsewhere says so instead of calling itself complete", async (t) => {
	const { list } = await openList(t, "exchange/switchboard", { linkOrigin: "https://evil.example" });
	await list.load();
	assert.deepEqual([list.issues.length, list.hasMore, list.halted], [100, false, "other-origin"]);
});

test("links that lead from the last page to the first one end the list, and no issue is there twice", async (t) => {
	const { list, requests } = await openList(t, "exchange/switchboard", { links: "next", linkLoop: "cycle" });
	await list.load();
	await list.loadMore();
	await list.loadMore();
	await list.loadMore();
	assert.deepEqual([list.loaded, list.hasMore, list.halted, requests.length], [250, false, "cycle", 3]);
	await list.refresh();
	assert.deepEqual([list.loaded, list.hasMore, list.halted, requests.length], [250, false, "cycle", 6]);
});

test("cursors that lead back to the first page, which had none, are followed that far and no issue is there twice", async (t) => {
	const { list, requests } = await openList(t, "exchange/switchboard", { links: "cursor", linkLoop: "cycle" });
	await list.load();
	await list.loadMore();
	await list.loadMore();
	await list.loadMore();
	assert.deepEqual([list.loaded, list.hasMore, list.halted, requests.length], [250, false, "cycle", 5]);
});

test("a person who tries again is let through a limit that seems used up", async (t) => {
	const { list, sandbox, requests } = await openList(t);
	sandbox.codehost.behave({ fail: { status: 429 } });
	await list.load();
	assert.ok(list.state.name === "error" && list.state.error.code === "rate-limited");
	sandbox.codehost.behave({});
	assert.equal(await list.refresh(), false);
	assert.equal(requests.length, 1);
	assert.equal(await list.retry(), true);
	assert.equal(list.issues.length, 100);
});

test("a repository that goes while others are refreshed quietly is not asked for any more", async (t) => {
	const { id, added, list, lists, repositories, sandbox, requests } = await openList(t);
	const other = await repositories.add({ connection: id, repository: "exchange/archive" });
	await list.load();
	await lists.of(other).load();
	requests.length = 0;
	sandbox.codehost.behave({ headersAfterMs: 100 });
	const refreshing = lists.refreshQuietly(added);
	await repositories.remove(other);
	assert.deepEqual([await refreshing, await lists.refreshQuietly(other)], [null, undefined]);
	assert.deepEqual(
		requests.map(({ url }) => new URL(url).pathname.includes("archive")),
		[false],
	);
});
