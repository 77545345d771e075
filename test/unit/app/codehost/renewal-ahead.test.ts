import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { InstallationTokenSource } from "#api/codehost/installation-token.ts";
import { RenewalAhead } from "#app/codehost/renewal-ahead.ts";
import { ClientError } from "#base/errors.ts";
import { appKey } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A clock that can move on while what its timers have begun goes on too. */
class PassingClock extends FakeClock {
	/** Moves on in small steps, with room for what the timers have begun. */
	async pass(ms: number): Promise<void> {
		for (let left = ms; left > 0; left -= 10 * second) {
			this.advance(Math.min(left, 10 * second));
			await nextTurn();
			await nextTurn();
		}
	}
}

/** The tokens of one installation, each good for so long; `failure` is what an exchange comes to instead. */
function idle({ lifeMs = hour }: { lifeMs?: number } = {}) {
	const clock = new PassingClock();
	const host = { exchanges: 0, failure: undefined as unknown };
	const tokens = new InstallationTokenSource({
		app: { origin: "https://host.test", appId: 4711, key: appKey },
		installationId: 7,
		clock,
		async exchange() {
			host.exchanges += 1;
			if (host.failure !== undefined) throw host.failure;
			return { token: `t${host.exchanges}`, expiresAt: clock.now() + lifeMs, serverTime: null };
		},
	});
	return { clock, host, tokens, renewal: new RenewalAhead(tokens, clock) };
}

const failed = (code: "network" | "forbidden") => new ClientError("codehost", code, "no");

test("a token of an hour is renewed five minutes before its end although nobody calls, again and again", async () => {
	const { clock, host, tokens } = idle();
	await tokens.token();
	await clock.pass(55 * minute - second);
	assert.equal(host.exchanges, 1);
	await clock.pass(second);
	assert.equal(host.exchanges, 2);
	assert.equal(tokens.state.renewsAt, clock.now() + 55 * minute);
	await clock.pass(55 * minute);
	assert.deepEqual([host.exchanges, tokens.state.renewals], [3, 2]);
	assert.equal(await tokens.token(), "t3");
	assert.equal(host.exchanges, 3);
});

test("where nothing was asked nothing is renewed, and no timer waits", async () => {
	const { clock, host } = idle();
	await clock.pass(2 * hour);
	assert.deepEqual([host.exchanges, clock.waiting], [0, 0]);
});

test("what is disposed renews nothing more and leaves no timer, also when a renewal is under way", async () => {
	const { clock, host, tokens, renewal } = idle();
	await tokens.token();
	renewal.dispose();
	assert.equal(clock.waiting, 0);
	await clock.pass(2 * hour);
	assert.equal(host.exchanges, 1);

	const other = idle();
	await other.tokens.token();
	other.clock.sleep(hour);
	other.clock.advance(minute);
	other.renewal.dispose();
	await nextTurn();
	await nextTurn();
	assert.equal(other.clock.waiting, 0);
});

test("after a sleep of the machine there is one renewal within a minute, not one for each that was slept through", async () => {
	const { clock, host, tokens } = idle();
	await tokens.token();
	await clock.pass(10 * minute);
	clock.sleep(9 * hour);
	await clock.pass(minute);
	assert.equal(host.exchanges, 2);
	assert.equal(await tokens.token(), "t2");
	await clock.pass(50 * minute);
	assert.equal(host.exchanges, 2);
});

test("a renewal that fails for a reason that passes is tried again ever more rarely, until one is well", async () => {
	const { clock, host, tokens } = idle();
	await tokens.token();
	host.failure = failed("network");
	await clock.pass(60 * minute);
	assert.equal(host.exchanges, 5, "at 55 min, then after 30, 60 and 120 s");
	assert.equal(tokens.state.error, host.failure);
	await clock.pass(10 * hour);
	assert.ok(host.exchanges < 70, `${host.exchanges} exchanges`);
	host.failure = undefined;
	await clock.pass(10 * minute);
	assert.equal(tokens.state.error, null);
	assert.equal(tokens.state.renewals, 1);
	const before = host.exchanges;
	await clock.pass(54 * minute);
	assert.ok(host.exchanges <= before + 1);
});

test("a renewal that was refused is not tried again: a person has to mend that", async () => {
	const { clock, host, tokens } = idle();
	await tokens.token();
	host.failure = failed("forbidden");
	await clock.pass(5 * hour);
	assert.equal(host.exchanges, 2);
	host.failure = undefined;
	await tokens.token();
	await clock.pass(55 * minute);
	assert.equal(host.exchanges, 4, "the call has found it mended, and renewing goes on");
});

test("tokens that live a moment only are not fetched without end", async () => {
	const { clock, host, tokens } = idle({ lifeMs: second });
	await tokens.token();
	await clock.pass(10 * minute);
	assert.ok(host.exchanges <= 22, `${host.exchanges} exchanges`);
});

test("a failure of our own does not make it ask without end", async () => {
	const { clock, host, tokens } = idle();
	await tokens.token();
	host.failure = new TypeError("not one of ours");
	await clock.pass(60 * minute);
	assert.ok(host.exchanges <= 6, `${host.exchanges} exchanges`);
});
