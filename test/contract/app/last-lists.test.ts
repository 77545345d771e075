import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DEFAULT_VIEW } from "#app/codehost/issue-list.ts";
import { IssueLists } from "#app/codehost/issue-lists.ts";
import { lastLists } from "#app/codehost/last-lists.ts";
import { type AddedRepository, repositoryKey } from "#app/codehost/repositories.ts";
import type { CodehostFaults } from "#sandbox/codehost/faults.ts";
import { openWindow } from "../../support/codehost-window.ts";

const HOUR = 60 * 60_000;

/** A window that has read a repository, and later windows of the same workspace. */
async function visited(context: TestContext, repository = "exchange/switchboard") {
	const window = await openWindow(context);
	const { id } = await window.addPat();
	const added = await window.repositories.add({ connection: id, repository });
	const first = window.lists.of(added);
	await first.load();
	await new Promise(setImmediate);
	const later = (of: AddedRepository = added) => {
		const lists = new IssueLists(window.repositories, window.store);
		context.after(() => lists.dispose());
		return lists.shown(of);
	};
	/** The list of a later window that meets a fault. */
	const met = async (fail: CodehostFaults, list = later()) => {
		window.sandbox.codehost.behave(fail);
		await list.load();
		return list;
	};
	const kept = () => Object.keys((window.store.get("switchboard.issues.last") as object | undefined) ?? {});
	return { ...window, id, added, first, later, met, kept };
}

const AWAY = { fail: { status: 503 } };

test("a later window shows the last list while the service is away, and since when", async (t) => {
	const { first, later, met, clock, sandbox } = await visited(t);
	clock.advance(2 * HOUR);
	const list = await met(AWAY);
	const plain = (of: typeof list) => of.issues.map(({ raw: _, ...issue }) => issue);
	assert.ok(list.loaded > 0);
	assert.deepEqual(plain(list), plain(first));
	assert.deepEqual([list.isOutdated, list.state.error?.code], [true, "overloaded"]);
	assert.equal(Math.round(list.ageMs / HOUR), 2);
	sandbox.codehost.behave({});
	assert.equal(await list.retry(), true);
	assert.deepEqual([list.isOutdated, Math.round(list.ageMs / HOUR)], [false, 0]);
	await new Promise(setImmediate);
	const unreached = await met({ drop: 9 }, later());
	assert.deepEqual([unreached.isOutdated, Math.round(unreached.ageMs / HOUR)], [true, 0]);
});

test("a last list ends with more to load", async (t) => {
	const { met, sandbox } = await visited(t, "exchange/paging");
	const list = await met(AWAY);
	assert.ok(list.loaded > 0 && list.loaded <= 100);
	assert.equal(list.hasMore, true);
	sandbox.codehost.behave({});
	await list.loadMore();
	assert.equal(list.loaded, 200);
});

test("a refusal shows no last list, and ends it", async (t) => {
	for (const [status, left] of [
		[401, 0],
		[403, 0],
		[404, 0],
	] as const) {
		const { met, later, sandbox, kept } = await visited(t);
		const shown = await met(AWAY, later());
		assert.equal((await met({ fail: { status } })).loaded, 0, `${status}`);
		await shown.refresh();
		assert.equal(shown.loaded, 0, "also where it was shown before");
		sandbox.codehost.behave({});
		await new Promise(setImmediate);
		assert.equal(kept().length, left);
	}
});

test("a refusal ends all last lists of its connection or repository", async (t) => {
	for (const [status, left] of [
		[401, 0],
		[404, 1],
	] as const) {
		const { met, first, kept, lists, repositories, id } = await visited(t);
		await first.show({ ...DEFAULT_VIEW, state: "closed" });
		await lists.of(await repositories.add({ connection: id, repository: "ada/garden" })).load();
		await new Promise(setImmediate);
		assert.equal(kept().length, 3);
		await met({ fail: { status } });
		await new Promise(setImmediate);
		assert.equal(kept().length, left, `${status}`);
	}
});

test("a service that wants fewer requests leaves the last list on screen", async (t) => {
	const { met, first } = await visited(t);
	const list = await met({ fail: { status: 429 } });
	assert.deepEqual([list.state.error?.code, list.loaded], ["rate-limited", first.loaded]);
});

test("an issue too long to keep leaves room for the others", async (t) => {
	const { repositories, store, added } = await visited(t);
	const last = lastLists(store, repositories);
	const [issue] = last.get(Object.keys(store.get("switchboard.issues.last") ?? {})[0] ?? "")?.issues ?? [];
	assert.ok(issue !== undefined);
	const long = { ...issue, raw: { ...issue.raw, body: "x".repeat(100_000) } };
	const key = repositoryKey(added);
	last.keep(key, { at: 0, issues: [long, issue] });
	assert.equal(last.get(key)?.issues.length, 1);
});

test("the last list of another question is not shown", async (t) => {
	const { met, later } = await visited(t);
	const list = later();
	await list.show({ ...DEFAULT_VIEW, state: "closed" });
	assert.equal((await met(AWAY, list)).loaded, 0);
});

test("the last list goes with the sign-out, the repository and the connection", async (t) => {
	for (const end of ["signOut", "remove", "removeRepository"] as const) {
		const { registry, repositories, id, added, kept } = await visited(t);
		assert.equal(kept().length, 1);
		if (end === "removeRepository") await repositories.remove(added);
		else await registry[end](id);
		await new Promise(setImmediate);
		assert.deepEqual(kept(), [], end);
	}
});

test("only the fields that are read are kept, and no sandbox's repositories", async (t) => {
	const { store, lists, registry, baseUrl, keys, kept, repositories, id } = await visited(t);
	const big = await repositories.add({ connection: id, repository: "exchange/archive" });
	for (let reads = 0; reads < 3; reads++) await lists.of(big).loadMore();
	await lists.of(big).refresh();
	registry.addPassing(
		{ id: "own", service: "codehost", label: "Own", profile: "sandbox", baseUrl, credential: { kind: "pat" } },
		keys.fineGrained,
	);
	await lists.of({ connection: "own", repository: "ada/garden" }).load();
	await new Promise(setImmediate);
	const text = JSON.stringify(store.get("switchboard.issues.last"));
	assert.ok(text.length < 250_000, `${text.length}`);
	assert.doesNotMatch(text, /"(?:type|description|id)":/);
	assert.ok(!text.includes(keys.fineGrained));
	assert.deepEqual(
		kept().map((key) => key.split("\n")[0]?.split(" ")[1]),
		["exchange/switchboard", "exchange/archive"],
	);
});
