import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { createTransport, type TransportOptions } from "#api/http/undici-transport.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { PetstoreClient, petstoreLimiters } from "#api/petstore/client.ts";
import { contractProfile } from "#api/petstore/model.ts";
import { systemClock } from "#base/clock.ts";
import { listening } from "../../support/loopback.ts";

const SILENCE_MS = 1_000;

/** All of it fits in the buffers on the way: whoever sends it is rid of it at once. */
const BODY = 1_000_000;

/** Uploads to a store that deals with a request in its own time; resolves to what the store says. */
async function upload(
	context: TestContext,
	read: (request: IncomingMessage) => Promise<void>,
	{ host, ...options }: TransportOptions & { readonly host?: string } = {},
) {
	const lengths: (string | undefined)[] = [];
	const origin = await listening(context, async (request, response) => {
		lengths.push(request.headers["content-length"]);
		request.pause();
		await read(request);
		response.writeHead(200).end('{"message":"kept"}');
	});
	/** Reaches the store whatever the host, as the editor's own might through a proxy. */
	const fallbackFetch: typeof fetch = (input, init) => fetch(new URL(new URL(String(input)).pathname, origin), init);
	const transport = createTransport({ ...options, fallbackFetch });
	context.after(() => transport.close());
	const client = new PetstoreClient({
		baseUrl: host === undefined ? origin : `http://${host}`,
		profile: { ...contractProfile, format: "json" },
		transport,
		clock: systemClock,
		limiters: petstoreLimiters(),
		patience: () => ({ ...defaultPatience, silenceLimitMs: SILENCE_MS }),
	});
	const file = { name: "a.png", type: "image/png", bytes: new Uint8Array(BODY) };
	const sent: number[] = [];
	const { data } = await client.call("uploadFile", { petId: 1, file }, { onProgress: (bytes) => sent.push(bytes) });
	return { message: data?.message, lengths, sent };
}

async function slowly(request: IncomingMessage): Promise<void> {
	await delay(3 * SILENCE_MS);
	for await (const _ of request);
}

test("a photo whose last bytes are still on their way does not count as silence", async (t) => {
	const { message, sent } = await upload(t, slowly);
	assert.equal(message, "kept");
	assert.ok(sent.length > BODY / 65_536);
});

test("a photo through the editor's fetch, which reports no progress, has enough time", async (t) => {
	const { message, lengths, sent } = await upload(t, slowly, { host: "service.invalid" });
	assert.equal(message, "kept");
	assert.deepEqual([lengths.length, sent.length], [1, 1]);
	assert.equal(Number(lengths[0]), sent[0]);
});
