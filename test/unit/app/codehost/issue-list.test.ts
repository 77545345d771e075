import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodehostClient } from "#api/codehost/client.ts";
import { IssueList, type IssueListParts } from "#app/codehost/issue-list.ts";
import { DEFAULT_VIEW } from "#app/codehost/issue-view.ts";
import { clientAt, serve } from "../../../support/codehost-client.ts";
import { until } from "../../../support/codehost-window.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

/** Pages of a hundred issues behind cursors that mean nothing, the last of which leads on to the first. */
const LEADS_TO: Readonly<Record<string, string>> = { "": "b", a: "b", b: "c", c: "a" };

function pageAfter(path: string) {
	const cursor = new URL(path, "http://x").searchParams.get("after") ?? "";
	const from = { b: 100, c: 200 }[cursor] ?? 0;
	const body = Array.from({ length: 100 }, (_, index) => ({ number: from + index + 1, title: "An issue" }));
	return { headers: { link: `<?after=${LEADS_TO[cursor]}>; rel="next"` }, body };
}

/** Keeps who needs the client waiting until it is let go. */
function heldClient(client: CodehostClient) {
	let letGo = () => {};
	let gate = Promise.resolve();
	return {
		client: () => gate.then(() => client),
		hold: () => {
			const { promise, resolve } = Promise.withResolvers<void>();
			[gate, letGo] = [promise, resolve];
		},
		letGo: () => letGo(),
	};
}

function partsOf(client: CodehostClient): IssueListParts {
	return {
		repository: "acme/app",
		client: async () => client,
		tryAgain: async () => client.tryAgain(),
		knownQuery: () => [],
		view: DEFAULT_VIEW,
		now: Date.now,
	};
}

test("loading more along links that lead in a circle ends, and no issue is there twice", async (context) => {
	const server = await serve(context, ({ path }) => pageAfter(path));
	const client = clientAt(server.origin);
	const parts = partsOf(client);
	const list = new IssueList(parts);
	await list.load();
	for (let presses = 0; list.hasMore && presses < 10; presses++) assert.ok(await list.loadMore());
	assert.deepEqual([list.loaded, list.hasMore, list.halted], [300, false, "cycle"]);
	assert.ok(server.requests.length <= 4);
	await list.refresh();
	assert.deepEqual([list.loaded, new Set(list.issues.map(({ number }) => number)).size], [300, 300]);
});

test("what a page had more than was wanted comes with the next press, although it leads to itself", async (context) => {
	const server = await serve(context, ({ path }) => {
		const body = Array.from({ length: 150 }, (_, index) => ({ number: index + 1, title: "An issue" }));
		return { headers: { link: `<${path}>; rel="next"` }, body };
	});
	const list = new IssueList(partsOf(clientAt(server.origin)));
	await list.load();
	assert.deepEqual([list.loaded, list.hasMore], [100, true]);
	for (let presses = 0; list.hasMore && presses < 3; presses++) await list.loadMore();
	assert.deepEqual([list.loaded, list.hasMore, list.halted], [150, false, "cycle"]);
});

test("a refresh that fails half way does not make a circle of the pages that come next", async (context) => {
	const pages =
		(broken: number) =>
		({ path }: { readonly path: string }) => {
			const page = Number(new URL(path, "http://x").searchParams.get("page") ?? 1);
			if (page === broken) return { status: 404 };
			const body = Array.from({ length: 30 }, (_, index) => ({ number: page * 100 + index, title: "An issue" }));
			return { headers: { link: `<?page=${page + 1}>; rel="next"` }, body };
		};
	const server = await serve(context, pages(0));
	const list = new IssueList(partsOf(clientAt(server.origin)));
	await list.load();
	// By now the pages are shorter, and it takes more of them.
	const shorter = pages(6);
	server.respond = (request) => {
		const { body, ...reply } = shorter(request) as { body?: readonly unknown[] };
		return { ...reply, body: body?.slice(0, 15) };
	};
	assert.equal(await list.refresh(), false);
	server.respond = pages(0);
	await list.loadMore();
	assert.deepEqual([list.loaded, list.hasMore, list.halted], [200, true, undefined]);
});

test("after a refresh a list that goes on where it went on before is no circle", async (context) => {
	const server = await serve(context, ({ path }) => pageAfter(path));
	const client = clientAt(server.origin);
	const parts = partsOf(client);
	const list = new IssueList(parts);
	await list.load();
	await list.loadMore();
	await list.refresh();
	assert.deepEqual([list.loaded, list.hasMore, list.halted], [200, true, undefined]);
});

