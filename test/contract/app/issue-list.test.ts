import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DEFAULT_VIEW } from "#app/codehost/issue-list.ts";
import type { CodehostFaults } from "#sandbox/codehost/faults.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { lean } from "../../support/misbehavior.ts";
import { type Respond, serve } from "../../support/recording-server.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";

async function openList(context: TestContext, repository = "exchange/paging", faults: CodehostFaults = {}) {
	const window = await openWindow(context, faults);
	const { id } = await window.addPat();
	const added = await window.repositories.add({ connection: id, repository });
	const list = window.lists.of(added);
	window.requests.length = 0;
	return { ...window, id, added, list };
}

/** The list of a repository of a service that answers in its own way. */
async function listAt(context: TestContext, respond: Respond) {
	const server = await serve(context, respond);
	const { registry, lists } = await openWindow(context);
	const draft = {
		id: "own",
		service: "codehost",
		label: "Own",
		profile: "custom",
		credential: { kind: "pat" },
	} as const;
	registry.addPassing({ ...draft, baseUrl: server.origin }, "service_pat_0123456789abcdef");
	return { server, list: lists.of({ connection: "own", repository: "acme/app" }) };
}

/** Pages of a hundred issues behind cursors that mean nothing, the last of which leads on to the first. */
const LEADS_TO: Readonly<Record<string, string>> = { "": "b", a: "b", b: "c", c: "a" };

const pageAfter: Respond = ({ path }) => {
	const cursor = new URL(path, "http://x").searchParams.get("after") ?? "";
	const from = { b: 100, c: 200 }[cursor] ?? 0;
	const body = Array.from({ length: 100 }, (_, index) => ({ number: from + index + 1, title: "An issue" }));
	return { headers: { link: `<?after=${LEADS_TO[cursor]}>; rel="next"` }, body };
};

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
	assert.equal(list.state.name, "ready");
});

