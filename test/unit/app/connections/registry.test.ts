import assert from "node:assert/strict";
import { test } from "node:test";
import { capabilitiesOf } from "#app/connections/model-capabilities.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { Vault } from "#app/connections/vault.ts";
import { ClientError } from "#base/errors.ts";
import { Redactor } from "#base/redaction.ts";
import { chatParts, MESSAGES as draft } from "../../../support/chat-parts.ts";

const invalidField = (field: string) => (error: unknown) => error instanceof ClientError && error.field === field;

function setUp() {
	const parts = chatParts();
	parts.clock.randomValues = Array.from({ length: 50 }, (_, n) => (n + 1) / 100);
	return parts;
}

test("a connection is announced with its key stored and no key in the settings", async () => {
	const { registry, settings, secrets } = setUp();
	const { id } = await registry.add(draft, "key-12345");
	assert.deepEqual(
		registry.list().map((each) => each.id),
		[id],
	);
	assert.deepEqual(await registry.secret(registry.require(id)), { secret: "key-12345" });
	assert.equal(secrets.entries.size, 1);
	assert.doesNotMatch(JSON.stringify(settings.value), /key-12345/);
});

test("an address copied with its endpoint is added and edited without it", async () => {
	const { registry, probes } = setUp();
	const { id } = await registry.add({ ...draft, baseUrl: "https://a.example/v1/" }, "key-12345");
	assert.equal(probes.at(-1)?.baseUrl, "https://a.example");
	assert.equal(registry.require(id).baseUrl, "https://a.example");
	await registry.edit(id, { baseUrl: "https://a.example/gateway/v1/messages" });
	assert.equal(probes.at(-1)?.baseUrl, "https://a.example/gateway");
	assert.equal(registry.require(id).baseUrl, "https://a.example/gateway");
});

test("nothing is stored when the service refuses the key", async () => {
	const { registry, settings, secrets, verdict } = setUp();
	verdict.result = { ms: 1, error: new ClientError("messages", "unauthorized", "no") };
	await assert.rejects(registry.add(draft, "key-12345"), { code: "unauthorized" });
	assert.equal(secrets.entries.size, 0);
	assert.equal(settings.value, undefined);
});

test("a connection kept without asking is stored whole, and the service hears nothing", async () => {
	const { registry, probes } = setUp();
	const { id } = await registry.add({ ...draft, baseUrl: "https://a.example/v1" }, "key-12345", { unasked: true });
	assert.deepEqual(probes, []);
	assert.equal(registry.require(id).baseUrl, "https://a.example");
	assert.deepEqual(await registry.secret(registry.require(id)), { secret: "key-12345" });
});

test("a key is rolled back when the settings cannot be written", async () => {
	const { registry, settings, secrets, log } = setUp();
	const write = settings.write.bind(settings);
	const refused = /settings\.json has errors/;
	const break_ = () => {
		settings.write = async () => Promise.reject(new Error("settings.json has errors"));
	};
	break_();
	for (const key of ["key-12345", "key-67890"]) await assert.rejects(registry.add(draft, key), refused);
	assert.deepEqual([...secrets.entries], []);
	settings.write = write;
	const { id } = await registry.add(draft, "key-12345");
	const before = [...secrets.entries];
	break_();
	await assert.rejects(registry.edit(id, { model: "m" }, { secret: "key-67890" }), refused);
	await assert.rejects(registry.edit(id, { baseUrl: "https://b.example" }, { secret: "key-67890" }), refused);
	assert.deepEqual([...secrets.entries], before);
	secrets.delete = async () => Promise.reject(new Error("locked"));
	await assert.rejects(registry.add(draft, "key-67890"), refused);
	assert.ok(log.lines.some((line) => line.includes("could not be taken back")));
	assert.doesNotMatch(log.lines.join(), /key-67890/);
});

test("a key for a connection that was removed while its service was asked is not kept", async () => {
	const { clock, log, settings, secrets } = setUp();
	const answered = Promise.withResolvers<void>();
	const probe = async (_: unknown, key: string | undefined) => {
		if (key === "key-67890") await answered.promise;
		return { ms: 1 };
	};
	const registry = new ConnectionRegistry({
		clock,
		log,
		settings,
		probe,
		vault: new Vault(secrets, new Redactor(), log),
	});
	const { id } = await registry.add(draft, "key-12345");
	const replaced = registry.replaceSecret(id, "key-67890");
	const edited = registry.edit(id, { model: "m" }, { secret: "key-67890" });
	const refused = [replaced, edited].map((each) => assert.rejects(each, invalidField("connection")));
	await registry.remove(id);
	answered.resolve();
	await Promise.all(refused);
	assert.deepEqual([...secrets.entries], []);
});

