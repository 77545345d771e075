import { strict as assert } from "node:assert";
import { test } from "node:test";
import { record } from "#api/codehost/booking.ts";
import { patSource } from "#api/codehost/pat.ts";
import { stepOf } from "#api/codehost/step.ts";
import { Traffic } from "#api/codehost/traffic.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

const names = { remaining: "x-remaining" };
const url = new URL("https://host/user");
const KNOWN_MS = 660_000;

/** What is known of the limit and of the clocks after a reply by whose `Date` they agree, and that has nothing left. */
function booked(status: number, body: string) {
	const clock = new FakeClock();
	const traffic = new Traffic(clock);
	const credential = patSource("service_pat_1", { origin: url.origin });
	const gate = traffic.gate(credential);
	const skew = traffic.skew(url.origin);
	skew.ms = KNOWN_MS;
	const headers = { date: new Date(clock.now()).toUTCString(), "x-remaining": "0" };
	const reply = { status, headers, body, bytes: body.length };
	const call = { method: "GET", url, redirects: 0, token: "service_pat_1" } as const;
	const step = stepOf(reply, { call, names, kind: credential.kind, redact: (text) => text });
	record(reply, { step, credential, traffic, gate, pass: { closures: 0, names } });
	return { left: gate.state.gauge?.remaining ?? null, skewMs: skew.ms };
}

const json = '{"message": "no"}';

test("what the service itself answers tells its limit and its time, a success as well as a failure", () => {
	for (const [status, body] of [
		[200, "{}"],
		[200, "[]"],
		[404, json],
		[422, json],
	] as const) {
		assert.deepEqual(booked(status, body), { left: 0, skewMs: 0 }, `${status}`);
	}
});

test("what a gateway answers in its place tells neither, though it is JSON", () => {
	for (const status of [500, 502, 503, 504]) assert.deepEqual(booked(status, json), { left: null, skewMs: KNOWN_MS });
	assert.deepEqual(booked(404, "<html>"), { left: null, skewMs: KNOWN_MS });
});

test("the time that a refusal tells is left to the credential to judge", () => {
	assert.deepEqual(booked(401, json), { left: null, skewMs: KNOWN_MS });
	assert.deepEqual(booked(403, '{"message": "rate limit"}'), { left: 0, skewMs: 0 }, "but for that of a limit");
});
