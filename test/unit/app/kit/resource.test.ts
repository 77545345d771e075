import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Resource } from "#app/kit/resource.ts";
import { ClientError } from "#base/errors.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

/** A resource whose reads end when the test says so. */
function open({ limitMs = 60_000 } = {}) {
	const clock = new FakeClock();
	const reads: { readonly signal: AbortSignal; readonly end: (value: number | Error) => Promise<void> }[] = [];
	let writes = 0;
	const read = (signal: AbortSignal, known = 0) => {
		const { promise, resolve, reject } = Promise.withResolvers<number>();
		reads.push({
			signal,
			end: async (value) => {
				if (value instanceof Error) reject(value);
				else resolve(known + value);
				await promise.catch(() => undefined);
			},
		});
		return promise;
	};
	const resource = new Resource<number>({ service: "petstore", clock, read, writes: () => writes, limitMs });
	const write = () => {
		writes += 1;
	};
	const at = (index: number) => reads[index] ?? assert.fail(`no read ${index}`);
	return { clock, resource, reads, at, write, read };
}

const FAILURE = new ClientError("petstore", "server", "It failed.");

test("concurrent callers share one read, and what is ready is not read again", async () => {
	const { resource, reads, at } = open();
	const both = Promise.all([resource.load(), resource.refresh()]);
	assert.equal(resource.state.name, "loading");
	await at(0).end(1);
	assert.deepEqual(await both, [1, 1]);
	assert.equal(await resource.load(), 1);
	assert.deepEqual([reads.length, resource.state.name], [1, "ready"]);
});

test("a value stays beside a later read's error, and only a refresh reads again", async () => {
	const { resource, reads, at, clock } = open();
	const loading = resource.load();
	await at(0).end(1);
	await loading;
	const refreshing = assert.rejects(resource.refresh(), FAILURE);
	await at(1).end(FAILURE);
	await refreshing;
	const failed = { what: "refresh", at: clock.now() };
	assert.deepEqual(resource.state, { name: "failed", value: 1, error: FAILURE, failed });
	await assert.rejects(resource.load(), FAILURE);
	assert.equal(reads.length, 2);
});

test("a caller after a write gets a later read, and so do the callers before it", async () => {
	const { resource, at, write } = open();
	const before = resource.load();
	write();
	const after = resource.refresh();
	assert.ok(at(0).signal.aborted);
	await at(0).end(1);
	await at(1).end(2);
	assert.deepEqual(await Promise.all([before, after]), [2, 2]);
});

test("a read is aborted when its last caller leaves, and the value before stays", async () => {
	const { resource, at } = open();
	const [one, other] = [new AbortController(), new AbortController()];
	const left = [one, other].map(({ signal }) => assert.rejects(resource.load(signal), { code: "aborted" }));
	one.abort();
	await left[0];
	assert.equal(at(0).signal.aborted, false);
	other.abort();
	await left[1];
	assert.ok(at(0).signal.aborted);
	assert.equal(resource.state.name, "failed");
});

test("a change while the data is read is not undone by the older reply", async () => {
	const { resource, at } = open();
	const loading = resource.load();
	resource.patch((value) => value + 10);
	await at(0).end(1);
	assert.equal(await loading, 11);
	resource.patch((value) => value + 1);
	assert.equal(resource.value, 12);
});

test("a read without an answer ends at its limit", async () => {
	const { resource, at, clock } = open({ limitMs: 1_000 });
	const loading = assert.rejects(resource.load(), { code: "timeout" });
	clock.advance(1_000);
	await loading;
	assert.ok(at(0).signal.aborted);
	assert.equal(clock.waiting, 0);
});

test("more is added to what is there", async () => {
	const { resource, at, read } = open();
	const loading = resource.load();
	await at(0).end(1);
	await loading;
	const more = resource.more(read);
	await at(1).end(5);
	assert.equal(await more, 6);
});

test("a refresh and a read of more wait for each other, and share a failure", async () => {
	const { resource, reads, at, read } = open();
	const all = Promise.all([resource.refresh(), resource.more(read), resource.more(read)]);
	await at(0).end(1);
	while (reads.length < 2) await nextTurn();
	const after = resource.refresh();
	assert.equal(reads.length, 2);
	await at(1).end(5);
	assert.deepEqual(await all, [1, 6, 6]);
	while (reads.length < 3) await nextTurn();
	const more = assert.rejects(resource.more(read), FAILURE);
	await at(2).end(FAILURE);
	await assert.rejects(after, FAILURE);
	await more;
	assert.equal(reads.length, 3);
});

test("many reasons to refresh make one read, and none where nothing was loaded", async () => {
	const { resource, reads, at, clock } = open();
	resource.refreshSoon();
	clock.advance(1_000);
	assert.equal(reads.length, 0);
	const loading = resource.load();
	await at(0).end(1);
	await loading;
	for (let count = 0; count < 5; count++) {
		resource.refreshSoon();
		clock.advance(100);
	}
	clock.advance(1_000);
	assert.equal(reads.length, 2);
});

test("a reset takes the value away and ends the read, whose reply comes to nothing", async () => {
	const { resource, at } = open();
	const loading = assert.rejects(resource.load(), { code: "aborted" });
	resource.reset();
	await loading;
	await at(0).end(1);
	assert.deepEqual(resource.state, { name: "idle" });
});

test("a canceled refresh leaves what was ready", async () => {
	const { resource, at } = open();
	const loading = resource.load();
	await at(0).end(1);
	await loading;
	const refreshing = assert.rejects(resource.refresh(), { code: "aborted" });
	resource.cancel();
	await refreshing;
	assert.deepEqual(resource.state, { name: "ready", value: 1 });
});
