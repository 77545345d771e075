import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { petstoreSecret } from "#app/petstore/secret.ts";
import { type SignInEnd, SignInWatch } from "#app/petstore/sign-in-watch.ts";
import { openPetstoreWindow } from "../../../contract/app/petstore-window.ts";

const MINUTE = 60_000;

/** A store that is signed in to for so long, in use; and what is told of its end, as seconds from the beginning. */
async function signedIn(context: TestContext, forMs: number) {
	const window = await openPetstoreWindow(context);
	const { clock, registry, clients, keys, baseUrl } = window;
	const begun = clock.now();
	const secretFor = (ms: number) =>
		petstoreSecret({ token: { value: keys.token, scopes: null, expiresAt: clock.now() + ms } }) ?? "";
	const draft = { service: "petstore", label: "Store", baseUrl, profile: "sandbox", format: "json" } as const;
	const { id } = await registry.add(draft, secretFor(forMs));
	const watch = new SignInWatch(clients, clock);
	context.after(() => watch.dispose());
	const ends: SignInEnd[] = [];
	const told: [number, boolean][] = [];
	watch.onDidNearEnd((end) => {
		ends.push(end);
		told.push([(clock.now() - begun) / 1_000, end.hasEnded]);
	});
	await clients.open(id);
	return { ...window, id, watch, ends, told, begun, secretFor };
}

test("the end of a sign-in is told five minutes ahead and when it has come, once each", async (context) => {
	const { clock, told, ends, id, begun } = await signedIn(context, 60 * MINUTE);
	clock.advance(120 * MINUTE);
	assert.deepEqual(told, [
		[55 * 60, false],
		[60 * 60, true],
	]);
	assert.deepEqual(ends[0], { connection: id, expiresAt: begun + 60 * MINUTE, hasEnded: false });
});

test("of a short sign-in the last fifth is told of", async (context) => {
	const { clock, told } = await signedIn(context, MINUTE);
	clock.advance(2 * MINUTE);
	assert.deepEqual(told, [
		[48, false],
		[60, true],
	]);
});

test("a new sign-in is told of by its own end, and one that is not used any more not at all", async (context) => {
	const { clock, told, registry, clients, id, secretFor } = await signedIn(context, 60 * MINUTE);
	clock.advance(30 * MINUTE);
	await registry.replaceSecret(id, secretFor(60 * MINUTE));
	await clients.open(id);
	clock.advance(54 * MINUTE);
	assert.deepEqual(told, []);
	clock.advance(2 * MINUTE);
	assert.deepEqual(told, [[85 * 60, false]]);
	await registry.signOut(id);
	clock.advance(60 * MINUTE);
	assert.equal(told.length, 1);
});

test("a sign-in that has ended already, or whose end nobody knows, is not told of", async (context) => {
	const { clock, told, registry, clients, id, keys } = await signedIn(context, 60 * MINUTE);
	for (const expiresAt of [clock.now() - 1, null]) {
		await registry.replaceSecret(id, petstoreSecret({ token: { value: keys.token, scopes: null, expiresAt } }) ?? "");
		await clients.open(id);
		clock.advance(120 * MINUTE);
		assert.deepEqual(told, []);
	}
});

test("nothing waits once it is disposed", async (context) => {
	const { clock, watch } = await signedIn(context, 60 * MINUTE);
	assert.equal(clock.waiting, 2);
	watch.dispose();
	assert.equal(clock.waiting, 0);
});
