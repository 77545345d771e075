import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "#app/connections/connection.ts";
import { ownerOf, type SecretOwner, storageKeyOf, Vault } from "#app/connections/vault.ts";
import { ClientError } from "#base/errors.ts";
import { REDACTED, Redactor } from "#base/redaction.ts";
import { MemoryLog, MemorySecrets } from "../../../support/memory-editor.ts";

const owner: SecretOwner = { service: "messages", origin: "https://a.example", identity: "messages-1" };

function setUp() {
	const secrets = new MemorySecrets();
	const redactor = new Redactor();
	const log = new MemoryLog();
	return { secrets, redactor, log, vault: new Vault(secrets, redactor, log) };
}

test("a secret is found again by its owner only", async () => {
	const { vault } = setUp();
	await vault.write(owner, "key-12345");
	assert.deepEqual(await vault.read(owner), { secret: "key-12345" });
	for (const other of [
		{ ...owner, origin: "https://b.example" },
		{ ...owner, identity: "messages-2" },
		{ ...owner, service: "petstore" as const },
	]) {
		assert.deepEqual(await vault.read(other), { closed: "lost" });
	}
});

test("a secret that is in use but not stored is known to the redactor", () => {
	const { vault, redactor, secrets } = setUp();
	vault.learn(owner, "minted-key-1");
	assert.equal(redactor.redact("minted-key-1"), REDACTED);
	assert.equal(secrets.entries.size, 0);
});

test("a stored value copied to another origin's place is not read there", async () => {
	const { vault, secrets } = setUp();
	await vault.write(owner, "key-12345");
	const elsewhere = { ...owner, origin: "https://evil.example" };
	secrets.entries.set(storageKeyOf(elsewhere), secrets.entries.get(storageKeyOf(owner)) ?? "");
	assert.deepEqual(await vault.read(elsewhere), { closed: "unreadable" });
});

test("storage that keeps the old secret instead of the new one is reported", async () => {
	const { vault, secrets } = setUp();
	await vault.write(owner, "key-12345");
	secrets.fail = true;
	await assert.rejects(vault.write(owner, "key-67890"), { code: "invalid", message: /did not keep the secret/ });
	assert.deepEqual(await vault.read(owner), { secret: "key-12345" });
});

test("a secret whose announcement fails is rolled back to the one before", async () => {
	const { vault, secrets } = setUp();
	const announce = async () => Promise.reject(new Error("not announced"));
	const befores = [
		undefined,
		JSON.stringify({ v: 1, ...owner, secret: "key-12345" }),
		JSON.stringify({ v: 1, ...owner, signedOut: true }),
		"not json",
	];
	for (const before of befores) {
		if (before !== undefined) secrets.entries.set(storageKeyOf(owner), before);
		for (let tries = 0; tries < 2; tries++) {
			await assert.rejects(vault.write(owner, "key-67890", announce), /^Error: not announced$/);
		}
		assert.equal(secrets.entries.get(storageKeyOf(owner)), before);
	}
	assert.deepEqual([...secrets.entries.keys()], [storageKeyOf(owner), `${storageKeyOf(owner)}#quarantine-1`]);
});

test("of concurrent secrets for one owner, a failed one restores the one in use", async () => {
	const { vault } = setUp();
	await vault.write(owner, "key-12345");
	const announce = async () => Promise.reject(new Error("not announced"));
	const tries = [
		vault.write(owner, "key-11111", announce),
		vault.write(owner, "key-22222", announce),
		vault.write(owner, "key-33333"),
		vault.write(owner, "key-44444", announce),
	];
	const states = (await Promise.allSettled(tries)).map(({ status }) => status);
	assert.deepEqual(states, ["rejected", "rejected", "fulfilled", "rejected"]);
	assert.deepEqual(await vault.read(owner), { secret: "key-33333" });
});

test("a failed secret does not roll back one that another window stored meanwhile", async () => {
	const { vault, secrets } = setUp();
	const raw = JSON.stringify({ v: 1, ...owner, secret: "key-of-another-window" });
	const announce = async () => {
		await secrets.store(storageKeyOf(owner), raw);
		throw new Error("not announced");
	};
	await assert.rejects(vault.write(owner, "key-67890", announce), /not announced/);
	assert.equal(secrets.entries.get(storageKeyOf(owner)), raw);
});

test("a secret of which the storage does not say that it is kept is taken back", async () => {
	const { vault, secrets } = setUp();
	await vault.write(owner, "key-12345");
	const store = secrets.store.bind(secrets);
	secrets.store = async (key, value) => {
		await store(key, value);
		if (value.includes("key-67890")) throw new Error("locked");
	};
	await assert.rejects(vault.write(owner, "key-67890"), /locked/);
	assert.deepEqual(await vault.read(owner), { secret: "key-12345" });
});

test("an unreadable secret is set aside before it is replaced, never deleted", async () => {
	const { vault, secrets, log } = setUp();
	for (const broken of ["not json", '{"v":99}']) {
		secrets.entries.set(storageKeyOf(owner), broken);
		assert.deepEqual(await vault.read(owner), { closed: "unreadable" });
		assert.equal(secrets.entries.get(storageKeyOf(owner)), broken);
		await vault.write(owner, "key-12345");
	}
	assert.equal(secrets.entries.get(`${storageKeyOf(owner)}#quarantine-1`), "not json");
	assert.equal(secrets.entries.get(`${storageKeyOf(owner)}#quarantine-2`), '{"v":99}');
	assert.ok(log.lines.some((line) => line.includes("cannot be read")));
});

