import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { withToken } from "#app/petstore/secret.ts";
import { signIn, type TakeAnswer } from "#app/petstore/sign-in.ts";
import { openLoopbackPage } from "#editor/petstore/loopback-page.ts";
import type { PetstoreBehaviour } from "#sandbox/petstore/behaviour.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

/** What a person does on the page of the store, as a browser would: the address that it is sent to then. */
async function decide(page: URL, decision: "approve" | "deny"): Promise<string> {
	const html = await (await fetch(page)).text();
	const ticket = /name="ticket" value="([^"]+)"/.exec(html)?.[1] ?? "";
	const form = new URLSearchParams({ ticket, decision });
	for (const scope of page.searchParams.get("scope")?.split(" ") ?? []) form.append("scope", scope);
	const reply = await fetch(page.origin + page.pathname, {
		method: "POST",
		redirect: "manual",
		headers: { "content-type": "application/x-www-form-urlencoded", origin: page.origin },
		body: form,
	});
	return reply.headers.get("location") ?? "";
}

/** What our own page does with its address. */
async function handOn(address: string, headers: Record<string, string> = {}): Promise<Response> {
	const { origin, pathname, hash, search } = new URL(address);
	return fetch(origin + pathname, {
		method: "POST",
		headers: { origin, "x-switchboard-sign-in": "1", ...headers },
		body: hash || search,
	});
}

async function setUp(context: TestContext, oauth: PetstoreBehaviour["oauth"] = {}) {
	const window = await openPetstoreWindow(context, oauth === undefined ? {} : { oauth });
	const clock = new FakeClock();
	const target = signInTargetOf("sandbox", window.baseUrl);
	const begin = (browse: (url: URL) => Promise<void>, more: { signal?: AbortSignal; paste?: TakeAnswer[] } = {}) =>
		signIn(
			{
				clock,
				openPage: openLoopbackPage,
				outside: async (address) => address,
				browse,
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

test("who approves is signed in with a token that the store takes", async (t) => {
	const { begin, registry, add, clients } = await setUp(t);
	const { id } = await add({});
	let said = "";
	const token = await begin(async (url) => {
		said = await (await handOn(await decide(url, "approve"))).text();
	});
	assert.match(said, /has the answer/);
	assert.deepEqual(new Set(token.scopes), new Set(["read:pets", "write:pets"]));
	await registry.replaceSecret(id, withToken(undefined, token));
	const { client } = await clients.open(id);
	assert.equal((await client.call("findPetsByStatus", { status: ["sold"] })).status, 200);
});

test("an answer behind ? is as good, and so is a pasted one", async (t) => {
	const { begin } = await setUp(t, { inQuery: true });
	assert.match((await begin(async (url) => void (await handOn(await decide(url, "approve"))))).value, /^sandbox-/);
	const pasted: TakeAnswer[] = [];
	const token = begin(
		async (url) => {
			const address = await decide(url, "approve");
			assert.equal(pasted[0]?.("http://127.0.0.1/callback#access_token=x&state=y"), undefined);
			assert.match(pasted[0]?.(address) ?? "", /has the answer/);
		},
		{ paste: pasted },
	);
	assert.match((await token).value, /^sandbox-/);
});

test("who denies is not signed in, and hears so on the page", async (t) => {
	const { begin } = await setUp(t);
	let said = "";
	const signing = begin(async (url) => {
		said = await (await handOn(await decide(url, "deny"))).text();
	});
	await assert.rejects(signing, { code: "forbidden" });
	assert.match(said, /denied/);
});

test("a forged state is left alone and does not end the sign-in; nobody answering does after 5 minutes", async (t) => {
	const { begin, clock } = await setUp(t, { forgedState: true });
	let status = 0;
	const signing = begin(async (url) => {
		status = (await handOn(await decide(url, "approve"))).status;
		clock.advance(299_000);
		setImmediate(() => clock.advance(2_000));
	});
	await assert.rejects(signing, { code: "timeout" });
	assert.equal(status, 400);
});

test("reduced scopes are told, and the store's refusal of such a token leaves the old secret", async (t) => {
	const { begin, registry, add, keys, secretOf } = await setUp(t, { scopes: ["read:pets"] });
	const { id } = await add({ apiKey: keys.apiKey });
	const token = await begin(async (url) => void (await handOn(await decide(url, "approve"))));
	assert.deepEqual(token.scopes, ["read:pets"]);
	const stored = secretOf({ apiKey: keys.apiKey });
	await assert.rejects(registry.replaceSecret(id, withToken(stored, token)), {
		code: "forbidden",
		message: /without write:pets/,
	});
	assert.deepEqual(await registry.secret(registry.require(id)), { state: "present", secret: stored });
});

test("nobody but our own page can hand an answer on, and the page is gone afterwards", async (t) => {
	const { begin } = await setUp(t);
	let address = "";
	await begin(async (url) => {
		address = await decide(url, "approve");
		const { origin } = new URL(address);
		assert.equal((await handOn(address, { origin: "https://elsewhere.example" })).status, 403);
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

test("who stops it is not signed in", async (t) => {
	const { begin } = await setUp(t);
	const left = new AbortController();
	await assert.rejects(
		begin(async () => left.abort(), { signal: left.signal }),
		{ code: "aborted" },
	);
});
