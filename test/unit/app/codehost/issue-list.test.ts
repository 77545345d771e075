import assert from "node:assert/strict";
import { test } from "node:test";
import type { CodehostClient } from "#api/codehost/client.ts";
import { IssueList, type IssueListParts } from "#app/codehost/issue-list.ts";
import { DEFAULT_VIEW } from "#app/codehost/issue-view.ts";
import { clientAt, serve } from "../../../support/codehost-client.ts";

/** Pages of a hundred issues behind cursors that mean nothing, the last of which leads on to the first. */
const LEADS_TO: Readonly<Record<string, string>> = { "": "b", a: "b", b: "c", c: "a" };

function pageAfter(path: string) {
	const cursor = new URL(path, "http://x").searchParams.get("after") ?? "";
	const from = { b: 100, c: 200 }[cursor] ?? 0;
	const body = Array.from({ length: 100 }, (_, index) => ({ number: from + index + 1, title: "An issue" }));
	return { headers: { link: `<?after=${LEADS_TO[cursor]}>; rel="next"` }, body };
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
