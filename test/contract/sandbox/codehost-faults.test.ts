import { strict as assert } from "node:assert";
import { createServer } from "node:http";
import { test } from "node:test";
import type { CodehostBehaviour } from "#sandbox/codehost/behaviour.ts";
import {
	ask,
	assertRefused,
	exchange,
	jwtOf,
	linksOf,
	numbersOf,
	object,
	objects,
	type Reply,
	sandboxForFile,
	tokenOf,
	walk,
} from "../../support/codehost-wire.ts";

const { sandbox, time } = await sandboxForFile();

const BAD = "Bad credentials";
const SWITCHBOARD = "/repos/exchange/switchboard";
const ISSUES = `${SWITCHBOARD}/issues`;

/** The statuses of so many requests in a row; 0 where the connection was closed. */
async function statuses(count: number, behaviour?: CodehostBehaviour): Promise<number[]> {
	const found: number[] = [];
	for (let n = 0; n < count; n++) {
		const reply = await ask(sandbox, "/user", behaviour && { behaviour }).catch(() => undefined);
		found.push(reply?.status ?? 0);
	}
	return found;
}

test("a behaviour is asked for in a header for one request, or while it runs for all that follow", async () => {
	const fail = { status: 503, message: "Down." };
	assertRefused(await ask(sandbox, "/user", { behaviour: { fail } }), 503, ["Down."]);
	assert.deepEqual(await statuses(1), [200]);
	sandbox.codehost.behave({ fail });
	assert.deepEqual(await statuses(2), [503, 503]);
	sandbox.codehost.behave({});
	assert.deepEqual(await statuses(1), [200]);
});

test("the fields of the header win over the standing behaviour, the others stay", async () => {
	sandbox.codehost.behave({ lean: true, remaining: 1 });
	const reply = await ask(sandbox, "/user", { behaviour: { remaining: 2 } });
	assert.equal(reply.headers.get("x-ratelimit-remaining"), "2");
	assert.equal(reply.text, '{"login":"ada"}');
});

test("a behaviour that is not known is refused, with the place that is wrong", async () => {
	for (const [header, message] of [
		["{", /^x-sandbox must be JSON/],
		["[]", /^x-sandbox must be an object/],
		['{"fial":{}}', /^x-sandbox\.fial is not known/],
		['{"fail":{"status":200}}', /^x-sandbox\.fail\.status must be from 400/],
		['{"linkOrigin":"https://a/b"}', /^x-sandbox\.linkOrigin must be an origin/],
		['{"limitStatus":404}', /^x-sandbox\.limitStatus must be one of 403, 429/],
	] as const) {
		assertRefused(await ask(sandbox, "/user", { headers: { "x-sandbox": header } }), 400, [message]);
	}
	assert.throws(() => sandbox.codehost.behave(JSON.parse('{"limit":"many"}')), /^ClientError: behaviour\.limit/);
});

test("a behaviour can be kept to some endpoints", async () => {
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 500 } });
	assert.equal((await ask(sandbox, "/user")).status, 200);
	assert.equal((await ask(sandbox, SWITCHBOARD)).status, 200);
	assert.equal((await exchange(sandbox)).status, 201);
	assert.equal((await ask(sandbox, ISSUES)).status, 500);
	assert.equal((await ask(sandbox, "/nothing")).status, 404);
});

test("a failure can tell limits in every way there is, and tells nothing unasked", async () => {
	const names = ["x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"];
	const told = ({ headers }: Reply) => names.map((name) => headers.get(name));
	const get = async (fail: NonNullable<CodehostBehaviour["fail"]>) =>
		told(await ask(sandbox, "/user", { behaviour: { fail } }));
	assert.deepEqual(await get({ status: 403 }), [null, null, null]);
	assert.deepEqual(await get({ status: 403, remaining: 0 }), ["0", null, null]);
	assert.deepEqual(await get({ status: 429, retryAfterSeconds: 7 }), [null, null, "7"]);
	const [, , date] = await get({ status: 429, retryAfterDateSeconds: 90 });
	assert.ok(Math.abs(Date.parse(date ?? "") - time.now - 90_000) <= 1000);
	const [, reset] = await get({ status: 403, remaining: 0, resetSeconds: 60 });
	assert.equal(reset, `${Math.ceil(time.now / 1000 + 60)}`);
});

test("the body of a failure can be a page or nothing", async () => {
	const html = await ask(sandbox, "/user", { behaviour: { fail: { status: 502, body: "html" } } });
	assert.match(html.headers.get("content-type") ?? "", /^text\/html/);
	assert.match(html.text, /^<html>/);
	const empty = await ask(sandbox, "/user", { behaviour: { fail: { status: 401, body: "empty" } } });
	assert.deepEqual([empty.status, empty.text, empty.headers.get("content-type")], [401, "", "application/json"]);
});

