import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { CHUNK_ROWS } from "#editor/chunks.ts";
import { WaitLine } from "#editor/codehost/wait-line.ts";
import { ADA, codehostWindow, until } from "../../../support/codehost-window.ts";

/** A window with a list that is not loaded yet, and what is shown above it. */
async function lined(context: TestContext) {
	const parts = await codehostWindow(context);
	const repository = await parts.repositories.add({ connection: ADA, repository: "exchange/switchboard" });
	const shown: (string | undefined)[] = [];
	const line = new WaitLine({ ...parts, show: (text) => shown.push(text) });
	context.after(() => line.dispose());
	return { ...parts, list: parts.lists.of(repository), shown, line };
}

test("a read that waits for a limit is counted down in seconds, and the line goes with the wait", async (context) => {
	const { clock, sandbox, list, shown } = await lined(context);
	sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 40, times: 1 } });
	const loading = list.load();
	await until(() => sandbox.status().codehost.endpoints.issues === 1);
	await until(() => {
		clock.advance(10);
		return shown.length > 0;
	});
	assert.match(shown[0] ?? "", /^Resuming in (?:40|39) s: rate limit of Ada reached\.$/);
	clock.advance(10_000);
	assert.match(shown.at(-1) ?? "", /^Resuming in (?:30|29) s:/);
	assert.ok(shown.length >= 10);
	clock.advance(31_000);
	assert.equal(await loading, true);
	assert.equal(shown.at(-1), undefined);
	assert.equal(list.loaded, 100);
});

test("what nobody waits for shows no line", async (context) => {
	const { clock, sandbox, clients, list, shown } = await lined(context);
	await list.load();
	sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 40, times: 2 } });
	const quiet = list.refresh({ quiet: true });
	const access = await clients.open(ADA);
	await until(() => access.waits.length === 1);
	clock.advance(5_000);
	assert.deepEqual(shown, []);
	list.cancel();
	await quiet;
});

for (const ask of ["loadMore", "refresh"] as const) {
	test(`a quiet refresh that waits is shown as loading and counted down once ${ask} waits for it`, async (context) => {
		const { clock, sandbox, clients, list, shown } = await lined(context);
		await list.load();
		sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 40, times: 1 } });
		const quiet = list.refresh({ quiet: true });
		const access = await clients.open(ADA);
		await until(() => access.waits.length === 1);
		const wanted = list[ask]();
		assert.deepEqual(list.state, { name: "loading", what: "refresh" });
		clock.advance(5_000);
		assert.match(shown.at(-1) ?? "", /^Resuming in 3[456] s: rate limit of Ada reached\.$/);
		clock.advance(40_000);
		assert.deepEqual(await Promise.all([quiet, wanted]), [true, true]);
		assert.deepEqual([list.state.name, shown.at(-1)], ["loaded", undefined]);
		assert.equal(list.loaded, ask === "loadMore" ? 200 : 100);
	});
}

test("of very many issues the line says that they are not up to date, until they are", async (context) => {
	const { sandbox, repositories, lists, shown } = await lined(context);
	const repository = await repositories.add({ connection: ADA, repository: "exchange/archive" });
	const list = lists.of(repository);
	for (const most of [100, CHUNK_ROWS + 1]) {
		sandbox.codehost.behave({});
		await list.refresh();
		while (list.loaded < most) await list.loadMore();
		sandbox.codehost.behave({ fail: { status: 404 } });
		await list.refresh();
		if (most === 100) assert.deepEqual(shown, []);
	}
	assert.match(shown.at(-1) ?? "", /^exchange\/archive is not up to date\. Ada has no such thing/);
	sandbox.codehost.behave({});
	await list.retry();
	assert.equal(shown.at(-1), undefined);
});

test("a quiet refresh that somebody came to wait for shows its failure", async (context) => {
	const { clock, sandbox, clients, list } = await lined(context);
	await list.load();
	sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 40, times: 9 } });
	const quiet = list.refresh({ quiet: true });
	const access = await clients.open(ADA);
	await until(() => access.waits.length === 1);
	const wanted = list.refresh();
	await until(() => {
		// Time let pass while a request is on its way would be a silence of the service.
		if (access.waits.length > 0) clock.advance(10_000);
		return list.state.name !== "loading";
	});
	assert.deepEqual(await Promise.all([quiet, wanted]), [false, false]);
	assert.ok(list.state.name === "error");
	assert.deepEqual([list.state.what, list.state.error.code], ["refresh", "rate-limited"]);
});

test("the end takes the countdown along", async (context) => {
	const { clock, sandbox, clients, list, shown, line } = await lined(context);
	sandbox.codehost.behave({ fail: { status: 429, retryAfterSeconds: 40, times: 1 } });
	const loading = list.load();
	const access = await clients.open(ADA);
	await until(() => access.waits.length === 1);
	clock.advance(200);
	line.dispose();
	const before = shown.length;
	clock.advance(5_000);
	assert.equal(shown.length, before);
	list.cancel();
	await loading;
});