const ASKING: Readonly<Record<string, (list: IssueList) => Promise<boolean>>> = {
	refreshes: (list) => list.refresh(),
	"wants more": (list) => list.loadMore(),
};
for (const [does, ask] of Object.entries(ASKING)) {
	test(`whoever ${does} while a list is refreshed quietly sees that, and that it fails`, async (context) => {
		const server = await serve(context, ({ path }) => pageAfter(path));
		const client = clientAt(server.origin, { maxAttempts: 1 });
		const { hold, letGo, ...held } = heldClient(client);
		const list = new IssueList({ ...partsOf(client), ...held });
		await list.load();
		hold();
		server.respond = () => ({ status: 500 });
		const quiet = list.refresh({ quiet: true, mayAsk: () => false });
		assert.deepEqual({ ...list.state }, { name: "loaded" });
		const asked = ask(list);
		assert.deepEqual({ ...list.state }, { name: "loading", what: "refresh" });
		letGo();
		assert.deepEqual(await Promise.all([quiet, asked]), [false, false]);
		assert.ok(list.state.name === "error" && list.state.error.code === "server");
		assert.deepEqual([list.loaded, list.isOutdated], [100, true]);
	});
}

test("whoever tries again while a list is refreshed quietly waits for that", async (context) => {
	const server = await serve(context, ({ path }) => pageAfter(path));
	const client = clientAt(server.origin, { maxAttempts: 1 });
	const { hold, letGo, ...held } = heldClient(client);
	const list = new IssueList({ ...partsOf(client), ...held });
	await list.load();
	server.respond = () => ({ status: 500 });
	await list.refresh();
	assert.equal(list.state.name, "error");
	hold();
	server.respond = ({ path }) => pageAfter(path);
	const quiet = list.refresh({ quiet: true, mayAsk: () => false });
	const again = list.retry();
	assert.deepEqual({ ...list.state }, { name: "loading", what: "refresh" });
	letGo();
	assert.deepEqual(await Promise.all([quiet, again]), [true, true]);
	assert.equal(list.state.name, "loaded");
	assert.equal(server.requests.length, 3);
});

test("who refreshes by the time that a quiet refresh has been refused a page gets all of it", async (context) => {
	const released = Promise.withResolvers<void>();
	let [title, isHolding] = ["before", false];
	const server = await serve(context, ({ path }) => {
		const page = Number(new URL(path, "http://x").searchParams.get("page") ?? 1);
		const after = isHolding && page === 2 ? { after: released.promise } : {};
		const body = Array.from({ length: 100 }, (_, index) => ({ number: page * 100 + index, title }));
		return {
			headers: page === 10 ? {} : { link: `<?page=${page + 1}>; rel="next", <?page=10>; rel="last"` },
			body,
			...after,
		};
	});
	const list = new IssueList(partsOf(clientAt(server.origin)));
	await list.load();
	while (list.hasMore) await list.loadMore();
	[title, isHolding] = ["after", true];
	// Of the pages that are asked for ahead, the one that waits for its lane meets a moment without focus.
	let asked = 0;
	const quiet = list.refresh({ quiet: true, mayAsk: () => ++asked !== 7 });
	await until(() => asked >= 7);
	const wanted = list.refresh();
	released.resolve();
	assert.deepEqual(await Promise.all([quiet, wanted]), [true, true]);
	assert.deepEqual([...new Set(list.issues.map((issue) => issue.title))], ["after"]);
	assert.equal(list.state.name, "loaded");
});

/** The pages of a service that decides their size itself: two of them are a hundred issues. */
function halfPageAfter(path: string) {
	const from = path.includes("after=") ? 50 : 0;
	const body = Array.from({ length: 50 }, (_, index) => ({ number: from + index + 1, title: "An issue" }));
	return { headers: from === 0 ? { link: '<?after=50>; rel="next"' } : {}, body };
}

test("of a first hundred that fails half-way what has come stays, and trying again goes on there", async (context) => {
	const server = await serve(context, ({ path }) => (path.includes("after=") ? { status: 500 } : halfPageAfter(path)));
	const list = new IssueList(partsOf(clientAt(server.origin, { maxAttempts: 1 })));
	assert.equal(await list.load(), false);
	assert.ok(list.state.name === "error" && list.state.what === "more");
	assert.deepEqual([list.loaded, list.isOutdated], [50, false]);
	server.respond = ({ path }) => halfPageAfter(path);
	assert.equal(await list.retry(), true);
	assert.deepEqual([list.loaded, server.requests.at(-1)?.path.includes("after=")], [100, true]);
});

test("a first hundred that is stopped half-way is loaded as far as it has come", async (context) => {
	const server = await serve(context, ({ path }) => halfPageAfter(path));
	const list = new IssueList(partsOf(clientAt(server.origin)));
	list.onDidChange(({ type }) => {
		if (type !== "state") list.cancel();
	});
	assert.equal(await list.load(), false);
	assert.deepEqual([list.state.name, list.loaded, list.hasMore], ["loaded", 50, true]);
});

test("a failure says by the clock when the service wants to be asked again, and nothing where it did not say", async (context) => {
	const server = await serve(context, () => ({ status: 429, headers: { "retry-after": "7" } }));
	const clock = new FakeClock();
	const parts = partsOf(clientAt(server.origin, { clock, maxAttempts: 1, maxLimitWaitMs: 0 }));
	const list = new IssueList({ ...parts, now: () => 1_700_000_000_000 });
	await list.load();
	assert.ok(list.state.name === "error");
	assert.equal(list.state.retryAt, 1_700_000_007_000);
	server.respond = () => ({ status: 503 });
	await list.retry();
	assert.ok(list.state.name === "error" && list.state.retryAt === null);
});
