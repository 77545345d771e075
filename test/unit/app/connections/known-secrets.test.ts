import assert from "node:assert/strict";
import { test } from "node:test";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { KnownSecrets } from "#app/connections/known-secrets.ts";
import { petstoreSecret } from "#app/connections/petstore-secret.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { ownerOf, storageKeyOf, Vault } from "#app/connections/vault.ts";
import { REDACTED, Redactor } from "#base/redaction.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { MemoryLog, MemorySecrets, MemorySettings } from "../../../support/memory-editor.ts";
import { privateKey } from "../../../support/rsa-pair.ts";

/** Windows over the same storage. */
function setUp() {
	const secrets = new MemorySecrets();
	const settings = new MemorySettings();
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
		return { redactor, log, registry };
	};
	return { secrets, open };
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
	const passphrase = "passphrase-of-the-app";
	const pem = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }).toString();
	const token = { value: "token-of-the-store", scopes: ["write:pets"], expiresAt: null };
	await registry.add(messages, "key-of-the-messages");
	await registry.add(petstore, petstoreSecret({ apiKey: "key-of-the-store", token }));
	const pat = { kind: "pat", login: "ada" } as const;
	await registry.add({ ...codehost, label: "C", credential: pat }, "token-of-the-codehost");
	const app = { kind: "app", appId: "1", installationId: 2, slug: "app", account: "ada" } as const;
	await registry.add({ ...codehost, label: "D", credential: app }, appSecret({ privateKey: pem, passphrase }));

	const next = open();
	await new KnownSecrets(next.registry, next.log).ready();
	const line = pem.split("\n")[3] ?? "";
	const parts = ["key-of-the-messages", "key-of-the-store", token.value, "token-of-the-codehost", line, passphrase];
	for (const part of parts) assert.equal(next.redactor.leaving(part), REDACTED, part);
	assert.equal(next.redactor.leaving("write:pets"), "write:pets");
});

test("a secret that comes later is known as well", async () => {
	const { open } = setUp();
	const { registry } = open();
	const other = open();
	const stored = new KnownSecrets(other.registry, other.log);
	await stored.ready();
	const { id } = await registry.add(petstore, petstoreSecret({ apiKey: "first-key-of-it" }));
	await stored.ready();
	assert.equal(other.redactor.leaving("first-key-of-it"), REDACTED);
	await registry.replaceSecret(id, petstoreSecret({ apiKey: "second-key-of-it" }) ?? "");
	await stored.ready();
	assert.equal(other.redactor.leaving("second-key-of-it"), REDACTED);
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
	await new KnownSecrets(next.registry, next.log).ready();
	assert.equal(next.redactor.leaving("key-that-is-read"), REDACTED);
	assert.match(next.log.lines.join("\n"), /M could not be read: Error: locked/);
});

test("a missing secret is reported for code hosts, an unreadable one for all", async () => {
	const { open, secrets } = setUp();
	const first = open();
	const pat = { ...codehost, label: "C", credential: { kind: "pat", login: "ada" } } as const;
	const host = await first.registry.add(pat, "token-of-the-codehost");
	const service = await first.registry.add(messages, "key-of-the-messages");
	const troubles = async () => {
		const { registry, log } = open();
		const stored = new KnownSecrets(registry, log);
		await stored.ready();
		return [host, service].map(({ id }) => (stored.holds(id) ? "held" : stored.closedBy(id)));
	};
	assert.deepEqual(await troubles(), ["held", "held"]);
	secrets.entries.clear();
	assert.deepEqual(await troubles(), ["lost", undefined]);
	for (const each of [host, service]) secrets.entries.set(storageKeyOf(ownerOf(each)), "not json");
	assert.deepEqual(await troubles(), ["unreadable", "unreadable"]);
	await first.registry.signOut(host.id);
	assert.deepEqual(await troubles(), ["signed-out", "unreadable"]);
});

test("one connection more reads no secret of the others", async () => {
	const { open, secrets } = setUp();
	const { registry, log } = open();
	const { id: first } = await registry.add(messages, "key-12345678");
	const read: string[] = [];
	const get = secrets.get.bind(secrets);
	secrets.get = (key) => {
		read.push(registry.list().find((each) => storageKeyOf(ownerOf(each)) === key)?.id ?? "");
		return get(key);
	};
	const held = new KnownSecrets(registry, log);
	await held.ready();
	assert.deepEqual(read, [first]);
	const { id: second } = await registry.add({ ...messages, label: "N" }, "key-87654321");
	await held.ready();
	assert.ok(read.includes(second) && !read.slice(1).includes(first));
	held.dispose();
});
