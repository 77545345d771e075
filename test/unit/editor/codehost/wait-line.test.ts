import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { showWaits } from "#editor/codehost/wait-line.ts";
import { ADA, codehostWindow, until } from "../../../support/codehost-window.ts";

/** A window with a list that is not loaded yet, and what is shown above it. */
async function lined(context: TestContext) {
	const parts = await codehostWindow(context);
	const repository = await parts.repositories.add({ connection: ADA, repository: "exchange/switchboard" });
	const shown: (string | undefined)[] = [];
	const line = showWaits(parts.repositories, parts.lists, parts.statuses, (text) => shown.push(text));
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
	const quiet = list.refreshQuietly();
	const access = await clients.open(ADA);
	await until(() => access.waits.length === 1);
	clock.advance(5_000);
	assert.deepEqual(shown, []);
	clients.dispose();
	await quiet;
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