test("words filter what is loaded without a request, and pages that come later too", async (t) => {
	const { list, requests } = await openList(t);
	await list.load();
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

test("a service that sorts and filters does so, and the old list stays until then", async (t) => {
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

test("a list shown otherwise requests again, whatever else is asked at that moment", async (t) => {
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
		assert.equal(list.state.name, "ready");
	}
	// Also while the service is about to answer what was wanted before.
	sandbox.codehost.behave({ headersAfterMs: 100 });
	const asked = () => requestsTo(sandbox, "issues").length;
	const before = asked();
	const first = list.show(view);
	await until(async () => asked() > before, "the first question");
	await Promise.all([first, list.show(DEFAULT_VIEW)]);
	assert.deepEqual(numbers(list).slice(0, 2), [250, 249]);
});

test("signing out empties a connection's lists, and signing in loads them again", async (t) => {
	const { id, list, registry, keys } = await openList(t);
	await list.load();
	await registry.signOut(id);
	assert.deepEqual([list.state.name, list.issues.length, list.hasMore], ["idle", 0, false]);
	assert.equal(await list.load(), false);
	assert.ok(list.state.error?.code === "unauthorized");
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

test("a retry by a person passes a limit that seems used up", async (t) => {
	const { list, sandbox, requests } = await openList(t);
	sandbox.codehost.behave({ fail: { status: 429 } });
	await list.load();
	assert.ok(list.state.error?.code === "rate-limited");
	sandbox.codehost.behave({});
	assert.equal(await list.refresh(), false);
	assert.equal(requests.length, 1);
	assert.equal(await list.retry(), true);
	assert.equal(list.issues.length, 100);
});

test("a refresh without changes costs 304s, is not announced and keeps each issue", async (t) => {
	const { list, requests, sandbox, lists, added } = await openList(t);
	await list.load();
	await list.loadMore();
	const before = [...list.issues];
	requests.length = 0;
	const announced = list.onDidChange(() => assert.fail("announced"));
	await lists.refreshQuietly(added);
	announced.dispose();
	assert.deepEqual(
		requests.map(({ status }) => status),
		[304, 304],
	);
	// A service that knows no ETags sends everything again.
	sandbox.codehost.behave({}, (reply, { request }) => {
		delete request.headers["if-none-match"];
		return reply;
	});
	await list.refresh();
	assert.ok(list.issues.every((issue, index) => issue === before[index]));
});

test("a refresh takes over what has changed and keeps how much is loaded", async (t) => {
	const { list, sandbox } = await openList(t);
	await list.load();
	await list.loadMore();
	const [before] = list.issues;
	sandbox.codehost.behave({}, lean);
	await list.refresh();
	assert.notEqual(list.issues[0], before);
	assert.deepEqual([list.issues.length, list.hasMore], [200, true]);
	await list.loadMore();
	assert.equal(list.issues.length, 250);
});

test("a failure keeps the issues, says where it belongs, and is repeated by Retry", async (t) => {
	const { list, lists, added, sandbox } = await openList(t);
	sandbox.codehost.behave({ fail: { status: 500 } });
	assert.equal(await list.load(), false);
	assert.deepEqual([list.state.name, list.state.failed?.what, list.isOutdated], ["failed", "refresh", false]);
	sandbox.codehost.behave({});
	assert.equal(await list.retry(), true);
	sandbox.codehost.behave({ fail: { status: 500 } });
	for (const [work, failed, loaded] of [
		["loadMore", "more", 100],
		["refresh", "refresh", 200],
	] as const) {
		assert.equal(await list[work](), false);
		assert.deepEqual([list.state.error?.code, list.state.failed?.what, list.loaded], ["server", failed, loaded]);
		assert.equal(list.isOutdated, work === "refresh");
		assert.equal(await list.load(), false);
		sandbox.codehost.behave({});
		assert.equal(await list.retry(), true);
		assert.deepEqual([list.state.name, list.state.failed?.what, list.loaded], ["ready", undefined, 200]);
		sandbox.codehost.behave({ fail: { status: 500 } });
	}
	await lists.refreshQuietly(added);
	assert.equal(list.state.name, "ready", "a background refresh that fails shows nothing");
});

test("a canceled load keeps the issues; a canceled first load waits for a person", async (t) => {
	const { list, lists, added, sandbox } = await openList(t);
	const canceled = async (work: "load" | "loadMore" | "refresh") => {
		sandbox.codehost.behave({ neverAnswer: true });
		const done = list[work]();
		list.cancel();
		assert.equal(await done, false);
		sandbox.codehost.behave({});
	};
	await canceled("load");
	assert.equal(await list.load(), false);
	await lists.refreshQuietly(added);
	assert.deepEqual([list.isStopped, list.loaded], [true, 0]);
	await list.loadMore();
	for (const work of ["loadMore", "refresh"] as const) {
		await canceled(work);
		assert.deepEqual([list.state.name, list.issues.length], ["ready", 100]);
	}
});

test("loading along links that lead in a circle ends, and no issue is there twice", async (t) => {
	const { server, list } = await listAt(t, pageAfter);
	await list.load();
	await list.loadMore();
	await list.refresh();
	assert.deepEqual([list.loaded, list.hasMore, list.listing.halted], [200, true, undefined]);
	for (let presses = 0; list.hasMore && presses < 10; presses++) assert.ok(await list.loadMore());
	assert.deepEqual([list.loaded, list.hasMore, list.listing.halted], [300, false, "cycle"]);
	await list.refresh();
	assert.equal(new Set(numbers(list)).size, 300);
	server.respond = ({ path }) => {
		const body = Array.from({ length: 150 }, (_, index) => ({ number: index + 1, title: "An issue" }));
		return { headers: { link: `<${path}>; rel="next"` }, body };
	};
	await list.refresh();
	assert.deepEqual([list.loaded, list.listing.halted], [150, "cycle"], "a page that leads to itself");
});

test("a failure says when the service can be asked again, if the service did", async (t) => {
	const { server, list } = await listAt(t, () => ({ status: 429, headers: { "retry-after": "7" } }));
	await list.load();
	const { retryAt } = list;
	assert.ok(retryAt !== null);
	server.respond = () => ({ status: 503 });
	await list.retry();
	assert.equal(list.retryAt, null);
});
