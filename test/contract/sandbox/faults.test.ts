import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { bodyWith, post, readStream, texts } from "./wire.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 0 } });
});
after(() => sandbox.close());

const TWO = { say: ["a b", "c d"] } as const;

test("a failure has a retry header where it is asked for one", async () => {
	const plain = await post(sandbox, bodyWith({ fail: { status: 429 } }, { system: "plain" }));
	assert.equal(plain.headers.get("retry-after"), null);
	const seconds = await post(sandbox, bodyWith({ fail: { status: 429, retryAfterSeconds: 1.5 } }));
	assert.equal(seconds.headers.get("retry-after"), "1.5");
});

for (const [body, expected] of [
	[undefined, /^\{"type":"error","error":\{"type":"overloaded_error","message":".+"\},"request_id":"request-.+"\}$/],
	["html", /^<html>/],
	["empty", /^$/],
] as const) {
	test(`the body of a failure can be ${body ?? "the service's own, as it is by default"}`, async () => {
		const response = await post(
			sandbox,
			bodyWith({ fail: { status: 529, ...(body && { body }) } }, { system: `${body}` }),
		);
		assert.equal(response.status, 529);
		assert.match(await response.text(), expected);
	});
}

test("silence after some deltas sends nothing more, not even a ping", async () => {
	const leave = new AbortController();
	const silent = { ...TWO, pingEveryMs: 5, cut: { afterDeltas: 2, how: "silence" } } as const;
	const response = await post(sandbox, bodyWith(silent), { signal: leave.signal });
	setTimeout(() => leave.abort(), 400);
	const { events, broken } = await readStream(response);
	assert.notEqual(broken, undefined);
	assert.deepEqual(texts(events), { 0: "a b" });
	// One may be due with the last delta.
	const last = events.findLastIndex(({ event }) => event === "content_block_delta");
	assert.ok(events.slice(last).filter(({ event }) => event === "ping").length <= 1);
});
