import { strict as assert } from "node:assert";
import { after, afterEach, before, test } from "node:test";
import { createTransport } from "#api/http/undici-transport.ts";
import { defaultPetstorePatience, PetstoreClient, petstoreLimiters } from "#api/petstore/client.ts";
import { contractProfile } from "#api/petstore/model.ts";
import { systemClock } from "#base/clock.ts";
import type { PetstoreBehaviour } from "#sandbox/petstore/behaviour.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { listening } from "../../support/loopback.ts";
import { serve } from "../../support/recording-server.ts";
import { until } from "../../support/until.ts";
import { clientAt, clientOf, closeTransport, exactId, failureOf, startStore } from "./client-at.ts";

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

/** What odd stores answer, and what comes of it. */
const ODD: readonly (readonly [what: string, behaviour: PetstoreBehaviour, name: string | undefined])[] = [
	["ids as text", { ids: "text", on: ["getPetById"] }, "Odd"],
	["the other format", { answerWith: "other-format" }, "Odd"],
	["dates without a colon", { dates: "no-colon" }, "Odd"],
	["a body long after its head", { bodyAfterMs: 5 }, "Odd"],
];
for (const format of ["json", "xml"] as const) {
	for (const [what, behaviour, name] of ODD) {
		test(`a store with ${what} is understood, in ${format.toUpperCase()}`, async () => {
			sandbox.petstore.behave(behaviour);
			const { client } = clientOf(sandbox, { format });
			sandbox.petstore.store.setPet({ id: 9007199254740993n, name: "Odd", photoUrls: [] });
			const { data } = await client.call("getPetById", { petId: "9007199254740993" });
			assert.equal(data.name, name);
			assert.equal(data.id, "9007199254740993");
		});
	}

	// An element with nothing in it says in XML what `{}` says in JSON: a pet of which nothing is known.
	for (const answerWith of [
		"html",
		"empty",
		"not-json",
		"wrong-shape",
		...(format === "json" ? (["null"] as const) : []),
	] as const) {
		test(`a read answered with ${answerWith} is malformed and says so, a change so answered has happened unless it is a page, in ${format.toUpperCase()}`, async () => {
			sandbox.petstore.behave({ answerWith });
			const { client, notices } = clientOf(sandbox, { format });
			const error = await failureOf(client.call("getPetById", { petId: 1 }));
			assert.equal(error.code, "malformed");
			assert.equal(error.status, 200);
			assert.ok(error.message.length < 500 && !error.message.includes("<"), error.message);
			assert.equal(notices.length, 1);
			const change = client.call("updatePet", { body: { ...pet, id: exactId("5") } });
			if (answerWith === "html") assert.equal((await failureOf(change)).code, "malformed");
			else assert.equal((await change).data, null);
		});
	}

	test(`pets without name or photos and with unknown statuses are taken in, in ${format.toUpperCase()}`, async () => {
		sandbox.petstore.behave({ quirks: ["stray-pets", "xml-items"] });
		const { client } = clientOf(sandbox, { format });
		const { data } = await client.call("findPetsByStatus", { status: ["sold"] });
		assert.ok(data.some(({ name, photoUrls }) => name === undefined && (photoUrls ?? []).length === 0));
		assert.ok(data.some(({ status }) => status !== undefined && status !== "sold"));
	});
}

for (const format of ["json", "xml"] as const) {
	for (const root of ["pets", "List"] as const) {
		test(`items that are no pets are left out and counted, in ${format.toUpperCase()} under ${root}`, async () => {
			const { client } = clientOf(sandbox, { format });
			const wish = { status: ["sold", "pending"] as const };
			const before = await client.call("findPetsByStatus", wish);
			assert.equal(before.leftOut, 0);
			sandbox.petstore.behave({ quirks: root === "List" ? ["foreign-items", "xml-items"] : ["foreign-items"] });
			const { data, leftOut } = await client.call("findPetsByStatus", wish);
			assert.deepEqual([data, leftOut], [before.data, 4]);
		});
	}

	test(`a list in which nothing is a pet is malformed, and so is what is no list, in ${format.toUpperCase()}`, async () => {
		const { client } = clientOf(sandbox, { format });
		sandbox.petstore.behave({ quirks: ["foreign-items"] });
		const none = client.call("findPetsByTags", { tags: ["nobody has this"] });
		assert.equal((await failureOf(none)).code, "malformed");
		sandbox.petstore.behave({ answerWith: "wrong-shape" });
		assert.equal((await failureOf(client.call("findPetsByTags", { tags: ["senior"] }))).code, "malformed");
	});
}

test("several statuses are asked for one by one, so that a store that reads only the first one has them all", async () => {
	sandbox.petstore.behave({ quirks: ["first-query-only"] });
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

test("the key goes to its two operations and to deletePet, the token to those on pets, nothing anywhere else", async () => {
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

test("a refusal is about what was sent or is needed, and that of a login about the login", async (t) => {
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
		patience: () => defaultPetstorePatience,
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
	sandbox.petstore.behave({ readBytesPerSecond: 1_000 });
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

test("secrets that the service repeats are removed, however short they are", async () => {
	for (const password of ["pw", "correct horse battery"]) {
		const message = `No ${password}, ${encodeURIComponent(password)}, ${Buffer.from(password).toString("base64")}`;
		for (const body of ["api-response", "text", "html", "xml"] as const) {
			sandbox.petstore.behave({ fail: { status: 400, message, body } });
			const { client } = clientOf(sandbox);
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
		fail: { status: 400, message: "Invalid username/password supplied", body: "api-response" },
	});
	const { client } = clientOf(sandbox);
	const error = await failureOf(client.call("loginUser", { username: "ada", password: "p" }));
	assert.doesNotMatch(error.message, /username|assword|su.*lied/);
});

test("a password with an apostrophe is taken out of an address that the service repeats", async () => {
	const password = "rock'n'roll (live)!";
	const { client, sent } = clientOf(sandbox);
	await failureOf(client.call("loginUser", { username: "ada", password }));
	const { search = "" } = sent[0]?.url ?? {};
	assert.match(search, /rock%27n%27roll/);
	sandbox.petstore.behave({ fail: { status: 400, message: `No route ${search} here`, body: "text" } });
	const error = await failureOf(client.call("loginUser", { username: "ada", password }));
	assert.match(error.message, /^No route \?username=ada&password=\[redacted\] here$/);
});

test("a reply is read in the charset that it declares, so that nothing else is sent back", async (t) => {
	// Each of its bytes is a character of ASCII.
	const body = Buffer.from('{"id":1,"name":"Rex"}', "utf16le").toString("latin1");
	const headers = { "content-type": "application/json; charset=UTF-16LE" };
	const { origin } = await serve(t, () => ({ headers, body }));
	const { data } = await clientAt(origin).client.call("getPetById", { petId: 1 });
	assert.equal(data.name, "Rex");
});

test("an unknown operation, an unknown parameter and a missing one are refused before anything is sent", async () => {
	const { client, sent } = clientOf(sandbox);
	assert.equal((await failureOf(client.callNamed("dropTables"))).field, "operation");
	assert.equal((await failureOf(client.callNamed("constructor"))).field, "operation");
	assert.equal((await failureOf(client.callNamed("getInventory", { petId: 1 }))).field, "petId");
	assert.equal((await failureOf(client.callNamed("getPetById"))).field, "petId");
	assert.equal((await failureOf(client.callNamed("getPetById", null))).field, "params");
	assert.equal(sent.length, 0);
});
