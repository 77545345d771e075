import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { probeMessages } from "#api/messages/probe.ts";
import { type Clock, systemClock } from "#base/clock.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { type Replay, reply } from "../../support/replay-server.ts";
import { KEY, replayServer, transport } from "./client-at.ts";

const server = replayServer();

const probe = (baseUrl: string, { clock = systemClock, signal }: { clock?: Clock; signal?: AbortSignal } = {}) =>
	probeMessages({ transport, clock, endpoint: { baseUrl, profile: { keyHeader: "x-api-key" }, key: KEY } }, { signal });

const status = (line: string, body = ""): Replay => ({ bytes: reply(body, { status: line }) });

/** A list of models, as most services have it. */
const LIST: Replay = { bytes: reply(JSON.stringify({ data: [{ id: "a" }] })) };

test("a probe lists the models first, and then asks for nothing to be generated", async () => {
	const { baseUrl, requests } = server.play(LIST, status("400 Bad"));
	await probe(baseUrl);
	assert.deepEqual(
		requests.map(({ head }) => head.slice(0, head.indexOf(" "))),
		["GET", "POST"],
	);
	assert.match(requests[0]?.head ?? "", /^GET \S+\/v1\/models /);
	for (const { head } of requests) assert.match(head, new RegExp(`\\r\\nx-api-key: ${KEY}`));
	assert.deepEqual(JSON.parse(requests[1]?.body ?? ""), { model: "probe", max_tokens: 1, messages: [] });
});

test("a server that lists models and breaks on a request without messages is there", async () => {
	for (const broken of [
		{ bytes: new Uint8Array() },
		{ bytes: Buffer.from("?") },
		{ bytes: reply(""), after: "reset" },
	]) {
		const result = await probe(server.play(LIST, broken as Replay).baseUrl);
		assert.equal(result.ok, true);
	}
	const refusing = await probe(server.play(LIST, status("401 No")).baseUrl);
	assert.equal(!refusing.ok && refusing.error.code, "unauthorized");
	const other = await probe(server.play(LIST, status("404 No")).baseUrl);
	assert.equal(!other.ok && other.error.code, "not-found", "a list alone is no messages API");
});

test("a service that breaks on the list of models is probed all the same", async () => {
	const result = await probe(server.play({ bytes: new Uint8Array() }, status("400 Bad")).baseUrl);
	assert.equal(result.ok && result.status, 400);
});

test("every answer that does not refuse the key is a success with its status", async () => {
	for (const line of ["200 OK", "400 Bad", "413 Big", "422 No", "429 Slow", "500 Oh", "503 Wait", "529 Busy"]) {
		const result = await probe(server.play(status(line)).baseUrl);
		assert.ok(result.ok, line);
		assert.equal(result.status, Number(line.slice(0, 3)));
		assert.ok(result.ms >= 0);
	}
});

test("a refused key, a missing API and a redirect are distinguished", async () => {
	const code = async (line: string, body = "") => {
		const result = await probe(server.play(status(line, body)).baseUrl);
		assert.ok(!result.ok);
		return `${result.error.code} ${result.error.message}`;
	};
	assert.equal(
		await code("401 No", JSON.stringify({ error: { message: `bad key ${KEY}` } })),
		"unauthorized bad key [redacted]",
	);
	assert.match(await code("403 No"), /^forbidden /);
	assert.match(await code("404 No", "<html>"), /^not-found There is no messages API at this address/);
	assert.match(await code("405 No"), /^not-found There is no messages API/);
	assert.match(await code("302 Go"), /^not-found There is no messages API/);
});

test("nothing is kept of an answer that is not HTTP: it may repeat the key", async () => {
	const result = await probe(server.play({ bytes: Buffer.from(`x-api-key: ${KEY}\r\n`) }).baseUrl);
	assert.ok(!result.ok && result.error.cause instanceof Error);
	assert.deepEqual([result.error.code, inspect(result, { depth: 9 }).includes("test-key")], ["malformed", false]);
});

test("a 404 about the model comes from a messages API, and one about a file does not", async () => {
	const answer = async (message: string) => {
		const body = JSON.stringify({ type: "error", error: { type: "not_found_error", message } });
		return (await probe(server.play(status("404 No", body)).baseUrl)).ok;
	};
	assert.equal(await answer("model: some-model"), true);
	assert.equal(await answer("File Not Found"), false);
});

test("a web page is no messages API, whatever its status", async () => {
	const page = reply("<!doctype html><p>which model?", { headers: { "content-type": "text/html; charset=utf-8" } });
	const result = await probe(server.play({ bytes: page }).baseUrl);
	assert.equal(!result.ok && result.error.code, "not-found");
});

test("a refusal counts even if its explanation never ends", async () => {
	const clock = new FakeClock();
	const { baseUrl, requests } = server.play({ bytes: reply("{", { status: "401 No" }), after: "stay" });
	const probing = probe(baseUrl, { clock });
	for (const [count, ms] of [
		[1, 3_000],
		[2, 7_000],
	] as const) {
		while (requests.length < count) await wait(1);
		await wait(20);
		clock.advance(ms);
	}
	const result = await probing;
	assert.equal(!result.ok && result.error.code, "unauthorized");
	await requests[1]?.closed;
});

test("a probe distinguishes a network error, a timeout after ten seconds and an abort", async () => {
	const refused = await probe("http://127.0.0.1:1");
	assert.equal(!refused.ok && refused.error.code, "network");

	const clock = new FakeClock();
	const silent = server.play({ bytes: new Uint8Array(), after: "stay" });
	const waiting = probe(silent.baseUrl, { clock });
	while (silent.requests.length === 0) await wait(1);
	clock.advance(3_000);
	while (silent.requests.length === 1) await wait(1);
	clock.advance(7_000);
	const late = await waiting;
	assert.equal(!late.ok && late.error.code, "timeout");
	assert.equal(late.ms, 10_000);
	await silent.requests[1]?.closed;

	const abort = new AbortController();
	const stopping = probe(silent.baseUrl, { signal: abort.signal });
	abort.abort();
	const stopped = await stopping;
	assert.equal(!stopped.ok && stopped.error.code, "aborted");
});

test("an address or a key that cannot be sent is reported, not thrown", async () => {
	const result = await probe("nonsense");
	assert.ok(!result.ok);
	assert.deepEqual([result.error.code, result.error.field], ["invalid", "base_url"]);
});
