import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { inspect } from "node:util";
import type { PetstoreFormat } from "#app/connections/petstore-profiles.ts";
import { StoreDocuments } from "#app/petstore/documents.ts";
import { PetService } from "#app/petstore/pet-service.ts";
import { remoteText } from "#app/petstore/remote-text.ts";
import { PASSWORD_MASK } from "#app/petstore/user-text.ts";
import { KnownUsers } from "#app/petstore/users.ts";
import type { PetstoreFaults } from "#sandbox/petstore/faults.ts";
import { MemoryStore } from "../../support/memory-editor.ts";
import { withField } from "../../support/misbehavior.ts";
import { openPetstoreWindow, printUser, saveUser, usersIn } from "./petstore-window.ts";

async function open(context: TestContext, faults?: PetstoreFaults, format?: PetstoreFormat) {
	const window = await openPetstoreWindow(context, faults);
	const { clients, requests, log } = window;
	const { id } = await window.add(window.keys, format);
	const store = new MemoryStore();
	const { known, users } = usersIn(context, window, store);
	const { client } = await clients.open(id);
	requests.length = 0;
	return {
		...window,
		id,
		client,
		known,
		users,
		store,
		at: (username: string) => ({ connection: id, username }),
		/** What the store itself has for a password. */
		passwordOf: async (username: string) => (await client.call("getUserByName", { username })).data.password,
		/** That a secret is in nothing that a person or a log ever sees. */
		assertUnseen: (secret: string, ...others: readonly unknown[]) => {
			const seen = inspect([requests, log.lines, [...store.entries], ...others], { depth: 9, maxStringLength: null });
			assert.ok(!seen.includes(secret), `"${secret}" is to be seen in ${seen}`);
		},
	};
}

test("a mask that was left keeps the password, and the other fields are saved", async (t) => {
	const { users, at, passwordOf, keys, assertUnseen } = await open(t);
	const text = await printUser(users, at("ada"));
	assert.ok(text.includes(PASSWORD_MASK) && !text.includes(keys.user.password));
	await saveUser(users, at("ada"), text.replace("Quill", "Lovelace"));
	assert.match(await printUser(users, at("ada")), /"lastName": "Lovelace"/);
	assert.equal(await passwordOf("ada"), keys.user.password);
	assertUnseen(keys.user.password, text);
});

for (const [what, value] of [
	["nothing", undefined],
	["an empty text", ""],
	["stars", "********"],
	["dots", "•••"],
] as const) {
	test(`a mask is refused where the store sends ${what} as the password`, async (t) => {
		const { users, at, sandbox, passwordOf, requests, keys } = await open(t);
		const text = (await printUser(users, at("ada"))).replace("Quill", "Lovelace");
		sandbox.petstore.behave({}, withField("password", value));
		const refused = { code: "invalid", field: "password", message: /not sent by the store.* in place of the mask/ };
		await assert.rejects(saveUser(users, at("ada"), text), refused);
		assert.ok(requests.every(({ method }) => method === "GET"));
		sandbox.petstore.behave({});
		assert.equal(await passwordOf("ada"), keys.user.password);
		sandbox.petstore.behave({}, withField("password", value ?? null));
		assert.match(await saveUser(users, at("ada"), text.replace(PASSWORD_MASK, "enchantress-7")), /Lovelace/);
		sandbox.petstore.behave({});
		assert.equal(await passwordOf("ada"), "enchantress-7");
	});
}

test("a removed password line is refused if the store sends no password, else kept", async (t) => {
	const { users, at, sandbox, passwordOf, requests, keys } = await open(t);
	const text = (await printUser(users, at("ada"))).replace(/,\s*"password": "•+"/, "").replace("Quill", "Lovelace");
	for (const value of [undefined, "", "****"]) {
		sandbox.petstore.behave({}, withField("password", value));
		const refused = { code: "invalid", field: "password", message: /^password is not sent .* write it in its line/ };
		await assert.rejects(saveUser(users, at("ada"), text), refused);
	}
	assert.ok(requests.every(({ method }) => method === "GET"));
	sandbox.petstore.behave({});
	assert.match(await saveUser(users, at("ada"), text), /Lovelace/);
	assert.equal(await passwordOf("ada"), keys.user.password);
});

