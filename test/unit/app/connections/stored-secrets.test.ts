import assert from "node:assert/strict";
import { test } from "node:test";
import { appSecret } from "#app/codehost/secret.ts";
import { ownerOf } from "#app/connections/owner.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { StoredSecrets } from "#app/connections/stored-secrets.ts";
import { keyOf, Vault } from "#app/connections/vault.ts";
import { petstoreSecret } from "#app/petstore/secret.ts";
import { ClientError } from "#base/errors.ts";
import { REDACTED, Redactor } from "#base/redaction.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "../../../support/memory-editor.ts";
import { privateKey } from "../../../support/rsa-pair.ts";

/** Windows over the same storage. */
function setUp() {
	const secrets = new MemorySecrets();
	const settings = new MemorySettings();
	const store = new MemoryStore();
	const open = () => {
		const [redactor, log, clock] = [new Redactor(), new MemoryLog(), new FakeClock()];
		clock.randomValues = Array.from({ length: 20 }, () => Math.random());
		const vault = new Vault(secrets, redactor, log);
		const registry = new ConnectionRegistry({
			settings,
			vault,
			clock,
			log,
			probe: async () => ({ ms: 1, status: 200 }),
		});
		return { redactor, log, registry, store };
	};
	return { secrets, store, open };
}

const messages = { service: "messages", label: "M", baseUrl: "https://m.example", profile: "custom" } as const;
const petstore = {
	service: "petstore",
	label: "P",
	baseUrl: "https://p.example",
	profile: "sandbox",
	format: "json",
} as const;
const codehost = { service: "codehost", baseUrl: "https://c.example", profile: "sandbox" } as const;

test("each part of every stored secret is known in a new window before any is used", async () => {
	const { open } = setUp();
	const { registry } = open();
	const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
	const token = { value: "token-of-the-store", scopes: ["write:pets"], expiresAt: null };
	await registry.add(messages, "key-of-the-messages");
	await registry.add(petstore, petstoreSecret({ apiKey: "key-of-the-store", token }));
	const pat = { kind: "pat", login: "ada" } as const;
	await registry.add({ ...codehost, label: "C", credential: pat }, "token-of-the-codehost");
	const app = { kind: "app", appId: "1", installationId: 2, slug: "app", account: "ada" } as const;
	await registry.add({ ...codehost, label: "D", credential: app }, appSecret({ privateKey: pem }));

	const next = open();
	await new StoredSecrets(next).ready();
	const line = pem.split("\n")[3] ?? "";
	const parts = ["key-of-the-messages", "key-of-the-store", token.value, "token-of-the-codehost", line];
	for (const part of parts) assert.equal(next.redactor.redactProse(part), REDACTED, part);
	assert.equal(next.redactor.redactProse("write:pets"), "write:pets");
});

test("a secret that comes later is known as well", async () => {
	const { open } = setUp();
	const { registry } = open();
	const other = open();
	const stored = new StoredSecrets(other);
	await stored.ready();
	const { id } = await registry.add(petstore, petstoreSecret({ apiKey: "first-key-of-it" }));
	await stored.ready();
	assert.equal(other.redactor.redactProse("first-key-of-it"), REDACTED);
	await registry.replaceSecret(id, petstoreSecret({ apiKey: "second-key-of-it" }) ?? "");
	await stored.ready();
	assert.equal(other.redactor.redactProse("second-key-of-it"), REDACTED);
});

test("a secret that cannot be read keeps no other from being known", async () => {
	const { open, secrets } = setUp();
	const { registry } = open();
	await registry.add(messages, "key-that-breaks");
	await registry.add({ ...messages, label: "N" }, "key-that-is-read");
	const get = secrets.get.bind(secrets);
	let calls = 0;
	secrets.get = async (key) => {
		calls += 1;
		if (calls === 1) throw new Error("locked");
		return get(key);
	};
	const next = open();
	await new StoredSecrets(next).ready();
	assert.equal(next.redactor.redactProse("key-that-is-read"), REDACTED);
	assert.match(next.log.lines.join("\n"), /M could not be read: Error: locked/);
});

const pat = { ...codehost, label: "C", credential: { kind: "pat", login: "ada" } } as const;
const DRAFTS = [
	[messages, "key-of-the-messages"],
	[petstore, petstoreSecret({ apiKey: "key-of-the-store" }) ?? ""],
	[pat, "token-of-the-codehost"],
] as const;

