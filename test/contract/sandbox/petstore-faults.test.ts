import { strict as assert } from "node:assert";
import { after, before, beforeEach, test } from "node:test";
import type { PetstoreBehaviour } from "#sandbox/petstore/behaviour.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type AskOptions, ask, assertRefused, object, objects, ok, XML } from "./petstore-wire.ts";

let sandbox: Sandbox;
before(async () => {
	sandbox = await startSandbox({ curious: true });
});
beforeEach(() => sandbox.petstore.behave({}));
after(() => sandbox.close());

const get = (behaviour: PetstoreBehaviour, request = "GET /pet/7", options: AskOptions = {}) =>
	ask(sandbox, request, { ...options, behaviour });

test("a behaviour holds for one request, from now on, or from the start", async () => {
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

test("an unknown behaviour is refused with 400 and its place, whatever the operation calls invalid", async () => {
	const asked = (header: string) => ask(sandbox, "POST /pet", { headers: { "x-sandbox": header } });
	assertRefused(await asked("{"), 400, /^x-sandbox must be JSON/);
	assertRefused(await asked('{"fial":1}'), 400, /^x-sandbox\.fial is not known/);
	assertRefused(await asked('{"quirks":["sings"]}'), 400, /^x-sandbox\.quirks\[0\] must be one of/);
});

test("an error is told as JSON, problem, XML, HTML, text or not at all", async () => {
	for (const [body, type, text] of [
		["api-response", "application/json", /^\{"code":404,/],
		["problem", "application/problem+json", /"title":"Pet not found","status":404/],
		["xml", XML, /^<\?xml.*\n<ApiResponse><code>404</],
		["html", "text/html", /^<html>.*HTTP ERROR 404/],
		["text", "text/plain; charset=utf-8", /^Pet not found$/],
		["empty", "application/json", /^$/],
	] as const) {
		for (const reply of [
			await get({ errorBody: body }, "GET /pet/404"),
			await get({ fail: { status: 404, message: "Pet not found", body, retryAfterSeconds: 2 } }),
		]) {
			assert.equal(reply.status, 404);
			assert.equal(reply.headers.get("content-type"), type);
			assert.match(reply.text, text);
		}
	}
	assert.equal((await get({ fail: { status: 429, retryAfterSeconds: 2 } })).headers.get("retry-after"), "2");
});

test("a good status can come with a body that is not the contract's", async () => {
	assert.match((await get({ answerWith: "html" })).headers.get("content-type") ?? "", /^text\/html/);
	assert.equal((await get({ answerWith: "empty" })).text, "");
	assert.equal((await get({ answerWith: "not-json" })).json, undefined);
	assert.equal((await get({ answerWith: "null" })).json, null);
	assert.equal(objects((await get({ answerWith: "wrong-shape" })).json).length, 1);
	const other = await get({ answerWith: "other-format" });
	assert.deepEqual([other.headers.get("content-type"), /<Pet>/.test(other.text)], [XML, true]);
	const json = await get({ answerWith: "other-format" }, "GET /pet/7", { accept: XML });
	assert.equal(object(json.json)["id"], 7);
});

test("a captive portal answers what is no GET with a web page, and nothing of it is done", async () => {
	const put = await get({ portal: true }, "PUT /pet", { body: { id: 7, name: "Lost", photoUrls: [] } });
	assert.deepEqual([put.status, put.headers.get("content-type")], [200, "text/html"]);
	assert.equal((await get({ portal: true }, "DELETE /pet/7")).status, 200);
	assert.notEqual(sandbox.petstore.store.pets.get(7n)?.name ?? "Lost", "Lost");
	assert.equal(ok(await get({ portal: true }))["id"], 7);
});

test("a field can be put wrong or left out, in JSON and in XML", async () => {
	assert.equal("name" in ok(await get({ spoil: { field: "name" } })), false);
	const xml = await get({ spoil: { field: "status", value: "lost" } }, "GET /pet/7", { accept: XML });
	assert.match(xml.text, /<status>lost<\/status>/);
	const list = await get({ spoil: { at: 1, field: "photoUrls" } }, "GET /pet/findByStatus?status=sold");
	assert.deepEqual(
		objects(list.json)
			.slice(0, 3)
			.map((pet) => "photoUrls" in pet),
		[true, false, true],
	);
});

test("ids can come rounded, as strings, or beyond int64", async () => {
	const id = async (ids: PetstoreBehaviour["ids"]) =>
		/"id":("?\d+"?)/.exec((await get(ids === undefined ? {} : { ids }, "GET /pet/9007199254740993")).text)?.[1];
	assert.equal(await id(undefined), "9007199254740993");
	assert.equal(await id("rounded"), "9007199254740992");
	assert.equal(await id("text"), '"9007199254740993"');
	assert.equal(await id("beyond"), "9223372036854775808");
});

test("dates can come without a colon or with an offset, and are the same time", async () => {
	const date = async (behaviour: PetstoreBehaviour) =>
		String(ok(await get(behaviour, "GET /store/order/1"))["shipDate"]);
	const plain = await date({});
	assert.match(plain, /Z$/);
	assert.match(await date({ dates: "no-colon" }), /\+0000$/);
	assert.equal(Date.parse(await date({ dates: "offset" })), Date.parse(plain));
});

test("what the contract does not show can be told with another status, as an ApiResponse, or not at all", async () => {
	const put = async (writeReply: NonNullable<PetstoreBehaviour["writeReply"]>) => {
		const reply = await get({ writeReply }, "PUT /pet", { body: { id: 8, name: "x", photoUrls: [] } });
		return [reply.status, reply.text];
	};
	assert.deepEqual(await put({}), [200, '{"id":8,"name":"x","photoUrls":[]}']);
	assert.deepEqual(await put({ body: "api-response" }), [200, '{"code":200,"type":"unknown","message":"8"}']);
	assert.deepEqual(await put({ status: 201, body: "empty" }), [201, ""]);
	assert.deepEqual(await put({ status: 204 }), [204, ""]);
	// What it shows stays as it is.
	assert.equal(ok(await get({ writeReply: { body: "empty" } }))["id"], 7);
	const logout = await get({ apiCode: 7 }, "GET /user/logout");
	assert.equal(ok(logout)["code"], 7);
});

test("a login can be an ApiResponse or bare text, with its expiry in other forms or not at all", async () => {
	const { username, password } = sandbox.keys.petstore.user;
	const login = (behaviour: NonNullable<PetstoreBehaviour["login"]>) =>
		get({ login: behaviour }, `GET /user/login?username=${username}&password=${password}`);
	const expiry = async (expires: "http" | "java" | "none") => (await login({ expires })).headers.get("x-expires-after");
	assert.match(String(ok(await login({ body: "api-response" }))["message"]), /^logged in/);
	assert.match((await login({ body: "text" })).text, /^logged in/);
	assert.match((await expiry("http")) ?? "", /^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/);
	assert.match((await expiry("java")) ?? "", /^\w{3} \w{3} \d\d [\d:]{8} UTC \d{4}$/);
	assert.equal(await expiry("none"), null);
});

test("an upload that its sender gives up leaves the store as it was", async () => {
	const before = sandbox.petstore.store.pets.get(9n);
	const form = new FormData();
	form.append("file", new Blob([new Uint8Array(4_000_000)]), "x.png");
	const upload = fetch(`${sandbox.baseUrls.petstore}/v2/pet/9/uploadImage`, {
		method: "POST",
		body: form,
		signal: AbortSignal.timeout(100),
		headers: {
			authorization: `Bearer ${sandbox.keys.petstore.token}`,
			"x-sandbox": '{"readBytesPerSecond":100000}',
		},
	});
	await assert.rejects(upload);
	ok(await get({}));
	assert.equal(sandbox.petstore.store.pets.get(9n), before);
});

test("more requests at once than the store bears are answered with 500", async () => {
	const other = await startSandbox({ curious: true, petstore: { mostAtOnce: 2, bodyAfterMs: 100 } });
	try {
		const statuses = await Promise.all([1, 2, 3, 5].map(async (id) => (await ask(other, `GET /pet/${id}`)).status));
		assert.deepEqual(statuses.toSorted(), [200, 200, 500, 500]);
	} finally {
		await other.close();
	}
});

const NEW = { name: "New", photoUrls: [], status: "sold" };

test("with the quirks of real servers, new pets overwrite and PUT creates", async () => {
	const { text } = await get({ quirks: ["post-overwrites"] }, "POST /pet", { body: NEW });
	assert.match(text, /"id":9223372036854775807,"name":"New"/);
	ok(await get({ quirks: ["put-creates"] }, "PUT /pet", { body: { ...NEW, id: 70_000 } }));
	ok(await get({}, "GET /pet/70000"));
});

test("with the quirks of real servers, repeated parameters are read once and strays are found", async () => {
	const statuses = async (quirks: NonNullable<PetstoreBehaviour["quirks"]>) => {
		const reply = await get({ quirks }, "GET /pet/findByStatus?status=pending&status=sold");
		return new Set(objects(reply.json).map(({ status }) => status));
	};
	assert.deepEqual(await statuses(["first-query-only"]), new Set(["pending"]));
	assert.ok((await statuses(["stray-pets"])).has("in quarantine"));
	const list = await get({ quirks: ["xml-items"] }, "GET /pet/findByStatus?status=pending", { accept: XML });
	assert.match(list.text, /<List><item><id>/);
});

test("with the quirks of real servers, PUT of a user believes the body, and a login can be asked for", async () => {
	ok(await get({ quirks: ["put-user-by-body"] }, "PUT /user/lin", { body: { username: "nil", phone: "1" } }));
	assert.notEqual(ok(await get({}, "GET /user/lin"))["phone"], "1");
	assert.equal(ok(await get({}, "GET /user/nil"))["phone"], "1");
	const { username, password } = sandbox.keys.petstore.user;
	const remove = () => get({ quirks: ["users-need-login"] }, "DELETE /user/nil");
	ok(await get({}, "GET /user/logout"));
	assertRefused(await remove(), 401, /Nobody is logged in/);
	await get({}, `GET /user/login?username=${username}&password=${password}`);
	ok(await remove());
});