test("a user without a password is saved with an empty one in place of the mask", async (t) => {
	const { users, clients, id, at, client, clock } = await open(t);
	await users.create(id, [{ username: "new", lastName: "Quill" }]);
	const document = new StoreDocuments(new PetService(clients), users).open({ kind: "user", ...at("new") });
	const text = remoteText(document, clock, () => assert.fail("it has not changed"));
	await text.write(await text.text());
	const other = (await text.text()).replace("Quill", "Lovelace");
	await assert.rejects(text.write(other), { field: "password", message: /"" if the user has none/ });
	await text.write(other.replace(PASSWORD_MASK, ""));
	const { data } = await client.call("getUserByName", { username: "new" });
	assert.deepEqual([data.lastName, data.password || undefined], ["Lovelace", undefined]);
});

test("a password that was written is set, and is not in what is shown afterwards", async (t) => {
	const { users, at, passwordOf, assertUnseen } = await open(t);
	const text = await printUser(users, at("ada"));
	const saved = await saveUser(users, at("ada"), text.replace(PASSWORD_MASK, "enchantress-7"));
	assert.equal(await passwordOf("ada"), "enchantress-7");
	const after = await printUser(users, at("ada"));
	assert.deepEqual(saved, after);
	assert.equal(after, text);
	assertUnseen("enchantress-7", after);
});

test("another name in a document is refused, as it could create a second user", async (t) => {
	const { users, at, client } = await open(t);
	const text = await printUser(users, at("ada"));
	await assert.rejects(saveUser(users, at("ada"), text.replace('"ada"', '"eve"')), {
		code: "invalid",
		field: "username",
	});
	await assert.rejects(client.call("getUserByName", { username: "eve" }), { code: "not-found" });
});

test("saving a deleted user does not create it again, and the user is forgotten", async (t) => {
	const { users, at, client, known, id, requests } = await open(t);
	const text = await printUser(users, at("ada"));
	assert.deepEqual(known.list(id), ["ada"]);
	await client.call("deleteUser", { username: "ada" });
	await assert.rejects(saveUser(users, at("ada"), text), { code: "not-found" });
	// A store may create a user that is saved.
	assert.ok(requests.every(({ method }) => method !== "PUT"));
	assert.deepEqual(known.list(id), []);
});

test("a name that is taken is refused before any user is created", async (t) => {
	const { users, id, requests, passwordOf, keys } = await open(t);
	await assert.rejects(users.create(id, [{ username: "ada", password: "stolen-1" }]), { field: "username" });
	await assert.rejects(users.create(id, [{ username: "new" }, { username: "lin" }]), { field: "username" });
	assert.deepEqual(new Set(requests.map(({ method }) => method)), new Set(["GET"]));
	assert.equal(await passwordOf("ada"), keys.user.password);
});

test("many users are created with one request, and are known from then on", async (t) => {
	const { users, id, known, requests, passwordOf, store } = await open(t);
	const many = Array.from({ length: 12 }, (_, n) => ({ username: `user ${n}`, password: `pass-${n}-word` }));
	await users.create(id, many);
	assert.equal(requests.filter(({ method }) => method === "POST").length, 1);
	assert.equal(await passwordOf("user 11"), "pass-11-word");
	assert.equal(known.list(id).length, 12);
	assert.ok(!inspect([...store.entries]).includes("pass-1"));
});

test("a shadowed name can be created and deleted, but is never read", async (t) => {
	const { users, id, at, requests } = await open(t);
	await users.create(id, [{ username: "logout" }]);
	await assert.rejects(printUser(users, at("logout")), { code: "invalid", field: "username" });
	await users.delete(at("logout"));
	assert.ok(requests.every(({ method }) => method !== "GET"));
});

test("a login has its expiry and its limit, and shows its password nowhere", async (t) => {
	const { users, at, id, keys, clock, assertUnseen } = await open(t);
	const heard: string[] = [];
	users.onDidChange((connection) => heard.push(connection));
	const who = await users.logIn(at("ada"), keys.user.password);
	assert.deepEqual(who, { username: "ada", expiresAt: clock.now() + 3_600_000, rateLimit: 5000 });
	assert.deepEqual(users.session(id), who);
	assertUnseen(keys.user.password, who, heard);
	assertUnseen(encodeURIComponent(keys.user.password), who);
	assert.deepEqual(heard, [id]);
	assert.equal(await users.logOut(id), "ada");
	assert.equal(users.session(id), undefined);
});

