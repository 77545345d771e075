import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type DiagnosisProbes, type DiagnosisStep, diagnose, openProbes } from "#api/codehost/diagnose.ts";
import { disposedError } from "#api/http/exchange.ts";
import { createTransport } from "#api/http/undici-transport.ts";
import { codehostProfileOf } from "#app/connections/codehost-profiles.ts";
import { ClientError } from "#base/errors.ts";
import { errorOf } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const clock = new FakeClock();
const options = { clock, encrypted: true, dated: true };
const fine: DiagnosisProbes = {
	resolve: async () => ["192.0.2.1", "192.0.2.2"],
	connect: async () => clock.now() + 2_000,
	authenticate: async () => "ada",
	read: async () => "acme/app",
};
const failing = (code: "network" | "unauthorized" | "rate-limited") => () =>
	Promise.reject(new ClientError("codehost", code, `said ${code}`));
const states = (steps: readonly DiagnosisStep[]) => steps.map(({ name, state }) => `${name} ${state}`);

test("a healthy connection has five good steps, reported in order as they end", async () => {
	const told: DiagnosisStep[] = [];
	const steps = await diagnose(fine, { ...options, onStep: (step) => told.push(step) });
	assert.deepEqual(states(steps), ["dns ok", "tls ok", "auth ok", "clock ok", "read ok"]);
	assert.deepEqual(
		steps.map(({ detail }) => detail),
		["192.0.2.1, 192.0.2.2", "The certificate is trusted.", "ada", "The clocks differ by 2 s.", "acme/app"],
	);
	assert.deepEqual(told, steps);
});

test("a name that does not resolve here stops nothing: a proxy may know it", async () => {
	const steps = await diagnose({ ...fine, resolve: failing("network") }, options);
	assert.deepEqual(states(steps), ["dns failed", "tls ok", "auth ok", "clock ok", "read ok"]);
	assert.equal(steps[0]?.error?.code, "network");
});

test("behind a named proxy, which resolves the name, no name is looked up here", async () => {
	const { resolve: _, ...open } = fine;
	assert.deepEqual(states(await diagnose(open, options)), ["tls ok", "auth ok", "clock ok", "read ok"]);
	const probes = (proxy: string | undefined) => {
		const transport = createTransport({ proxy });
		return openProbes({ baseUrl: "https://code.example", profile: codehostProfileOf("github"), transport });
	};
	assert.deepEqual(
		[undefined, "http://proxy.test"].map((each) => "resolve" in probes(each)),
		[true, false],
	);
});

test("without a connection no credential is used", async () => {
	let used = 0;
	const authenticate = async () => {
		used += 1;
		return "ada";
	};
	const steps = await diagnose({ ...fine, connect: failing("network"), authenticate }, options);
	assert.deepEqual(states(steps), ["dns ok", "tls failed", "auth skipped", "clock skipped", "read skipped"]);
	assert.equal(used, 0);
});

