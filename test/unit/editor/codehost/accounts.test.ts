import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AuthenticationProviderAuthenticationSessionsChangeEvent } from "vscode";
import type { Probe } from "#app/connections/probe-result.ts";
import { ConnectionRegistry } from "#app/connections/registry.ts";
import { ownerOf, storageKeyOf, Vault } from "#app/connections/vault.ts";
import { DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { Redactor } from "#base/redaction.ts";
import { startAccounts } from "#editor/codehost/accounts.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { MemoryLog, MemorySecrets, MemorySettings, MemoryStore } from "../../../support/memory-editor.ts";
import { until } from "../../../support/until.ts";

/** The accounts of a window; every token that is added is Ada's unless it says otherwise. */
function accountsOf(context: TestContext) {
	const clock = new FakeClock();
	clock.randomValues = Array.from({ length: 100 }, (_, n) => (n + 1) / 101);
	const log = new MemoryLog();
	const secrets = new MemorySecrets();
	const vault = new Vault(secrets, new Redactor(), log);
	const settings = new MemorySettings();
	const users = new Map<string, string>();
	const probe: Probe = async ({ service }, secret = "") => {
		const login = users.get(secret);
		return service === "codehost" && login !== undefined ? { ms: 1, credential: { kind: "pat", login } } : { ms: 1 };
	};
	const registry = new ConnectionRegistry({ settings, vault, probe, clock, log });
	const changed = new Emitter<AuthenticationProviderAuthenticationSessionsChangeEvent>();
	const told: AuthenticationProviderAuthenticationSessionsChangeEvent[] = [];
	changed.event((event) => told.push(event));
	const faults: unknown[] = [];
	const report = (error: unknown) => faults.push(error);
	const options = { changed, addToken: async (): Promise<string | undefined> => undefined, report };
	const store = new MemoryStore();
	const open = () => {
		const held = new DisposableStore();
		context.after(() => held.dispose());
		return startAccounts(registry, store, { ...options, addToken: () => options.addToken() }, held);
	};
	const accounts = open();
	context.after(() => {
		for (const each of [registry, changed]) each.dispose();
		assert.deepEqual(faults, []);
	});
	return {
		registry,
		secrets,
		accounts,
		told,
		options,
		open,
		/** Whose tokens are, by the token, where the service tells. */
		users,
		add: (label: string, { login = "ada", host = "one.example" } = {}) =>
			registry.add(
				{
					service: "codehost",
					label,
					baseUrl: `https://${host}`,
					profile: "custom",
					credential: { kind: "pat", login },
				},
				`token of ${label}`,
			),
		labels: async () => (await accounts.getSessions(undefined, {})).map(({ account }) => account.label),
	};
}

test("two tokens of one user on one host are two accounts by name", async (t) => {
	const { add, labels, accounts } = accountsOf(t);
	await add("Narrow");
	assert.deepEqual(await labels(), ["ada (one.example)"]);
	await add("Broad");
	assert.deepEqual(await labels(), ["ada (one.example)", "ada (one.example) · Broad"]);
	await add("Elsewhere", { host: "two.example" });
	await add("Other", { login: "lin" });
	assert.deepEqual((await labels()).slice(2), ["ada (two.example)", "lin (one.example)"]);
	const sessions = await accounts.getSessions(undefined, {});
	const [broad] = sessions.filter(({ account }) => account.label.endsWith("Broad"));
	assert.equal(broad?.accessToken, "token of Broad");
});

test("no two accounts share a name, not even those of connections that do", async (t) => {
	const { add, labels } = accountsOf(t);
	for (const label of ["Work", "Work", "Work · 2"]) await add(label);
	await add("Odd", { login: "ada (one.example) · Work", host: "one.example" });
	const all = await labels();
	assert.equal(new Set(all).size, 4, all.join("\n"));
});

test("a request that names a service gets only the accounts there, if any", async (t) => {
	const { accounts, add } = accountsOf(t);
	await add("work", { host: "api.one.example" });
	await add("home", { host: "two.example" });
	const on = async (...scopes: string[]) =>
		(await accounts.getSessions(scopes, {})).map(({ account }) => account.label);
	assert.deepEqual(await on("two.example"), ["ada (two.example)"]);
	assert.deepEqual(await on("API.one.example", "repo"), ["ada (api.one.example)"]);
	assert.deepEqual(await on("https://Two.example/api/v3"), ["ada (two.example)"]);
	assert.deepEqual(await on("https://three.example"), []);
	assert.equal((await on("repo", "read:user", "issues.read")).length, 2);
});

test("a token of another service than the named one is never given out", async (t) => {
	const { accounts, add, options } = accountsOf(t);
	options.addToken = async () => (await add("work", { host: "one.example" })).id;
	await assert.rejects(accounts.createSession(["https://two.example"]), /one of one\.example, which was not asked for/);
	assert.match((await accounts.createSession(["https://one.example"])).account.label, /^ada \(one\.example\)/);
});

test("the name of a signed-out account, and the consent for it, never pass to another", async (t) => {
	const { add, labels, registry } = accountsOf(t);
	const { id } = await add("Narrow");
	await add("Broad");
	await registry.signOut(id);
	assert.deepEqual(await labels(), ["ada (one.example) · Broad"]);
});

test("the name of a removed account, and the consent for it, never pass to another", async (t) => {
	const { add, labels, registry, open } = accountsOf(t);
	const { id } = await add("Narrow");
	assert.deepEqual(await labels(), ["ada (one.example)"]);
	await registry.remove(id);
	await add("Broad");
	assert.deepEqual(await labels(), ["ada (one.example) · Broad"]);
	const [session] = await open().getSessions(undefined, {});
	assert.equal(session?.account.label, "ada (one.example) · Broad");
});

test("an account keeps its name when others change, when renamed, and after reload", async (t) => {
	const { add, labels, registry, told, open } = accountsOf(t);
	const narrow = await add("Narrow");
	await until(async () => told.length === 1, "the first account");
	const broad = await add("Broad");
	await until(async () => told.length === 2, "the second account");
	assert.deepEqual(told[1]?.changed, []);
	await registry.remove(narrow.id);
	await until(async () => told.length === 3, "that the first is gone");
	assert.deepEqual(told[2]?.changed, []);
	await registry.edit(broad.id, { label: "Wide" });
	assert.deepEqual(await labels(), ["ada (one.example) · Broad"]);
	const [session] = await open().getSessions(undefined, {});
	assert.equal(session?.account.label, "ada (one.example) · Broad");
});

test("an account whose token becomes another user's is replaced", async (t) => {
	const { add, told, registry } = accountsOf(t);
	const { id } = await add("Narrow");
	await until(async () => told.length === 1, "the account");
	await registry.edit(id, { credential: { kind: "pat", login: "lin" } });
	const since = (kind: "removed" | "added" | "changed") => told.slice(1).flatMap((event) => event[kind] ?? []);
	await until(async () => since("added").length === 1, "that it is another's");
	assert.deepEqual(
		[since("removed"), since("added"), since("changed")].map((sessions) =>
			sessions.map((session) => [session.id, session.account.label]),
		),
		[[[id, "ada (one.example)"]], [[id, "lin (one.example)"]], []],
	);
});

test("a token replaced in another window is announced as a change of its account", async (t) => {
	const { add, told, secrets, registry } = accountsOf(t);
	const { id } = await add("One");
	await until(async () => told.length === 1, "the account");
	const owner = ownerOf(registry.require(id));
	await secrets.store(storageKeyOf(owner), JSON.stringify({ v: 1, ...owner, secret: "token of another window" }));
	await until(async () => told.length === 2, "the change of another window");
	assert.deepEqual(
		told[1]?.changed?.map((session) => [session.id, session.accessToken]),
		[[id, "token of another window"]],
	);
});

test("an account signed out in another window goes, and returns with its token", async (t) => {
	const { add, told, secrets, registry } = accountsOf(t);
	const connection = await add("One");
	await until(async () => told.length === 1, "the account");
	const key = storageKeyOf(ownerOf(registry.require(connection.id)));
	const kept = secrets.entries.get(key) ?? "";
	await secrets.delete(key);
	await until(async () => told.length === 2, "that it is gone");
	assert.deepEqual(
		told[1]?.removed?.map(({ id }) => id),
		[connection.id],
	);
	await secrets.store(key, kept);
	await until(async () => told.length === 3, "that it is back");
	assert.deepEqual(
		told[2]?.added?.map(({ accessToken }) => accessToken),
		["token of One"],
	);
});

const ADA = "ada (one.example): token of One";

test("a session has the user's name as of when its token was read", async (t) => {
	const { add, registry, secrets, users, accounts } = accountsOf(t);
	const { id } = await add("One");
	users.set("token of Lin", "lin");
	const get = secrets.get.bind(secrets);
	const replaced = Promise.withResolvers<unknown>();
	secrets.get = async (key) => {
		const raw = await get(key);
		secrets.get = get;
		await registry.replaceSecret(id, "token of Lin").then(replaced.resolve, replaced.reject);
		return raw;
	};
	const sessions = await accounts.getSessions(undefined, {});
	await replaced.promise;
	assert.deepEqual(
		sessions.map(({ account, accessToken }) => `${account.label}: ${accessToken}`),
		[ADA],
	);
});
