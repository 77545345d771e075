import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { AccessToken } from "#api/petstore/credential.ts";
import { signInTargetOf } from "#app/connections/petstore-profiles.ts";
import { petstoreSecret } from "#app/petstore/secret.ts";
import { signIn } from "#app/petstore/sign-in.ts";
import { systemClock } from "#base/clock.ts";
import { openLoopbackPage } from "#editor/petstore/loopback-page.ts";
import { startStoreWithSignIn } from "../../support/store-with-sign-in.ts";
import { openPetstoreWindow } from "./petstore-window.ts";

/** A store behind an authorization server from npm, and what a browser does there. */
async function setUp(context: TestContext) {
	const { sandbox, registry, clients } = await openPetstoreWindow(context);
	const store = await startStoreWithSignIn(sandbox);
	context.after(() => store.close());
	const { baseUrl, clientId } = store;
	const profile = { clientId };
	const begin = (decision: "approve" | "deny") =>
		signIn(
			{
				clock: systemClock,
				openPage: (take) => openLoopbackPage({ take, outside: async (address) => address }),
				browse: async (url) => {
					assert.match(await (await fetch(url)).text(), /Sign in to the pets/);
					const reply = await fetch(url, {
						method: "POST",
						redirect: "manual",
						body: new URLSearchParams({ decision }).toString(),
					});
					const { origin, pathname, hash } = new URL(reply.headers.get("location") ?? "");
					const headers = { origin, "x-switchboard-sign-in": "1" };
					void fetch(origin + pathname, { method: "POST", headers, body: hash });
				},
			},
			signInTargetOf(profile, baseUrl),
		);
	const add = (token: AccessToken) =>
		registry.add({ service: "petstore", label: "Store", baseUrl, profile, format: "json" }, petstoreSecret({ token }));
	return { store, begin, add, clients };
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

test("a denial there is a denial here", async (t) => {
	const { begin } = await setUp(t);
	await assert.rejects(begin("deny"), { code: "forbidden", field: "auth_url" });
});

test("what was given for less than was asked, without a word about it, is refused by the store and not kept", async (t) => {
	const { store, begin, add } = await setUp(t);
	store.behave({ scopes: ["read:pets"] });
	await assert.rejects(add(await begin("approve")), {
		code: "forbidden",
		reason: "sign-in-needed",
		message: /write:pets/,
	});
});

test("a token that has ended is refused with the word that it has", async (t) => {
	const { store, begin, add, clients } = await setUp(t);
	store.behave({ seconds: 2 });
	const { id } = await add(await begin("approve"));
	const { client } = await clients.open(id);
	await delay(2_100);
	await assert.rejects(client.call("findPetsByStatus", { status: ["sold"] }), {
		...{ code: "unauthorized", reason: "sign-in-needed" },
	});
});
