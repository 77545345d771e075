import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type TestContext, test } from "node:test";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { withToken } from "#app/connections/petstore-secret.ts";
import { signIn, type TakeAnswer } from "#app/petstore/sign-in.ts";
import { openLoopbackPage } from "#editor/connections/loopback-page.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

/** What a person does on the page of the store, as a browser would: the address that it is sent to then. */
async function decide(
	page: URL,
	decision: "approve" | "deny",
	scopes = page.searchParams.get("scope")?.split(" ") ?? [],
): Promise<string> {
	const html = await (await fetch(page)).text();
	const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? "";
	const form = new URLSearchParams({ ticket, decision });
	for (const scope of scopes) form.append("scope", scope);
	const reply = await fetch(page.origin + page.pathname, {
		method: "POST",
		redirect: "manual",
		headers: { "content-type": "application/x-www-form-urlencoded", origin: page.origin },
		body: form,
	});
	return reply.headers.get("location") ?? "";
}

const textOf = (reply: Response) => reply.text();

/** What our own page does with its address. */
const handOn = (address: string) => handOnAs(address);

/** The same with other headers. */
async function handOnAs(address: string, headers: Record<string, string> = {}): Promise<Response> {
	const { origin, pathname, hash, search } = new URL(address);
	return fetch(origin + pathname, {
		method: "POST",
		headers: { origin, "x-switchboard-sign-in": "1", ...headers },
		body: hash || search,
	});
}

/** What a request for the page is answered whose address was written with another name. */
async function statusUnder(host: string, address: string): Promise<number | undefined> {
	const asking = request(address, { headers: { host } });
	asking.end();
	const [reply]: IncomingMessage[] = await once(asking, "response");
	reply?.resume();
	return reply?.statusCode;
}

async function setUp(context: TestContext) {
	const window = await openPetstoreWindow(context);
	const clock = new FakeClock();
	const target = signInTargetOf("sandbox", window.baseUrl);
	const begin = (browse: (url: URL) => Promise<void>, more: { signal?: AbortSignal; paste?: TakeAnswer[] } = {}) =>
		signIn(
			{
				clock,
				openPage: (take) => openLoopbackPage(take, async (address) => address),
				browse,
				refusalOf: async () => undefined,
				paste: (take) => {
					more.paste?.push(take);
					return { dispose: () => undefined };
				},
			},
			target,
			more.signal,
		);
	return { ...window, clock, begin };
}

test("an approved sign-in returns a token that the store takes", async (t) => {
	const { begin, registry, add, clients } = await setUp(t);
	const { id } = await add({});
	let said: Promise<string> | undefined;
	const token = await begin(async (url) => {
		said = decide(url, "approve").then(handOn).then(textOf);
	});
	assert.match((await said) ?? "", /has the answer/);
	assert.deepEqual(new Set(token.scopes), new Set(["read:pets", "write:pets"]));
	await registry.replaceSecret(id, withToken(undefined, token));
	const { client } = await clients.open(id);
	assert.equal((await client.call("findPetsByStatus", { status: ["sold"] })).status, 200);
});

test("a denied sign-in is refused, and the page says so", async (t) => {
	const { begin } = await setUp(t);
	let said: Promise<string> | undefined;
	const signing = begin(async (url) => {
		said = decide(url, "deny").then(handOn).then(textOf);
	});
	await assert.rejects(signing, { code: "forbidden", field: "auth_url" });
	assert.match((await said) ?? "", /denied/);
});

test("a forged state does not end the sign-in; a timeout of 5 minutes does", async (t) => {
	const { begin, clock } = await setUp(t);
	const statuses: number[] = [];
	const signing = begin(async (url) => {
		for (const decision of ["approve", "deny"] as const) {
			const answer = await decide(url, decision);
			statuses.push((await handOn(answer.replace(/state=\w+/, "state=forged"))).status);
		}
		clock.advance(299_000);
		setImmediate(() => clock.advance(2_000));
	});
	await assert.rejects(signing, { code: "timeout", field: "auth_url" });
	assert.deepEqual([clock.waiting, ...statuses], [0, 400, 400]);
});

