import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { curlOf } from "#app/requests/curl.ts";
import { pathOf } from "#app/requests/request-log.ts";
import { ClientError } from "#base/errors.ts";
import { requestFacts, requestLook } from "#editor/requests/request-look.ts";
import { logged, notice, openLog } from "../../../support/logged-requests.ts";

test("the newest request comes first, with when it began and whose it is", () => {
	const { log, clock } = openLog();
	log.add(notice, "codehost-1");
	clock.advance(100);
	log.add({ ...notice, method: "POST", ms: 60 }, null);
	assert.deepEqual(
		log.list().map(({ id, method, connection, at }) => [id, method, connection, at - clock.now()]),
		[
			["r2", "POST", null, -60],
			["r1", "GET", "codehost-1", -141],
		],
	);
});

test("no more requests are kept than the bound says, and the oldest make room", () => {
	const { log } = openLog(3);
	for (let count = 0; count < 10; count++) log.add(notice, null);
	assert.deepEqual(
		log.list().map(({ id }) => id),
		["r10", "r9", "r8"],
	);
	assert.equal(log.get("r7"), undefined);
	assert.equal(log.get("r8")?.id, "r8");
});

test("the log keeps the code and the sentence of an error, but not its cause", () => {
	const cause = new Error("with a stack");
	const error = new ClientError("codehost", "network", "No route.", { cause });
	assert.deepEqual(logged({ status: null, error }).error, { code: "network", message: "No route." });
	assert.equal(logged().error, null);
});

test("a secret that is forgotten later does not come back", () => {
	const { log, redactor } = openLog();
	const known = redactor.register("passing-secret-1");
	log.add({ ...notice, body: "passing-secret-1" }, null);
	known.dispose();
	redactor.register("another-secret");
	assert.doesNotMatch(JSON.stringify(log.list()), /passing-secret-1/);
});

test("each request is announced once, and so is clearing the log", () => {
	const { log } = openLog();
	let told = 0;
	log.onDidChange(() => told++);
	log.add(notice, null);
	log.add(notice, null);
	assert.equal(told, 2);
	assert.equal(log.clear(), 2);
	assert.deepEqual([told, log.list().length], [3, 0]);
	log.add(notice, null);
	assert.equal(log.list()[0]?.id, "r3");
});

test("the path of an address has its query, and is never empty", () => {
	assert.equal(pathOf("https://h.example:8443/a/b?c=d"), "/a/b?c=d");
	assert.equal(pathOf("http://[::1]:80?x=/"), "?x=/");
	assert.equal(pathOf("https://h.example"), "/");
});

/** Every way in which a text can stand in a request. */
const WAYS: readonly ((text: string) => string)[] = [
	(text) => text,
	(text) => encodeURIComponent(text),
	(text) => new URLSearchParams({ a: text }).toString(),
	(text) => JSON.stringify({ a: `before ${text} after` }),
	(text) => Buffer.from(`user:${text}`).toString("base64"),
	(text) => Buffer.from(text).toString("base64url"),
];

/** Addresses with a text in them, as the URL class writes them. */
const PLACES: readonly ((text: string) => string)[] = [
	(text) => new URL(`https://host.example/a/${encodeURIComponent(text)}/b`).href,
	(text) => {
		const url = new URL("https://host.example/list");
		url.searchParams.set("q", text);
		return url.href;
	},
];

/** As a credential may be made: no shorter than the redactor cares for, and nothing that is in a request anyway. */
const secrets = fc
	.oneof(
		fc.string({ minLength: 8, maxLength: 60 }),
		fc.string({ minLength: 8, maxLength: 40, unit: fc.constantFrom(..."ab'\"\\$`!&<>%+/=?#{}[]@: é漢🔌") }),
		fc.base64String({ minLength: 12, maxLength: 60 }),
		fc.uuid(),
		fc
			.tuple(...[1, 2, 3].map(() => fc.string({ minLength: 8, maxLength: 30, unit: fc.constantFrom(..."aZ09_-") })))
			.map((parts) => parts.join(".")),
	)
	.map((text) => `S${text.trim()}7`)
	.filter((text) => text.isWellFormed() && text.length >= 8);

/** All that a person, the clipboard or another extension ever gets of a request. */
function shown(request: ReturnType<typeof logged>): string[] {
	const { label, description = "", spoken } = requestLook(request, "Label");
	const facts = requestFacts(request, "Label").flat();
	const fields = [request.url, request.body ?? "", request.error?.message ?? "", ...Object.entries(request.headers)];
	return [JSON.stringify(request), curlOf(request), label, description, spoken, ...facts, ...fields.flat()];
}

