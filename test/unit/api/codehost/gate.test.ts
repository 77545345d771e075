import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Pass, RateGate } from "#api/codehost/gate.ts";
import { errorOf } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const names = { remaining: "x-remaining", limit: "x-limit", reset: "x-reset" };

/** A gate, and what those who enter it see. */
function gateAt(clock = new FakeClock(), maxWaitMs = 60_000) {
	const gate = new RateGate(clock);
	const waits: number[] = [];
	const enter = (signal?: AbortSignal): Promise<Pass> =>
		gate.enter({
			names,
			signal,
			maxWaitMs,
			onWait: (ms) => {
				waits.push(ms);
				return () => waits.push(-ms);
			},
		});
	return { clock, gate, waits, enter };
}

/** Whether a promise has settled by now, and how. */
async function state(promise: Promise<unknown>): Promise<"pending" | "in" | "out"> {
	await nextTurn();
	return await Promise.race([
		promise.then(
			() => "in" as const,
			() => "out" as const,
		),
		nextTurn("pending" as const),
	]);
}

test("an open gate lets everybody in, and reports nothing where nothing was reported", async () => {
	const { gate, enter } = gateAt();
	await Promise.all(Array.from({ length: 50 }, () => enter()));
	assert.deepEqual(gate.state, { gauge: null, low: false, closedUntil: null, stopped: false });
});

test("after a refusal all calls wait until the time it named", async () => {
	const { clock, gate, waits, enter } = gateAt();
	gate.refuse({ "retry-after": "10" }, await enter());
	assert.equal(gate.state.closedUntil, clock.now() + 10_000);
	const next = enter();
	clock.advance(9_999);
	assert.equal(await state(next), "pending");
	assert.deepEqual(waits, [10_000]);
	clock.advance(1);
	assert.equal(await state(next), "in");
	assert.deepEqual(waits, [10_000, -10_000]);
	assert.equal(gate.state.closedUntil, null);
});

test("a gate opens by whichever of the wall and monotonic clocks is first", async () => {
	for (const set of ["ahead", "back"] as const) {
		const { clock, gate, enter } = gateAt();
		gate.refuse({ "retry-after": "10" }, await enter());
		// Asleep, the wall clock alone goes on; set back, it is late for ever.
		clock.sleep(set === "ahead" ? 10_000 : -3_600_000);
		assert.equal(gate.state.closedUntil === null, set === "ahead", set);
		if (set === "back") clock.advance(10_000);
		assert.equal(gate.state.closedUntil, null, set);
		assert.equal(await state(enter()), "in", set);
	}
});

test("a wait longer than the cap fails at once and names the time to come back", async () => {
	const { gate, waits, enter } = gateAt();
	gate.refuse({ "retry-after": "61" }, await enter());
	const error = await errorOf(enter());
	assert.deepEqual([error.code, error.retryAfterMs], ["rate-limited", 61_000]);
	assert.deepEqual(waits, []);
});

test("a wait is aborted at once, and its end is announced", async () => {
	const { clock, gate, waits, enter } = gateAt();
	gate.refuse({ "retry-after": "10" }, await enter());
	const cut = new AbortController();
	const next = enter(cut.signal);
	cut.abort(new Error("enough"));
	await assert.rejects(next, /enough/);
	assert.deepEqual(waits, [10_000, -10_000]);
	assert.equal(clock.waiting, 0);
});

test("waits without a named time grow, then calls fail until the gate is reopened", async () => {
	const { clock, gate, enter } = gateAt(new FakeClock(), 300_000);
	for (const wait of [60_000, 120_000, 240_000]) {
		gate.refuse({}, await enter());
		assert.equal(gate.state.closedUntil, clock.now() + wait);
		clock.advance(wait);
	}
	gate.refuse({}, await enter());
	assert.equal(gate.state.stopped, true);
	const error = await errorOf(enter());
	assert.deepEqual([error.code, error.retryAfterMs], ["rate-limited", undefined]);
	gate.reopen();
	assert.equal(gate.state.stopped, false);
	assert.equal(await state(enter()), "in");
});

