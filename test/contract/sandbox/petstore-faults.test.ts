import { strict as assert } from "node:assert";
import { after, before, beforeEach, test } from "node:test";
import type { PetstoreFaults } from "#sandbox/petstore/faults.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type AskOptions, ask, assertRefused, ok } from "./petstore-wire.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ curious: true });
});
beforeEach(() => sandbox.petstore.behave({}));
after(() => sandbox.close());

const get = (faults: PetstoreFaults, request = "GET /pet/7", options: AskOptions = {}) =>
	ask(sandbox, request, { ...options, faults });

test("a fault holds for one request, from now on, or from the start", async () => {
	const fail = { status: 503 };
	assertRefused(await get({ fail }), 503, /was asked/);
	ok(await get({}));
	sandbox.petstore.behave({ fail: { ...fail, times: 1 } });
	assert.equal((await ask(sandbox, "GET /pet/7")).status, 503);
	ok(await ask(sandbox, "GET /pet/7"));
	const other = await startSandbox({ curious: true, petstore: { fail } });
	try {
		assert.equal((await ask(other, "GET /pet/7")).status, 503);
	} finally {
		await other.close();
	}
});

test("an unknown fault is refused with 400 and its place", async () => {
	const asked = (header: string) => ask(sandbox, "POST /pet", { headers: { "x-sandbox": header } });
	assertRefused(await asked("{"), 400, /^x-sandbox must be JSON/);
	assertRefused(await asked('{"fial":1}'), 400, /^x-sandbox\.fial is not known/);
	assertRefused(await asked('{"on":["sing"]}'), 400, /^x-sandbox\.on\[0\] must be one of/);
});

test("an upload that its sender gives up leaves the store as it was", async () => {
	const before = sandbox.petstore.store.pets.get(9n);
	const body = new ReadableStream({ start: (upload) => upload.enqueue(new Uint8Array(100_000)) });
	const upload = fetch(`${sandbox.baseUrls.petstore}/v2/pet/9/uploadImage`, {
		method: "POST",
		body,
		duplex: "half",
		signal: AbortSignal.timeout(100),
		headers: {
			authorization: `Bearer ${sandbox.keys.petstore.token}`,
			"content-type": "multipart/form-data; boundary=x",
		},
	});
	await assert.rejects(upload);
	ok(await get({}));
	assert.equal(sandbox.petstore.store.pets.get(9n), before);
});