test("the entry of a secret is named and written as ever", async () => {
	const { secrets, vault } = setUp();
	const on = { baseUrl: "https://a.example/api", label: "A" };
	const app = { kind: "app", appId: "7", installationId: 9 } as const;
	const connections: readonly Connection[] = [
		{ ...on, id: "c1", service: "codehost", profile: "custom", credential: app },
		{ ...on, id: "c2", service: "codehost", profile: "custom", credential: { kind: "pat", login: "ada" } },
		{ ...on, id: "p1", service: "petstore", profile: "custom", format: "json" },
		{ ...on, id: "m1", service: "messages", profile: "custom" },
	];
	const secret = '{"v":1,"privateKey":"pem","apiKey":"key"}';
	for (const connection of connections) await vault.write(ownerOf(connection), secret);
	for (const [service, identity] of [
		["codehost", "c1 app 7"],
		["codehost", "c2 pat"],
		["petstore", "p1"],
		["messages", "m1"],
	] as const) {
		const raw = secrets.entries.get(`switchboard.secret:["${service}","https://a.example","${identity}"]`);
		assert.equal(raw, JSON.stringify({ v: 1, service, origin: "https://a.example", identity, secret }));
	}
	for (const connection of connections) await vault.signOut(ownerOf(connection));
	const note = '{"v":1,"service":"codehost","origin":"https://a.example","identity":"c1 app 7","signedOut":true}';
	assert.ok([...secrets.entries.values()].includes(note));
});

test("a secret with an unreadable part is unreadable, and set aside as a whole", async () => {
	const { secrets, vault } = setUp();
	const app = { ...owner, service: "codehost", identity: "codehost-1 app 7", kind: "app" } as const;
	const pat = { ...owner, service: "codehost", identity: "codehost-2 pat", kind: "pat" } as const;
	const store = { ...owner, service: "petstore", identity: "petstore-1" } as const;
	for (const broken of [app, store]) {
		const raw = JSON.stringify({ v: 1, ...broken, secret: '{"v":1,"privateKey":7,"apiKey":7}' });
		secrets.entries.set(storageKeyOf(broken), raw);
		assert.deepEqual(await vault.read(broken), { closed: "unreadable" });
		const whole = JSON.stringify({ v: 1, privateKey: "pem", apiKey: "key-12345" });
		await vault.write(broken, whole);
		assert.equal(secrets.entries.get(`${storageKeyOf(broken)}#quarantine-1`), raw);
		assert.deepEqual(await vault.read(broken), { secret: whole });
	}
	await vault.write(pat, '{"v":1}');
	assert.deepEqual(await vault.read(pat), { secret: '{"v":1}' });
});

test("an unreadable secret is copied before it is removed, and kept if that fails", async () => {
	const { vault, secrets, log } = setUp();
	for (const broken of ["not json", '{"v":99}']) {
		secrets.entries.set(storageKeyOf(owner), broken);
		await vault.forget(owner);
		assert.deepEqual(await vault.read(owner), { closed: "lost" });
	}
	assert.deepEqual([...secrets.entries.values()], ["not json", '{"v":99}']);
	assert.ok(log.lines.some((line) => line.includes("set aside")));
	secrets.entries.set(storageKeyOf(owner), "broken again");
	secrets.fail = true;
	await assert.rejects(vault.forget(owner), ClientError);
	assert.equal(secrets.entries.get(storageKeyOf(owner)), "broken again");
});

test("a signed-out secret is gone from storage, and not reported as lost", async () => {
	const { vault, secrets } = setUp();
	await vault.write(owner, "key-12345");
	await vault.signOut(owner);
	assert.deepEqual(await vault.read(owner), { closed: "signed-out" });
	assert.doesNotMatch([...secrets.entries.values()].join(), /key-12345/);
	// The note is no secret that would have to be set aside.
	await vault.write(owner, "key-67890");
	assert.deepEqual(await vault.read(owner), { secret: "key-67890" });
	assert.equal(secrets.entries.size, 1);
	secrets.entries.set(storageKeyOf(owner), "not json");
	await vault.signOut(owner);
	assert.equal(secrets.entries.get(`${storageKeyOf(owner)}#quarantine-1`), "not json");
	await vault.forget(owner);
	assert.deepEqual(await vault.read(owner), { closed: "lost" });
	// A storage that takes nothing new still lets go of what it has.
	await vault.write(owner, "key-12345");
	secrets.fail = true;
	await vault.signOut(owner);
	assert.deepEqual(await vault.read(owner), { closed: "lost" });
});

test("every secret that passes through the vault is known to the redactor", async () => {
	const { vault, redactor, secrets } = setUp();
	await vault.write(owner, "key-written");
	secrets.entries.set(
		storageKeyOf({ ...owner, identity: "2" }),
		JSON.stringify({ v: 1, origin: owner.origin, secret: "key-read" }),
	);
	await vault.read({ ...owner, identity: "2" });
	assert.equal(redactor.redact("key-written key-read"), `${REDACTED} ${REDACTED}`);
});
