import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createTransport } from "#api/http/undici-transport.ts";
import { refusalOfPage } from "#api/petstore/authorization.ts";
import type { AccessToken } from "#api/petstore/credential.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { petstoreSecret } from "#app/connections/petstore-secret.ts";
import { FIXED_ADDRESS, type SignInWays, signIn } from "#app/petstore/sign-in.ts";
import { systemClock } from "#base/clock.ts";
import { openLoopbackPage } from "#editor/connections/loopback-page.ts";
import { serve } from "../../support/recording-server.ts";
import { startStoreWithSignIn } from "../../support/store-with-sign-in.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

/** A store behind an authorization server from npm, and what a browser does there. */
async function setUp(context: TestContext) {
	const { sandbox, registry, clients } = await openPetstoreWindow(context);
	const store = await startStoreWithSignIn(sandbox);
	context.after(() => store.close());
	const { baseUrl, clientId } = store;
	/** Hears where the browser was sent in vain. */
	let arrived: (address: string) => void = assert.fail;
	const profile = { clientId };
	const transport = createTransport();
	context.after(() => transport.close());
	const begin = (
		decision: "approve" | "deny",
		paste: SignInWays["paste"] = () => ({ dispose: () => undefined }),
		outside = async (address: string) => address,
	) =>
		signIn(
			{
				clock: systemClock,
				openPage: (take) => openLoopbackPage(take, outside),
				refusalOf: (url) => refusalOfPage(url, { transport, clock: systemClock }),
				paste,
				browse: async (url) => {
					assert.match(await (await fetch(url)).text(), /Sign in to the pets/);
					const reply = await fetch(url, {
						method: "POST",
						redirect: "manual",
						body: new URLSearchParams({ decision }).toString(),
					});
					const { origin, pathname, hash, href } = new URL(reply.headers.get("location") ?? "");
					if (href.startsWith(FIXED_ADDRESS)) return void arrived(href);
					const headers = { origin, "x-switchboard-sign-in": "1" };
					void fetch(origin + pathname, { method: "POST", headers, body: hash });
				},
			},
			signInTargetOf(profile, baseUrl),
		);
	const add = (token: AccessToken) =>
		registry.add({ service: "petstore", label: "Store", baseUrl, profile, format: "json" }, petstoreSecret({ token }));
	const onArrival = (heard: typeof arrived) => {
		arrived = heard;
	};
	return { store, begin, add, clients, onArrival };
}

test("a token of a server that is none of ours is taken, used and kept with its end", async (t) => {
	const { store, begin, add, clients } = await setUp(t);
	const token = await begin("approve");
	assert.ok(Math.abs((token.expiresAt ?? 0) - Date.now() - 3_600_000) < 10_000);
	const { id } = await add(token);
	const { client, held } = await clients.open(id);
	assert.deepEqual(held.token, { scopes: ["write:pets", "read:pets"], expiresAt: token.expiresAt });
	assert.equal((await client.call("findPetsByStatus", { status: ["sold"] })).status, 200);
	assert.deepEqual(new Set(store.seen), new Set([token.value]));
});

test("a page that refuses an unknown address is reported, and a token can be pasted", async (t) => {
	const { store, begin, onArrival } = await setUp(t);
	store.behave({ registered: [FIXED_ADDRESS] });
	let refused: Promise<string | undefined> | undefined;
	const paste: SignInWays["paste"] = (take, refusal) => {
		refused = refusal;
		onArrival(take);
		return { dispose: () => undefined };
	};
	const token = begin("approve", paste, async (address) => `https://editor.example/proxy/${new URL(address).port}`);
	assert.ok((await token).value.length > 0);
	assert.match((await refused) ?? "", /client/i);
});

test("a page that exists, is down or wants a password first is no refusal", async (t) => {
	const transport = createTransport();
	const { origin } = await serve(t, ({ path }) => {
		if (path === "/down") return { status: 503 };
		return path === "/mine" ? { status: 401, headers: { "www-authenticate": "Basic" } } : { status: 400, body: "No!" };
	});
	t.after(() => transport.close());
	const refusal = (url: string) => refusalOfPage(new URL(url), { transport, clock: systemClock });
	for (const url of [`${origin}/down`, `${origin}/mine`, "http://127.0.0.1:1/"]) {
		assert.equal(await refusal(url), undefined, url);
	}
	assert.equal(await refusal(`${origin}/x`), "No!");
});