test("reduced scopes are reported, and a refusal of such a token keeps the old secret", async (t) => {
	const { begin, registry, add, keys, secretOf } = await setUp(t);
	const { id } = await add({ apiKey: keys.apiKey });
	const token = await begin(async (url) => void (await handOn(await decide(url, "approve", ["read:pets"]))));
	assert.deepEqual(token.scopes, ["read:pets"]);
	const ended = { ...token, scopes: [], expiresAt: 1 };
	const stored = secretOf({ apiKey: keys.apiKey });
	await assert.rejects(registry.replaceSecret(id, withToken(stored, token)), {
		code: "forbidden",
		reason: "sign-in-needed",
		message: /the sign-in was given without write:pets\)/,
	});
	await assert.rejects(registry.replaceSecret(id, withToken(stored, ended)), {
		message: /the sign-in has ended and was given without write:pets and read:pets\)/,
	});
	assert.deepEqual(await registry.secret(registry.require(id)), { secret: stored });
});

test("only our own page can hand an answer on, and it is gone afterwards", async (t) => {
	const { begin } = await setUp(t);
	let address = "";
	await begin(async (url) => {
		address = await decide(url, "approve");
		const { origin } = new URL(address);
		assert.equal((await handOnAs(address, { origin: "https://elsewhere.example" })).status, 403);
		assert.equal(await statusUnder("rebound.example", address), 421);
		assert.equal(await statusUnder("localhost", address), 200);
		assert.equal((await fetch(address, { method: "POST", headers: { origin }, body: "x" })).status, 403);
		assert.equal((await handOn(`${address}${"x".repeat(40_000)}`)).status, 413);
		assert.equal((await fetch(`${origin}/other`)).status, 404);
		const page = await fetch(address);
		assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'nonce-/);
		assert.equal(page.headers.get("cache-control"), "no-store");
		assert.equal((await handOn(address)).status, 200);
	});
	await assert.rejects(fetch(address));
});

test("a sign-in whose page may never have opened still completes", async (t) => {
	const { begin } = await setUp(t);
	const never = new Promise<void>(() => undefined);
	const token = begin(async (url) => {
		void decide(url, "approve").then(handOn);
		await never;
	});
	assert.match((await token).value, /^sandbox-/);
});

test("the sign-in page answers at its outside address, to that origin alone", async (t) => {
	const outside = async (address: string) => `https://editors.example/proxy/${new URL(address).port}/callback`;
	const taken: string[] = [];
	const page = await openLoopbackPage((answer) => {
		taken.push(answer);
		return "Taken.";
	}, outside);
	t.after(() => page.dispose());
	const port = /proxy\/(\d+)\//.exec(page.address)?.[1];
	const inside = `http://127.0.0.1:${port}/callback#answer`;
	assert.equal((await handOn(inside)).status, 403);
	assert.equal((await handOnAs(inside, { origin: "https://editors.example" })).status, 200);
	assert.equal(await statusUnder("editors.example", inside), 200);
	assert.deepEqual(taken, ["#answer"]);
});

test("if no page can be opened, the address can be pasted", async (t) => {
	const { clock, baseUrl } = await setUp(t);
	let take: TakeAnswer | undefined;
	const parts = {
		clock,
		refusalOf: async () => undefined,
		openPage: () => Promise.reject(new Error("no way out")),
		browse: async (url: URL) => {
			assert.match(take?.(await decide(url, "approve")) ?? "", /has the answer/);
		},
	};
	const target = signInTargetOf("sandbox", baseUrl);
	const paste = (given: TakeAnswer) => {
		take = given;
		return { dispose: () => undefined };
	};
	assert.match((await signIn({ ...parts, paste }, target)).value, /^sandbox-/);
});

test("a stopped sign-in stores nothing", async (t) => {
	const { begin } = await setUp(t);
	const left = new AbortController();
	await assert.rejects(
		begin(async () => left.abort(), { signal: left.signal }),
		{ code: "aborted" },
	);
});