test("a refused credential is distinguished from a wrong clock", async () => {
	const connect = async () => clock.now() - 600_000;
	const steps = await diagnose({ ...fine, connect, authenticate: failing("unauthorized") }, options);
	assert.deepEqual(states(steps), ["dns ok", "tls ok", "auth failed", "clock failed", "read skipped"]);
	assert.equal(steps[3]?.error?.reason, "clock-skew");
	assert.match(steps[3]?.detail ?? "", /10 min ahead of the service's/);
});

test("an app's clock check fails only beyond the time that tokens are dated back", async () => {
	for (const [seconds, state] of [
		[59, "ok"],
		[-59, "ok"],
		[62, "failed"],
		[-62, "failed"],
	] as const) {
		const steps = await diagnose({ ...fine, connect: async () => clock.now() + seconds * 1_000 }, options);
		assert.equal(steps[3]?.state, state, `${seconds} s`);
	}
});

test("a skipped read says what became of the credential", async () => {
	const readOf = async (code: "unauthorized" | "rate-limited") => {
		const steps = await diagnose({ ...fine, authenticate: failing(code) }, options);
		return steps.find(({ name }) => name === "read")?.detail;
	};
	assert.equal(await readOf("unauthorized"), "The credential was not accepted.");
	assert.equal(await readOf("rate-limited"), "Not checked: said rate-limited");
	const disposed = async () => {
		throw disposedError("codehost");
	};
	const steps = await diagnose({ ...fine, authenticate: disposed }, options);
	assert.match(steps.find(({ name }) => name === "read")?.detail ?? "", /^The connection was changed/);
});

test("a step that a limit prevents is skipped, not failed, and keeps its error", async () => {
	const steps = await diagnose({ ...fine, authenticate: failing("rate-limited") }, options);
	assert.deepEqual(states(steps), ["dns ok", "tls ok", "auth skipped", "clock ok", "read skipped"]);
	assert.deepEqual(
		steps.map(({ error }) => error?.code),
		[undefined, undefined, "rate-limited", undefined, undefined],
	);
	const unread = await diagnose({ ...fine, read: failing("rate-limited") }, options);
	assert.deepEqual(states(unread).slice(2), ["auth ok", "clock ok", "read skipped"]);
	assert.equal(unread[4]?.error?.code, "rate-limited");
});

test("a wrong clock does no harm to an undated token, and is reported all the same", async () => {
	const connect = async () => clock.now() + 600_000;
	const steps = await diagnose({ ...fine, connect }, { ...options, dated: false });
	assert.deepEqual(states(steps), ["dns ok", "tls ok", "auth ok", "clock ok", "read ok"]);
	assert.match(steps[3]?.detail ?? "", /10 min behind the service's\. A token works all the same\./);
});

test("a service that sends no time is not called faulty", async () => {
	const steps = await diagnose({ ...fine, connect: async () => null }, { ...options, encrypted: false });
	assert.deepEqual(states(steps), ["dns ok", "tls ok", "auth ok", "clock skipped", "read ok"]);
	assert.equal(steps[1]?.detail, "The connection is not encrypted.");
});

test("a step that takes too long has failed, and the others are still made", async () => {
	const slow = { ...fine, resolve: () => new Promise<never>(() => undefined) };
	const steps = diagnose(slow, options);
	await nextTurn();
	clock.advance(15_000);
	assert.deepEqual(states(await steps), ["dns failed", "tls ok", "auth ok", "clock ok", "read ok"]);
	assert.equal((await steps)[0]?.error?.code, "timeout");
	assert.equal(clock.waiting, 0);
});

test("a probe that fails by a fault of its own is a failed step among the others", async () => {
	const steps = await diagnose(
		{ ...fine, authenticate: () => Promise.reject(new TypeError("x is undefined")) },
		options,
	);
	assert.deepEqual(states(steps), ["dns ok", "tls ok", "auth failed", "clock ok", "read skipped"]);
	assert.equal(steps[2]?.detail, "TypeError: x is undefined");
});

test("an abort ends it at once", async () => {
	const cut = new AbortController();
	const slow = { ...fine, authenticate: () => new Promise<never>(() => undefined) };
	const steps = errorOf(diagnose(slow, { ...options, signal: cut.signal }));
	await nextTurn();
	cut.abort();
	assert.equal((await steps).code, "aborted");
});

test("a time that was sent during a slow answer is no deviation", async () => {
	const differ = async (toldMs: number) => {
		const connect = async () => {
			const told = clock.now() + toldMs;
			clock.advance(4_000);
			return told;
		};
		return (await diagnose({ ...fine, connect }, options)).find(({ name }) => name === "clock")?.detail;
	};
	for (const toldMs of [-999, 0, 4_000]) assert.equal(await differ(toldMs), "The clocks differ by 0 s.");
	assert.equal(await differ(6_000), "The clocks differ by 2 s.");
	assert.equal(await differ(-70_000), "The clock of this machine is 70 s ahead of the service's.");
});
