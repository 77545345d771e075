import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CodehostFaults } from "#sandbox/codehost/faults.ts";
import { openWindow } from "../../support/codehost-window.ts";

async function setUp(context: TestContext, repository = "exchange/archive", faults: CodehostFaults = {}) {
	const window = await openWindow(context, faults);
	const { id } = await window.addPat();
	const added = await window.repositories.add({ connection: id, repository });
	const list = window.lists.of(added);
	await list.load();
	window.requests.length = 0;
	return { ...window, added, list };
}

test("an issue is found by number whatever the view shows, and the view is unchanged", async (t) => {
	const { lists, added, list, requests } = await setUp(t, "exchange/paging");
	await lists.show({ ...lists.view, state: "closed", text: "no such words" });
	requests.length = 0;
	const before = list.loaded;
	const { issue } = await lists.find(added, 250);
	assert.equal(issue?.number, 250);
	assert.equal(list.loaded, before);
	assert.deepEqual(list.issues, []);
	assert.match(requests[0]?.url ?? "", /state=all/);
});

test("the search ends with the page that has the issue, a few read ahead aside", async (t) => {
	const { lists, added, requests } = await setUp(t);
	const heard: number[] = [];
	const { issue } = await lists.find(added, 9_750, { onLooked: (count) => heard.push(count) });
	assert.equal(issue?.number, 9_750);
	assert.deepEqual(heard, [100, 200]);
	assert.ok(requests.length <= 10, `${requests.length} requests`);
});

test("an issue far down is found even if the service ignores the page size", async (t) => {
	const { registry, lists, added, requests } = await setUp(t);
	await registry.edit(added.connection, { profile: "custom" });
	requests.length = 0;
	assert.equal((await lists.find(added, 1)).issue?.number, 1);
	assert.ok(requests.length > 300, `${requests.length} requests`);
});

test("an unknown number is reported once all issues were looked through", async (t) => {
	const { lists, added } = await setUp(t, "exchange/paging");
	assert.deepEqual(await lists.find(added, 99_999), { issue: undefined, looked: 250, complete: true });
});

test("a search that is stopped asks nothing more", async (t) => {
	const { lists, added, requests } = await setUp(t);
	const stop = new AbortController();
	const onLooked = () => stop.abort();
	await assert.rejects(lists.find(added, 1, { signal: stop.signal, onLooked }), { code: "aborted" });
	const { length } = requests;
	await new Promise((resolve) => setTimeout(resolve, 50));
	assert.equal(requests.length, length);
});