/** Encodings from which a secret could be read out of a text. */
function readable(text: string): string[] {
	const percent = text.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) =>
		Buffer.from(codes.replaceAll("%", ""), "hex").toString(),
	);
	return [text, percent, percent.replaceAll("+", " ")];
}

for (const when of ["before", "after"] as const) {
	test(`no secret that is known ${when} a request is in anything that is shown of it`, () => {
		fc.assert(
			fc.property(secrets, fc.constantFrom(...WAYS), fc.constantFrom(...PLACES), (secret, way, place) => {
				const { log, redactor } = openLog();
				if (when === "before") redactor.register(secret);
				const error = new ClientError("codehost", "server", `It said ${way(secret)}!`);
				log.add({ ...notice, url: place(secret), headers: { "x-a": way(secret) }, body: way(secret), error }, null);
				if (when === "after") redactor.register(secret);
				const [request] = log.list();
				assert.ok(request !== undefined);
				for (const text of shown(request).flatMap(readable)) {
					assert.ok(!text.includes(secret), text);
					assert.ok(!text.includes(JSON.stringify(secret).slice(1, -1)), text);
				}
				const { body, headers } = request;
				assert.ok(!`${body} ${headers["x-a"]}`.includes(Buffer.from(secret).toString("base64url").slice(2, -4)));
			}),
			{ numRuns: 400 },
		);
	});
}

test("a request without a secret is left as it is", () => {
	const url = "https://host.example/a%20b/c+d?q=%27x%27&labels=a%2Cb";
	const { log, redactor } = openLog();
	redactor.register("some-secret-1");
	log.add({ ...notice, url, body: '{"a":[1]}' }, null);
	const [request] = log.list();
	assert.deepEqual([request?.url, request?.body, request?.headers], [url, '{"a":[1]}', notice.headers]);
});

test("a parameter with a secret's name always becomes a placeholder", () => {
	const shownAs = (query: string) => logged({ url: `https://host.example/x?${query}` }).url.split("?")[1];
	assert.equal(shownAs("page=2&access_token=abc&q=token"), "page=2&access_token={access_token}&q=token");
	assert.equal(shownAs("X-Amz-Signature=0a1b"), "X-Amz-Signature={X-Amz-Signature}");
	assert.equal(shownAs("username=ada&password={password}"), "username=ada&password={password}");
	assert.equal(shownAs("monkey=1&tokens=2"), "monkey={monkey}&tokens=2");
	assert.equal(shownAs("client_secret=2"), "client_secret={client_secret}");
	for (const name of ["auth", "pwd", "jwt", "code", "password", "passwd", "sig", "signature", "JWT"]) {
		assert.equal(shownAs(`a=1&${name}=abc%20d&b=2`), `a=1&${name}={${name}}&b=2`);
	}
	assert.equal(shownAs("author=ada&codes=1&design=2"), "author=ada&codes=1&design=2");
});

test("the address in what an error says is without them too", () => {
	const { log } = openLog();
	const said = "Moved to https://h.example/x?page=2&code=abc, see <a href='/y?jwt=a.b.c'> and \"?auth=z\"";
	log.add({ ...notice, error: new ClientError("petstore", "server", said) }, null);
	assert.equal(
		log.list()[0]?.error?.message,
		"Moved to https://h.example/x?page=2&code={code} see <a href='/y?jwt={jwt}'> and \"?auth={auth}\"",
	);
});

test("an address in a body is redacted like one in a request line", () => {
	const photos = (...photoUrls: string[]) => JSON.stringify({ photoUrls });
	const given = photos(
		"https://h.example/x?X-Amz-Signature=S3&sig=T3&w=1",
		"https://user:PW@h.example/x",
		"http://a@b/?q=1",
	);
	const shownAs = photos(
		"https://h.example/x?X-Amz-Signature={X-Amz-Signature}&sig={sig}&w=1",
		"https://user:{password}@h.example/x",
		"http://a@b/?q=1",
	);
	const request = logged({ url: "https://host.example/x", method: "POST", body: given });
	assert.equal(request.body, shownAs);
	assert.ok(!/S3|T3|PW/.test(curlOf(request)));
	const xml = logged({ url: "https://host.example/x", body: "<a>https://h.example/?a=1&amp;sig=T3</a>" });
	assert.equal(xml.body, "<a>https://h.example/?a=1&amp;sig={sig}</a>");
});