for (const [draft, secret] of DRAFTS) {
	test(`the secret of a ${draft.service} connection is lost only where there was one that nobody has taken away`, async () => {
		const { open, secrets } = setUp();
		const first = open();
		const { id } = await first.registry.add(draft, secret);
		const bare = await first.registry.add({ ...draft, label: "Bare" }, undefined);
		await new StoredSecrets(first).ready();
		const key = keyOf(ownerOf(first.registry.require(id)));
		const troubles = async () => {
			const stored = new StoredSecrets(open());
			await stored.ready();
			return [stored.troubleOf(id), stored.troubleOf(bare.id)];
		};
		assert.deepEqual(await troubles(), [undefined, undefined]);
		// The editor tells of no change when it starts.
		secrets.entries.delete(key);
		assert.deepEqual(await troubles(), ["lost", undefined]);
		secrets.entries.set(key, "not json");
		assert.deepEqual(await troubles(), ["unreadable", undefined]);
		secrets.entries.delete(key);
		assert.deepEqual(await troubles(), ["lost", undefined]);

		const last = open();
		const stored = new StoredSecrets(last);
		await stored.ready();
		const heard: string[] = [];
		stored.onDidChange((each) => heard.push(each));
		await last.registry.replaceSecret(id, secret);
		await stored.ready();
		assert.deepEqual([stored.troubleOf(id), heard], [undefined, [id]]);
		if (draft.service === "messages") return;
		assert.equal(stored.isSignedOut(id), false);
		await last.registry.signOut(id);
		await stored.ready();
		assert.deepEqual([stored.isSignedOut(id), stored.isSignedOut(bare.id), heard], [true, false, [id, id]]);
		secrets.entries.delete(key);
		assert.deepEqual(await troubles(), [undefined, undefined], "taken away here");
	});
}

test("a stored secret that is no pet store's cannot be read", async () => {
	const { open } = setUp();
	const { registry, ...first } = open();
	const { id } = await registry.add(petstore, "of another version");
	const stored = new StoredSecrets({ registry, ...first });
	await stored.ready();
	assert.equal(stored.troubleOf(id), "unreadable");
});

test("what is noted of secrets holds none, and goes with its connection", async () => {
	const { open, store } = setUp();
	const { registry, ...parts } = open();
	for (const [draft, secret] of DRAFTS) await registry.add(draft, secret);
	const stored = new StoredSecrets({ registry, ...parts });
	await stored.ready();
	const noted = () => [store.get("switchboard.secrets.seen")].flat();
	assert.equal(noted().length, DRAFTS.length);
	for (const [, secret] of DRAFTS) assert.ok(!JSON.stringify(noted()).includes(secret));
	for (const { id } of registry.list()) await registry.remove(id);
	await registry.add({ ...messages, label: "Last" }, "key-of-the-last");
	await stored.ready();
	assert.equal(noted().length, 1);
});

test("a test that goes well without the secret tells that it is gone, whether the storage has said so or not", async () => {
	const { open, secrets } = setUp();
	const window = open();
	const { registry } = window;
	const { id } = await registry.add(petstore, petstoreSecret({ apiKey: "key-of-the-store" }));
	const bare = await registry.add({ ...petstore, label: "Bare" }, undefined);
	const passing = { ...petstore, id: "passing", label: "Passing" };
	registry.addPassing(passing, "");
	const stored = new StoredSecrets(window);
	await stored.ready();
	const key = keyOf(ownerOf(registry.require(id)));
	const told = async (each: string) => {
		const { status, error } = await stored.test(each);
		return error === undefined ? status : [status, error.code, error.field, error.reason];
	};
	assert.deepEqual([await told(id), await told(bare.id), await told("passing")], [200, 200, 200]);
	// Without a word to anybody.
	secrets.entries.delete(key);
	assert.deepEqual(await told(id), [undefined, "unauthorized", "key", "lost"]);
	assert.equal(stored.troubleOf(id), "lost");
	secrets.entries.set(key, "not json");
	assert.deepEqual(await told(id), [undefined, "unauthorized", "key", "unreadable"]);
	await registry.signOut(id);
	assert.deepEqual([await told(id), await told(bare.id)], [200, 200]);
});

test("what a test has failed with is told before what is the matter with the secret", async () => {
	const { open, secrets } = setUp();
	const window = open();
	const { id } = await window.registry.add(petstore, petstoreSecret({ apiKey: "key-of-the-store" }));
	const stored = new StoredSecrets(window);
	await stored.ready();
	secrets.entries.clear();
	const error = new ClientError("petstore", "network", "unplugged");
	window.registry.test = async () => ({ ms: 1, error });
	assert.equal((await stored.test(id)).error, error);
});

test("one connection more reads no secret of the others", async () => {
	const { open, store } = setUp();
	const { registry, redactor, log } = open();
	const { id: first } = await registry.add(messages, "key-12345678");
	const read: string[] = [];
	const held = new StoredSecrets({ registry, redactor, log, store, onRead: (id) => read.push(id) });
	await held.ready();
	assert.deepEqual(read, [first]);
	const { id: second } = await registry.add({ ...messages, label: "N" }, "key-87654321");
	await held.ready();
	assert.deepEqual([...new Set(read.slice(1))], [second]);
	held.dispose();
});