test("a refused login is no session, and its error does not repeat the password", async (t) => {
	const { users, at, id, assertUnseen } = await open(t);
	const error = await users.logIn(at("ada"), "not-the-password").catch((reason: unknown) => reason);
	assert.ok(error instanceof Error);
	assertUnseen("not-the-password", error);
	assert.equal(users.session(id), undefined);
});

test("a change that only a logged-in user may make says so", async (t) => {
	const { users, id, at, keys, sandbox } = await open(t, { on: ["createUser"], fail: { status: 401 } });
	await assert.rejects(users.create(id, [{ username: "new" }]), { status: 401, reason: "log-in-needed" });
	await users.logIn(at("ada"), keys.user.password);
	sandbox.petstore.behave({});
	await users.create(id, [{ username: "new" }]);
});

test("a session ends with its credential and address, not with another label", async (t) => {
	const { users, id, at, keys, registry, baseUrl, secretOf } = await open(t);
	const heard: string[] = [];
	const who = await users.logIn(at("ada"), keys.user.password);
	users.onDidChange((connection) => heard.push(connection));
	await registry.edit(id, { label: "Renamed" });
	assert.deepEqual([users.session(id), heard], [who, []]);
	for (const end of [
		() => registry.replaceSecret(id, secretOf({ apiKey: keys.apiKey }) ?? assert.fail("a secret")),
		() => registry.edit(id, { baseUrl: baseUrl.replace("127.0.0.1", "localhost") }),
		() => registry.remove(id),
	]) {
		await users.logIn(at("ada"), keys.user.password);
		await end();
		assert.equal(users.session(id), undefined);
	}
});

test("the session of a user ends with the user", async (t) => {
	const { users, id, at, keys, known } = await open(t);
	await users.logIn(at("ada"), keys.user.password);
	await users.delete(at("ada"));
	assert.equal(users.session(id), undefined);
	assert.deepEqual(known.list(id), []);
});

test("names are remembered per connection across windows, except in the sandbox", async (t) => {
	const { known, id, registry, store, baseUrl } = await open(t);
	const passing = {
		id: "passing",
		service: "petstore",
		label: "Passing",
		baseUrl,
		profile: "sandbox",
		format: "json",
	} as const;
	registry.addPassing(passing, "");
	await Promise.all([known.remember(id, ["lin", "Ada"]), known.remember("passing", ["grace"])]);
	await known.forget(id, ["lin"]);
	const next = new KnownUsers(store, registry);
	assert.deepEqual(next.list(id), ["Ada"]);
	assert.deepEqual([known.list("passing"), next.list("passing")], [["grace"], []]);
	await registry.remove(id);
	await known.remember("passing", ["max"]);
	assert.deepEqual(next.list(id), []);
});

test("names are kept per store, and as many as can be created at once", async (t) => {
	const { known, id, registry, store, baseUrl, secretOf, keys } = await open(t);
	const { id: other } = await registry.add(
		{ service: "petstore", label: "Other", baseUrl, profile: "sandbox", format: "json" },
		secretOf(keys),
	);
	const many = Array.from({ length: 500 }, (_, n) => `user ${1_000 + n}`);
	await known.remember(id, ["ada", ...many]);
	await known.remember(other, ["grace"]);
	const next = new KnownUsers(store, registry);
	for (const names of [known, next])
		assert.deepEqual([names.list(id), names.list(other)], [["ada", ...many], ["grace"]]);
});

test("the password that a user had is in no error either when another one is saved", async (t) => {
	const { users, at, sandbox, keys, assertUnseen } = await open(t);
	const text = await printUser(users, at("ada"));
	const { password } = keys.user;
	sandbox.petstore.behave({ on: ["updateUser"], fail: { status: 400, message: `It was ${password} before` } });
	const error: unknown = await saveUser(users, at("ada"), text.replace(PASSWORD_MASK, "enchantress-7")).catch(
		(one) => one,
	);
	assert.match(String(error), /It was \[redacted\] before/);
	assertUnseen(password, error);
});
