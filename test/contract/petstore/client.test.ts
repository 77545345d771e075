import { strict as assert } from "node:assert";
import { after, afterEach, before, test } from "node:test";
import { createTransport } from "#api/http/undici-transport.ts";
import { defaultPatience } from "#api/messages/model.ts";
import { PetstoreClient, petstoreLimiters } from "#api/petstore/client.ts";
import { contractProfile } from "#api/petstore/model.ts";
import { systemClock } from "#base/clock.ts";
import { toXml } from "#sandbox/petstore/xml.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { listening } from "../../support/loopback.ts";
import { serve } from "../../support/recording-server.ts";
import { until } from "../../support/until.ts";
import { clientAt, clientOf, closeTransport, failureOf, startStore } from "./client-at.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startStore();
});
afterEach(() => sandbox.petstore.behave({}));
after(async () => {
	await sandbox.close();
	await closeTransport();
});

const pet = { name: "Rex", photoUrls: [] };

test("several statuses are requested one by one, for stores that read only the first", async () => {
	const { client, sent } = clientOf(sandbox);
	const { data, requests } = await client.call("findPetsByStatus", { status: ["sold", "pending", "sold"] });
	assert.equal(requests, 2);
	assert.deepEqual(sent.map(({ url }) => url.search).sort(), ["?status=pending", "?status=sold"]);
	assert.ok(["sold", "pending"].every((status) => data.some((each) => each.status === status)));
});

test("a pet that is found for two tags is there once", async () => {
	const { client } = clientOf(sandbox);
	const all = (await client.call("findPetsByTags", { tags: ["friendly", "senior"] })).data;
	const both = all.filter(({ tags = [] }) =>
		["friendly", "senior"].every((name) => tags.some((tag) => tag.name === name)),
	);
	assert.ok(both.length > 0);
	assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
});

test("when one of several requests fails, the call fails and the others are given up", async (t) => {
	let ended = 0;
	const origin = await listening(t, (request, response) => {
		if (request.url?.endsWith("=pending")) return response.writeHead(400).end();
		// The others are never answered.
		return response.once("close", () => {
			ended += 1;
		});
	});
	const { client, notices } = clientAt(origin);
	const error = await failureOf(client.call("findPetsByStatus", { status: ["sold", "available", "pending"] }));
	assert.equal(error.code, "invalid");
	await until(() => ended === 2, "the end of the others");
	assert.deepEqual(notices.map((notice) => notice.error?.code).sort(), ["aborted", "aborted", "invalid"]);
});

test("the key and the token go only to the operations that take them", async () => {
	const { client, sent } = clientOf(sandbox);
	const { apiKey, token } = sandbox.keys.petstore;
	await client.call("getPetById", { petId: 6 });
	await client.call("getInventory", {});
	await client.call("findPetsByStatus", { status: ["sold"] });
	await client.call("deletePet", { petId: 6 });
	await client.call("deletePet", { petId: 7, api_key: "another-key" }).catch(() => undefined);
	await client.call("getOrderById", { orderId: 1 });
	await client.call("getUserByName", { username: "ada" });
	assert.deepEqual(
		sent.map(({ headers }) => [headers["api_key"], headers["authorization"]]),
		[
			[apiKey, undefined],
			[apiKey, undefined],
			[undefined, `Bearer ${token}`],
			[apiKey, `Bearer ${token}`],
			["another-key", `Bearer ${token}`],
			[undefined, undefined],
			[undefined, undefined],
		],
	);
});

test("a refusal names the credential that was sent or is needed, or the login", async (t) => {
	const { origin } = await serve(t, () => ({ status: 401, body: { message: "No" } }));
	const owner = clientAt(origin, { apiKey: "a-key", token: "a-token" }).client;
	const nobody = clientAt(origin).client;
	const reason = async (call: Promise<unknown>) => (await failureOf(call)).reason;
	assert.equal(await reason(owner.call("getPetById", { petId: 1 })), "key-refused");
	assert.equal(await reason(nobody.call("getPetById", { petId: 1 })), "key-needed");
	assert.equal(await reason(owner.call("loginUser", { username: "ada", password: "wrong" })), "log-in-refused");
	assert.equal(await reason(owner.call("getOrderById", { orderId: 1 })), undefined);
	for (const client of [owner, nobody]) {
		assert.equal(await reason(client.call("addPet", { body: pet })), "sign-in-needed");
	}
});

test("a sign-in with reduced scopes is forbidden, and what it lacks is said", async () => {
	const { client } = clientOf(sandbox, { token: sandbox.keys.petstore.readOnlyToken, scopes: ["read:pets"] });
	const error = await failureOf(client.call("addPet", { body: pet }));
	assert.equal(error.code, "forbidden");
	assert.match(error.message, /without write:pets/);
});

test("a credential is bound to its origin", () => {
	const options = {
		baseUrl: "https://elsewhere.example",
		profile: contractProfile,
		credential: { origin: "https://petstore.example" },
		transport: createTransport(),
		clock: systemClock,
		limiters: petstoreLimiters(),
		patience: () => defaultPatience,
	};
	assert.throws(() => new PetstoreClient(options), { code: "invalid", field: "base_url", reason: "other-origin" });
});

