import { strict as assert } from "node:assert";
import { after, before, test } from "node:test";
import { createTransport } from "#api/http/undici-transport.ts";
import { MessagesClient } from "#api/messages/client.ts";
import { defaultPatience, type EndedReply } from "#api/messages/model.ts";
import { systemClock } from "#base/clock.ts";
import type { ErrorCode } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import type { MessagesFaults } from "#sandbox/messages/faults.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";

const transport = createTransport();
let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ messages: { wordDelayMs: 0 } });
});
after(async () => {
	await sandbox.close();
	await transport.close();
});

const TEXT = "one é 漢字 🔌 two";

/** Sends a message to the sandbox, which says {@link TEXT} unless told otherwise. */
function send(faults: MessagesFaults, request: { readonly stream?: boolean } = {}): Promise<EndedReply> {
	const profile = { versionHeader: "service-version", version: "2023-06-01", keyHeader: "x-api-key" };
	const client = new MessagesClient({
		transport,
		clock: systemClock,
		patience: defaultPatience,
		endpoint: { baseUrl: sandbox.baseUrls.messages, profile, key: sandbox.keys.messages },
	});
	const metadata = { sandbox: { say: [TEXT], ...faults } };
	const messages = [{ role: "user", content: "Hello" }] as const;
	return client.send({ model: "sandbox-1", messages, maxTokens: 100_000, metadata, ...request });
}

const texts = ({ reply }: EndedReply) => reply.blocks.map(({ text }) => text);

test("a reply is complete to its last character, streamed, slow, in blocks or whole", async () => {
	for (const [faults, request] of [
		[{}, {}],
		[{ headersAfterMs: 50, wordDelayMs: 15, pingEveryMs: 5 }, {}],
		[{ say: ["a b c", "d e f"] }, {}],
		[{}, { stream: false }],
	] as const) {
		const ended = await send(faults, request);
		assert.deepEqual([ended.outcome, ended.error, ended.requests], ["complete", undefined, 1]);
		assert.deepEqual(texts(ended), "say" in faults ? faults.say : [TEXT]);
	}
	assert.equal((await send({ stopReason: "refusal" })).outcome, "refused");
});

const CUTS: readonly (readonly [NonNullable<MessagesFaults["cut"]>["how"], Outcome, ErrorCode])[] = [
	["end", "interrupted", "interrupted"],
	["reset", "interrupted", "interrupted"],
	["error", "failed", "overloaded"],
];
for (const [how, outcome, code] of CUTS) {
	test(`a stream cut by ${how} is ${outcome}, keeps its deltas and is sent again only without`, async () => {
		for (const [afterDeltas, expected] of ["", "one", "one é", "one é 漢字"].entries()) {
			const ended = await send({ cut: { afterDeltas, how } });
			const requests = expected === "" ? 4 : 1;
			assert.deepEqual([ended.outcome, ended.error?.code, ended.requests], [outcome, code, requests]);
			assert.equal(texts(ended).join(""), expected);
		}
	});
}