test("connections added at the same time under one label get different ones", async () => {
	const { registry } = setUp();
	const added = await Promise.all([1, 2, 3, 4, 5].map((n) => registry.add(draft, `key-1234${n}`)));
	const labels = ["A", "A 2", "A 3", "A 4", "A 5"];
	assert.deepEqual(added.map(({ label }) => label).sort(), labels);
	assert.deepEqual(
		registry
			.list()
			.map(({ label }) => label)
			.sort(),
		labels,
	);
});

test("an entry that cannot be read survives the writing of others", async () => {
	const { registry, settings, log } = setUp();
	const odd = { id: "odd", service: "telegraph" };
	settings.value = [odd];
	await registry.add(draft, undefined);
	assert.deepEqual((settings.value as unknown[]).at(-1), odd);
	assert.ok(log.lines.some((line) => line.includes("[0].service must be one of")));
});

test("an error in the settings is reported once, and again when it has changed", async () => {
	const { registry, settings } = setUp();
	const told: (readonly string[])[] = [];
	registry.onDidFindProblems((problems) => told.push(problems));
	registry.list();
	assert.deepEqual(told, []);
	settings.value = [{ id: "odd", service: "messages", label: "Odd", baseUrl: "ftp://a.example" }];
	registry.list();
	registry.list();
	assert.equal(told.length, 1);
	assert.match(told[0]?.[0] ?? "", /^switchboard\.connections\[0\]\.baseUrl /);
	settings.value = [];
	registry.list();
	settings.value = [7];
	registry.list();
	assert.equal(told.length, 2);
});

test("a key never follows its connection to another origin, and is forgotten", async () => {
	const { registry, probes, secrets } = setUp();
	const { id } = await registry.add(draft, "key-12345");
	await registry.edit(id, { baseUrl: "https://b.example" });
	assert.deepEqual(probes.at(-1), { baseUrl: "https://b.example", key: undefined });
	assert.deepEqual(await registry.secret(registry.require(id)), { closed: "lost" });
	assert.equal(secrets.entries.size, 0);
});

test("a base URL changed by hand in the settings finds no key at the new origin", async () => {
	const { registry, settings } = setUp();
	const { id } = await registry.add(draft, "key-12345");
	settings.value = [{ ...registry.require(id), baseUrl: "https://evil.example" }];
	assert.deepEqual(await registry.secret(registry.require(id)), { closed: "lost" });
});

test("a key stays when only the path of its origin changes", async () => {
	const { registry, probes } = setUp();
	const { id } = await registry.add(draft, "key-12345");
	await registry.edit(id, { baseUrl: "https://a.example/v2" });
	assert.equal(probes.at(-1)?.key, "key-12345");
	assert.deepEqual(await registry.secret(registry.require(id)), { secret: "key-12345" });
});

test("a change that the service refuses changes nothing", async () => {
	const { registry, verdict } = setUp();
	const { id } = await registry.add(draft, "key-12345");
	verdict.result = { ms: 1, error: new ClientError("messages", "network", "no") };
	await assert.rejects(registry.edit(id, { baseUrl: "https://b.example" }), { code: "network" });
	await assert.rejects(registry.replaceSecret(id, "key-67890"), { code: "network" });
	assert.equal(registry.require(id).baseUrl, "https://a.example");
	assert.deepEqual(await registry.secret(registry.require(id)), { secret: "key-12345" });
});

test("removing a connection removes its key", async () => {
	const { registry, secrets } = setUp();
	const { id } = await registry.add(draft, "key-12345");
	await registry.remove(id);
	assert.equal(registry.list().length, 0);
	assert.equal(secrets.entries.size, 0);
});

test("a model can be set and taken back", async () => {
	const { registry } = setUp();
	const { id } = await registry.add(draft, undefined);
	await registry.setModel(id, "m");
	assert.equal(registry.require(id, "messages").model, "m");
	await registry.edit(id, { model: "" });
	assert.equal(registry.require(id, "messages").model, undefined);
});

test("an ability of a model can be set and left to its service again", async () => {
	const { registry } = setUp();
	const { id } = await registry.add({ ...draft, models: ["other", { name: "m", label: "Mine" }] }, undefined);
	const models = () => registry.require(id, "messages").models;
	await registry.setAbilities(id, "m", { tools: true, thinking: "enabled" });
	const said = { name: "m", label: "Mine", capabilities: { tools: true, thinking: "enabled" } };
	assert.deepEqual(models(), ["other", said]);
	assert.deepEqual(capabilitiesOf(registry.require(id, "messages"), "m").unknown, ["images"]);
	await registry.setAbilities(id, "m", { tools: undefined });
	assert.deepEqual(models(), ["other", { ...said, capabilities: { thinking: "enabled" } }]);
	assert.deepEqual(capabilitiesOf(registry.require(id, "messages"), "m").unknown, ["tools", "images"]);
	await assert.rejects(registry.setAbilities(id, "m", { tools: "yes" }), { code: "invalid" });
});

