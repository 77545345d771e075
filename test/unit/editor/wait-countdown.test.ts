import assert from "node:assert/strict";
import { test } from "node:test";
import { WaitCountdown } from "#editor/wait-countdown.ts";
import { FakeClock } from "../../support/fake-clock.ts";

function setUp() {
	const clock = new FakeClock();
	const said: string[] = [];
	const countdown = new WaitCountdown({ label: "acme", clock, say: (line) => said.push(line) });
	return { clock, said, countdown };
}

test("a wait is counted down each second, and nothing is said any more once it is over", () => {
	const { clock, said, countdown } = setUp();
	countdown.follow({ why: "rate-limit", until: clock.now() + 3_000 });
	clock.advance(2_000);
	assert.deepEqual(said, [
		"Resuming in 3 s: rate limit of acme reached.",
		"Resuming in 2 s: rate limit of acme reached.",
		"Resuming in 1 s: rate limit of acme reached.",
	]);
	countdown.follow(null);
	assert.equal(said.at(-1), "");
	assert.equal(countdown.line, "");
	assert.equal(clock.waiting, 0);
	clock.advance(5_000);
	assert.equal(said.length, 4);
});

test("the next wait takes the place of the one before", () => {
	const { clock, said, countdown } = setUp();
	countdown.follow({ why: "rate-limit", until: clock.now() + 30_000 });
	countdown.follow({ why: "retry", until: clock.now() + 2_000 });
	assert.equal(said.at(-1), "Retrying in 2 s: acme failed.");
	assert.equal(clock.waiting, 1);
});

test("where nothing was waited for nothing is said", () => {
	const { said, countdown } = setUp();
	countdown.follow(null);
	assert.deepEqual(said, []);
});

test("a countdown that was disposed says nothing more", () => {
	const { clock, said, countdown } = setUp();
	countdown.follow({ why: "new-token", until: clock.now() + 3_000 });
	countdown.dispose();
	clock.advance(3_000);
	assert.equal(said.length, 1);
	assert.equal(clock.waiting, 0);
});