test("reads are made again after what passes, changes never", async () => {
	for (const fault of [{ fail: { status: 500, times: 2 } }, { drop: 2 }] as const) {
		sandbox.petstore.behave(fault);
		const read = clientOf(sandbox);
		assert.equal((await read.client.call("getPetById", { petId: 1 })).requests, 3);
		assert.deepEqual(
			read.notices.map(({ attempt }) => attempt),
			[1, 2, 3],
		);
		for (const name of ["updatePet", "deletePet", "updatePetWithForm", "addPet", "placeOrder"] as const) {
			sandbox.petstore.behave(fault);
			const write = clientOf(sandbox);
			const parameters =
				name === "deletePet" || name === "updatePetWithForm"
					? { petId: 1 }
					: { body: name === "placeOrder" ? {} : { ...pet, id: 1 } };
			await failureOf(write.client.callNamed(name, parameters));
			assert.equal(write.sent.length, 1, name);
		}
	}
});

test("an upload reports its progress and can be stopped", async () => {
	const { client } = clientOf(sandbox);
	const file = {
		name: "big.png",
		type: "image/png",
		bytes: Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(300_000)]),
	};
	const steps: number[] = [];
	let total = 0;
	await client.call(
		"uploadFile",
		{ petId: 8, file },
		{
			onProgress(sent, of) {
				steps.push(sent);
				total = of;
			},
		},
	);
	assert.ok(steps.length >= 4 && steps.every((step, at) => step > (steps[at - 1] ?? 0)));
	assert.ok(total > 300_000 && steps.at(-1) === total);
	sandbox.petstore.behave({ headersAfterMs: 60_000 });
	const cut = new AbortController();
	const stopped = failureOf(
		client.call("uploadFile", { petId: 8, file }, { signal: cut.signal, onProgress: () => cut.abort() }),
	);
	assert.equal((await stopped).code, "aborted");
});

test("the notice of a request has everything but secrets", async () => {
	const { client, notices } = clientOf(sandbox);
	await client.call("createUser", { body: { username: "grace", password: "pass-word" } });
	await failureOf(client.call("deletePet", { petId: 9, api_key: "another-key" }));
	const [created, deleted] = notices;
	assert.deepEqual(
		{ ...created, ms: 0, headers: created?.headers["content-type"] },
		{
			service: "petstore",
			method: "POST",
			url: `${sandbox.baseUrls.petstore}/v2/user`,
			headers: "application/json",
			body: '{"username":"grace","password":"{password}"}',
			isExact: false,
			status: 200,
			ms: 0,
			attempt: 1,
			sentBytes: 43,
			receivedBytes: created?.receivedBytes,
		},
	);
	assert.equal(deleted?.headers["api_key"], "{api_key}");
	assert.equal(deleted?.headers["authorization"], "Bearer {token}");
	const all = JSON.stringify(notices);
	for (const secret of ["pass-word", "another-key", sandbox.keys.petstore.token]) assert.ok(!all.includes(secret));
});

test("secrets that the service repeats are removed, however short they are", async (t) => {
	const server = await serve(t, () => undefined);
	for (const password of ["pw", "correct horse battery"]) {
		const message = `No ${password}, ${encodeURIComponent(password)}, ${Buffer.from(password).toString("base64")}`;
		const said = { code: 400, type: "error", message };
		for (const [type, body] of [
			["application/json", JSON.stringify(said)],
			["text/plain", message],
			["text/html", `<html><body><h1>${message}</h1></body></html>`],
			["application/xml", toXml("ApiResponse", said)],
		] as const) {
			server.respond = () => ({ status: 400, headers: { "content-type": type }, body });
			const { client } = clientAt(server.origin);
			for (const call of [
				client.call("loginUser", { username: "ada", password }),
				client.call("createUser", { body: { username: "a", password } }),
			]) {
				const error = await failureOf(call);
				assert.ok(!error.message.includes(password), error.message);
				assert.ok(!error.message.includes(encodeURIComponent(password)));
			}
		}
	}
});

test("a message whose gap would reveal a short password is dropped as a whole", async () => {
	sandbox.petstore.behave({
		fail: { status: 400, message: "Invalid username/password supplied" },
	});
	const { client } = clientOf(sandbox);
	const error = await failureOf(client.call("loginUser", { username: "ada", password: "p" }));
	assert.doesNotMatch(error.message, /username|assword|su.*lied/);
});

test("a password with an apostrophe is redacted in an address the service repeats", async (t) => {
	const password = "rock'n'roll (live)!";
	const server = await serve(t, ({ path }) => ({ status: 400, body: `No route ${path} here` }));
	const error = await failureOf(clientAt(server.origin).client.call("loginUser", { username: "ada", password }));
	assert.match(server.requests[0]?.path ?? "", /rock%27n%27roll/);
	assert.match(error.message, /^No route \/v2\/user\/login\?username=ada&password=\[redacted\] here$/);
});

test("a reply is read in the charset that it declares", async (t) => {
	// Each of its bytes is a character of ASCII.
	const body = Buffer.from('{"id":1,"name":"Rex"}', "utf16le").toString("latin1");
	const headers = { "content-type": "application/json; charset=UTF-16LE" };
	const { origin } = await serve(t, () => ({ headers, body }));
	const { data } = await clientAt(origin).client.call("getPetById", { petId: 1 });
	assert.equal(data.name, "Rex");
});

test("an unknown operation and a wrong or missing parameter are refused and not sent", async () => {
	const { client, sent } = clientOf(sandbox);
	assert.equal((await failureOf(client.callNamed("getInventory", { petId: 1 }))).field, "petId");
	assert.equal((await failureOf(client.callNamed("getPetById", {}))).field, "petId");
	assert.equal((await failureOf(client.callNamed("getPetById", null))).field, "params");
	assert.equal(sent.length, 0);
});