test("a connection that is gone is named in words, and not by its id", async () => {
	const { registry } = setUp();
	const { id, label } = await registry.add(draft, "key-12345");
	assert.equal(registry.labelOf(id), label);
	await registry.remove(id);
	assert.equal(registry.labelOf(id), "a removed connection");
});

test("an ephemeral connection is listed, read-only, with its key in memory only", async () => {
	const { registry, secrets, settings } = setUp();
	const passing = { ...draft, id: "sandbox-messages" };
	const held = registry.addPassing(passing, "minted-key");
	assert.deepEqual(await registry.secret(registry.require(passing.id)), { secret: "minted-key" });
	assert.equal(secrets.entries.size, 0);
	assert.equal(settings.value, undefined);
	await assert.rejects(registry.replaceSecret(passing.id, "other-key"), invalidField("connection"));
	await assert.rejects(registry.edit(passing.id, { label: "B" }), invalidField("connection"));
	held.dispose();
	assert.equal(registry.list().length, 0);
});

test("a connection to another service is refused with both services named", async () => {
	const { registry } = setUp();
	const { id } = await registry.add(draft, "key-12345");
	assert.throws(() => registry.require(id, "codehost"), {
		service: "codehost",
		field: "connection",
		message: `connection "${id}" is a messages service; this is for a code host`,
	});
	assert.throws(() => registry.require("gone", "codehost"), /"gone" is not one of the connections/);
});

test("a new name or limit does not need the service to be there", async () => {
	const { registry, verdict, probes } = setUp();
	const { id } = await registry.add({ ...draft, profile: { keyHeader: "x-key" } }, "key-12345");
	const asked = probes.length;
	verdict.result = { ms: 1, error: new ClientError("messages", "network", "down") };
	assert.equal((await registry.edit(id, { label: "Renamed" })).label, "Renamed");
	await registry.edit(id, { limits: { day: 5, month: undefined } });
	assert.deepEqual(registry.require(id, "messages").limits, { day: 5 });
	await registry.edit(id, { limits: undefined });
	assert.equal(registry.require(id, "messages").limits, undefined);
	assert.equal(probes.length, asked);
});

test("a taken name, whatever its service, gets the next free number", async () => {
	const { registry } = setUp();
	assert.equal(registry.unusedLabel("A"), "A");
	await registry.add(draft, undefined);
	assert.equal(registry.unusedLabel("A"), "A 2");
	await registry.add({ ...draft, label: "A 2" }, undefined);
	assert.equal(registry.unusedLabel("A"), "A 3");
});

test("a name that is taken gets the owner of another credential, or else a number", async () => {
	const { registry, verdict } = setUp();
	const codehost = { ...draft, service: "codehost", profile: "sandbox" } as const;
	const labels: string[] = [];
	const app = { kind: "app", appId: "1", installationId: 2 } as const;
	for (const told of [
		{ kind: "pat", login: "ada" },
		{ kind: "pat", login: "lin\n" },
		{ kind: "pat", login: "lin\n" },
		{ kind: "pat", login: "ada" },
		{ ...app, account: "exchange" },
		{ kind: "pat" },
	] as const) {
		verdict.result = { ms: 1, credential: told };
		const credential = told.kind === "app" ? app : ({ kind: "pat" } as const);
		const secret = JSON.stringify({ v: 1, privateKey: `key-${labels.length}-of-a-host` });
		labels.push((await registry.add({ ...codehost, credential }, secret)).label);
	}
	assert.deepEqual(labels, ["A", "A (lin)", "A (lin) 2", "A 2", "A (exchange)", "A 3"]);
});

test("a change names the connections that are new, others or gone, and no more", async () => {
	const { registry, settings } = setUp();
	const named: string[] = [];
	registry.onDidChange(({ ids }) => named.push(...ids));
	const one = await registry.add(draft, "key-12345");
	const other = await registry.add({ ...draft, label: "B" }, "key-67890");
	await registry.setModel(one.id, "m");
	settings.value = [other];
	await registry.remove(other.id);
	assert.deepEqual(named, [one.id, other.id, one.id, one.id, other.id]);
});