const bodies: ReadonlyArray<readonly [NonNullable<CodehostBehaviour["answerWith"]>, path: string, RegExp]> = [
	["html", "/user", /^<html>/],
	["empty", "/user", /^$/],
	["not-json", ISSUES, /^\[\{.*[^\]]$/],
	["null", SWITCHBOARD, /^null$/],
	["wrong-shape", "/user", /^\[\{"login"/],
	["wrong-shape", ISSUES, /^\{"items":\[/],
];
for (const [answerWith, path, expected] of bodies) {
	test(`${path} can be answered with a good status and the body ${answerWith}`, async () => {
		const reply = await ask(sandbox, path, { behaviour: { answerWith } });
		assert.equal(reply.status, 200);
		assert.match(reply.text, expected);
		assert.match(reply.headers.get("content-type") ?? "", answerWith === "html" ? /^text\/html/ : /^application\/json/);
	});
}

test("a field can be left out or put wrong in every record", async () => {
	const get = async (path: string, spoil: NonNullable<CodehostBehaviour["spoil"]>) =>
		(await ask(sandbox, path, { behaviour: { spoil } })).json;
	assert.ok(!("login" in object(await get("/user", { field: "login" }))));
	assert.equal(object(await get(SWITCHBOARD, { field: "full_name", value: 5 }))["full_name"], 5);
	assert.ok(objects(await get(ISSUES, { field: "title", value: null })).every(({ title }) => title === null));
	const token = await exchange(sandbox, { behaviour: { spoil: { field: "expires_at", value: "soon" } } });
	assert.equal(object(token.json)["expires_at"], "soon");
	const empty = await exchange(sandbox, { behaviour: { spoil: { field: "token", value: "" } } });
	assert.equal(object(empty.json)["token"], "");
});

test("a lean host sends the fields of the contract and no other", async () => {
	sandbox.codehost.behave({ lean: true });
	assert.deepEqual(object((await ask(sandbox, "/user")).json), { login: "ada" });
	assert.deepEqual(object((await ask(sandbox, SWITCHBOARD)).json), { full_name: "exchange/switchboard" });
	const [issue = {}] = objects((await ask(sandbox, ISSUES)).json);
	assert.deepEqual(Object.keys(issue), ["number", "title"]);
	assert.deepEqual(Object.keys(object((await exchange(sandbox)).json)), ["token", "expires_at"]);
});

for (const name of ["content-type", "date", "etag", "link", "x-ratelimit-remaining"] as const) {
	test(`the header ${name} is there, and can be left out alone`, async () => {
		const path = `${ISSUES}?page=2`;
		const whole = [...(await ask(sandbox, path)).headers.keys()];
		const without = [...(await ask(sandbox, path, { behaviour: { omitHeaders: [name] } })).headers.keys()];
		assert.ok(whole.includes(name));
		assert.deepEqual(
			without,
			whole.filter((one) => one !== name),
		);
	});
}

test("a route can want plain JSON: the vendor's type alone is 406 there", async () => {
	const behaviour = { refuseVendorType: true, on: ["issues"] as const };
	assertRefused(await ask(sandbox, ISSUES, { behaviour }), 406, [/application\/json/]);
	const headers = { accept: "application/vnd.service+json, application/json;q=0.9" };
	assert.equal((await ask(sandbox, ISSUES, { behaviour, headers })).status, 200);
	assert.equal((await ask(sandbox, "/user", { behaviour })).status, 200);
});

test("links can be only next, with numbers or with cursors, and lead through the whole list", async () => {
	const whole = numbersOf(await walk(sandbox, `${ISSUES}?per_page=100`));
	for (const links of ["next", "cursor"] as const) {
		sandbox.codehost.behave({ links });
		const pages = await walk(sandbox, `${ISSUES}?per_page=100`);
		assert.deepEqual(numbersOf(pages), whole);
		assert.deepEqual(
			pages.map((page) => Object.keys(linksOf(page))),
			[["next"], ["next"], []],
		);
	}
	const next = new URL(linksOf(await ask(sandbox, `${ISSUES}?per_page=100`))["next"] ?? "");
	assert.equal(next.searchParams.get("page"), null);
	assert.doesNotMatch(next.searchParams.get("after") ?? "", /^\d+$/);
	sandbox.codehost.behave({ links: "none" });
	assert.equal((await ask(sandbox, ISSUES)).headers.get("link"), null);
});

test("links can lead in a circle, or nowhere but back to their own page", async () => {
	const last = `${ISSUES}?per_page=100&page=3`;
	const page = async (behaviour: CodehostBehaviour) =>
		new URL(linksOf(await ask(sandbox, last, { behaviour }))["next"] ?? "").searchParams.get("page");
	assert.equal(await page({ linkLoop: "cycle" }), "1");
	assert.equal(await page({ linkLoop: "self" }), "3");
});

test("links and redirects can lead to another origin with the same path, where this sandbox never asks by itself", async () => {
	let visits = 0;
	const evil = createServer((_, response) => {
		visits++;
		response.end("[]");
	});
	await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
	try {
		const address = evil.address();
		const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
		const linked = linksOf(await ask(sandbox, ISSUES, { behaviour: { linkOrigin: origin } }));
		assert.ok(Object.values(linked).every((url) => url.startsWith(`${origin}/codehost${ISSUES}?`)));
		for (const status of [301, 302, 303, 307, 308] as const) {
			const reply = await ask(sandbox, `${ISSUES}?page=2`, { behaviour: { redirect: { origin, status } } });
			assert.deepEqual([reply.status, reply.headers.get("location")], [status, `${origin}/codehost${ISSUES}?page=2`]);
		}
		assert.equal(visits, 0);
		await (await fetch(linked["next"] ?? "")).text();
		assert.equal(visits, 1);
	} finally {
		evil.close();
	}
});

test("some hosts list pull requests among the issues", async () => {
	const get = async (behaviour: CodehostBehaviour) =>
		objects((await ask(sandbox, "/repos/ada/garden/issues?state=all&per_page=100", { behaviour })).json);
	assert.equal((await get({})).length, 34);
	const all = await get({ pullRequests: true });
	assert.equal(all.length, 40);
	assert.equal(all.filter((issue) => "pull_request" in issue).length, 6);
});

for (const [tokenLagStatus, message] of [
	[401, BAD],
	[403, "Resource not accessible by integration"],
] as const) {
	test(`a new token can be refused with ${tokenLagStatus} for some seconds`, async () => {
		const token = await tokenOf(sandbox, { behaviour: { tokenLagSeconds: 3, tokenLagStatus } });
		time.now += 2_999;
		assertRefused(await ask(sandbox, SWITCHBOARD, { token }), tokenLagStatus, [message, /not in force yet/]);
		time.now += 1;
		assert.equal((await ask(sandbox, SWITCHBOARD, { token })).status, 200);
	});
}

test("an installation can be suspended while its tokens are out: they and the exchange are refused, the list says so", async () => {
	const token = await tokenOf(sandbox);
	sandbox.codehost.behave({ suspended: true });
	const message = "This installation has been suspended";
	assertRefused(await ask(sandbox, SWITCHBOARD, { token }), 403, [message]);
	assertRefused(await exchange(sandbox), 403, [message]);
	const listed = objects((await ask(sandbox, "/app/installations", { token: await jwtOf(sandbox) })).json);
	assert.ok(listed.length > 0 && listed.every(({ suspended_at }) => suspended_at !== null));
});

for (const minutes of [10, -10]) {
	test(`a host whose clock is ${minutes} minutes off tells so by Date, refuses our JWT, and takes one by its own clock`, async () => {
		sandbox.codehost.behave({ clockSkewSeconds: minutes * 60 });
		const skew = minutes * 60_000;
		const refused = await exchange(sandbox, { token: await jwtOf(sandbox, { now: time.now }) });
		assertRefused(refused, 401, [BAD, minutes > 0 ? /exp is past/ : /more than 600 s/]);
		const date = Date.parse(refused.headers.get("date") ?? "");
		assert.ok(Math.abs(date - time.now - skew) <= 1000);
		const healed = await exchange(sandbox, { token: await jwtOf(sandbox, { now: date }) });
		assert.equal(healed.status, 201);
		const { token, expires_at } = object(healed.json);
		assert.ok(Math.abs(Date.parse(String(expires_at)) - time.now - skew - 3_600_000) <= 1000);
		assert.equal((await ask(sandbox, SWITCHBOARD, { token: String(token) })).status, 200);
		time.now += 3_599_000;
		assert.equal((await ask(sandbox, SWITCHBOARD, { token: String(token) })).status, 200);
	});
}

test("a reply can be slow, in its headers or in its body", async () => {
	const start = performance.now();
	assert.equal((await ask(sandbox, "/user", { behaviour: { headersAfterMs: 60, bodyAfterMs: 60 } })).status, 200);
	const ms = performance.now() - start;
	assert.ok(ms >= 115, `${ms}`);
});

test("a reply can break off in its body", async () => {
	const response = await fetch(sandbox.baseUrls.codehost + ISSUES, {
		headers: { authorization: `Bearer ${sandbox.keys.codehost.classic}`, "x-sandbox": '{"cutAfterBytes":20}' },
	});
	assert.equal(response.status, 200);
	await assert.rejects(response.text(), TypeError);
});