test("a reply that is no refusal resets the wait to the first one", async () => {
	const { clock, gate, enter } = gateAt();
	gate.refuse({}, await enter());
	clock.advance(60_000);
	gate.note({}, await enter());
	gate.refuse({}, await enter());
	assert.equal(gate.state.closedUntil, clock.now() + 60_000);
});

test("calls that were refused together are one refusal", async () => {
	const { clock, gate, enter } = gateAt();
	const passes = await Promise.all([enter(), enter(), enter(), enter()]);
	for (const pass of passes) gate.refuse({}, pass);
	assert.equal(gate.state.closedUntil, clock.now() + 60_000);
	assert.equal(gate.state.stopped, false);
});

test("of simultaneous refusals the one with the longest wait counts", async () => {
	const { clock, gate, enter } = gateAt();
	const [first, second, third] = await Promise.all([enter(), enter(), enter()]);
	gate.refuse({ "retry-after": "10" }, first);
	gate.refuse({ "retry-after": "30" }, second);
	gate.refuse({ "retry-after": "20" }, third);
	assert.equal(gate.state.closedUntil, clock.now() + 30_000);
});

test("a gate closes before a refusal when nothing is left and the reset is known", async () => {
	const { clock, gate, enter } = gateAt();
	gate.note({ "x-remaining": "0", "x-reset": String((clock.now() + 20_000) / 1_000) }, await enter());
	assert.equal(gate.state.closedUntil, clock.now() + 20_000);
	const next = enter();
	clock.advance(20_000);
	assert.equal(await state(next), "in");
});

test("with none left and no reset, the next call waits as after a refusal", async () => {
	const { clock, gate, enter } = gateAt(new FakeClock(), 300_000);
	const used = { "x-remaining": "0" };
	gate.note(used, await enter());
	assert.equal(gate.state.closedUntil, clock.now() + 60_000);
	clock.advance(59_999);
	const [next, other] = [enter(), enter()];
	assert.deepEqual([await state(next), await state(other)], ["pending", "pending"]);
	clock.advance(1);
	assert.deepEqual([await state(next), await state(other)], ["in", "in"]);
	gate.refuse(used, await next);
	assert.equal(gate.state.closedUntil, clock.now() + 120_000);
});

test("a reply without limits does not close the gate again for an earlier report", async () => {
	const { clock, gate, enter } = gateAt();
	gate.note({ "x-remaining": "0" }, await enter());
	clock.advance(60_000);
	gate.note({}, await enter());
	assert.equal(gate.state.closedUntil, null);
});

test("the gauge keeps what was reported last when a reply reports nothing", async () => {
	const { gate, enter } = gateAt();
	gate.note({ "x-remaining": "40", "x-limit": "60" }, await enter());
	gate.note({}, await enter());
	assert.deepEqual(gate.state.gauge, { remaining: 40, limit: 60, resetAt: null });
});

test("a pass from before the gate closed is no longer good while it is closed", async () => {
	const { clock, gate, enter } = gateAt();
	const [early, refused] = await Promise.all([enter(), enter()]);
	assert.equal(gate.isClosedSince(early), false);
	gate.refuse({}, refused);
	assert.equal(gate.isClosedSince(early), true);
	clock.advance(60_000);
	assert.equal(gate.isClosedSince(early), false);
});

for (const [how, reset, windowMs] of [
	["the reported reset", 600, 600_000],
	["the end of a whole window without one", undefined, 3_600_000],
] as const) {
	test(`the remaining requests are known, and low, until ${how}, and not after it`, async () => {
		const { clock, gate, enter } = gateAt();
		const headers = reset === undefined ? {} : { "x-reset": String(Math.floor(clock.now() / 1_000) + reset) };
		gate.note({ "x-remaining": "3", "x-limit": "40", ...headers }, await enter());
		const resetAt = gate.state.gauge?.resetAt ?? null;
		clock.advance((resetAt ?? clock.now() + windowMs) - clock.now() - 1);
		assert.deepEqual([gate.state.gauge, gate.state.low], [{ remaining: 3, limit: 40, resetAt }, true]);
		clock.advance(1);
		assert.deepEqual([gate.state.gauge, gate.state.low], [null, false]);
		gate.note({ "x-remaining": "39", "x-limit": "40" }, await enter());
		assert.equal(gate.state.gauge?.remaining, 39);
	});
}
