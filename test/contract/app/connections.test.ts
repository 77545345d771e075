import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { apiKeyOf } from "#app/chat/reply-under-way.ts";
import { findApi, installationsOf } from "#app/codehost/clients.ts";
import { appSecret } from "#app/connections/codehost-secret.ts";
import { ClientError } from "#base/errors.ts";
import { REDACTED } from "#base/redaction.ts";
import { openWindow } from "../../support/codehost-window.ts";
import { serve } from "../../support/recording-server.ts";
import { requestsTo } from "../../support/sandbox-requests.ts";
import { until } from "../../support/until.ts";

test("a token is stored once its owner is known, and settings hold public facts only", async (t) => {
	const { addPat, keys, settings, secrets, redactor } = await openWindow(t);
	const { credential } = await addPat();
	assert.deepEqual(credential, { kind: "pat", login: "ada", patKind: "fine-grained" });
	assert.doesNotMatch(JSON.stringify(settings.value), new RegExp(keys.fineGrained));
	assert.equal(secrets.entries.size, 1);
	assert.equal(redactor.redact(`sent ${keys.fineGrained}`), `sent ${REDACTED}`);
});

test("an app is stored once its installation was found and has given a token", async (t) => {
	const { addApp, settings, sandbox, redactor, keys } = await openWindow(t);
	const { credential } = await addApp();
	assert.ok(credential.kind === "app");
	assert.equal(credential.account, "exchange");
	assert.match(credential.fingerprint ?? "", /^SHA256:/);
	assert.equal(requestsTo(sandbox, "access-token").length, 1);
	const pem = await keys.app.privateKeyPem();
	assert.doesNotMatch(JSON.stringify(settings.value), /PRIVATE KEY/);
	const line = pem.split("\n")[3] ?? "";
	assert.equal(redactor.redact(line), REDACTED);
});

test("an app that is suspended or not installed is refused by name and not stored", async (t) => {
	const { addApp, keys, secrets } = await openWindow(t);
	await assert.rejects(addApp(keys.app.suspendedInstallationId), { code: "forbidden", reason: "suspended" });
	await assert.rejects(addApp(999), { code: "not-found", reason: "not-installed", field: "installationId" });
	assert.equal(secrets.entries.size, 0);
});

test("accounts and apps stand side by side, each with its own secret", async (t) => {
	const { addPat, addApp, keys, clients, registry, secrets } = await openWindow(t);
	const [ada, lin, app] = [await addPat(), await addPat(keys.otherUser), await addApp()];
	assert.equal(secrets.entries.size, 3);
	const login = async (id: string) => (await (await clients.open(id)).client.getUser()).value.login;
	assert.deepEqual([await login(ada.id), await login(lin.id)], ["ada", "lin"]);
	assert.equal((await clients.open(app.id)).client.rate.stopped, false);
	await registry.signOut(ada.id);
	assert.doesNotMatch([...secrets.entries.values()].join(), new RegExp(keys.fineGrained));
	assert.equal(await login(lin.id), "lin");
});

test("no message carries the key of a messages service that was signed out", async (t) => {
	const { registry, secrets } = await openWindow(t);
	const draft = { service: "messages", label: "M", baseUrl: "http://127.0.0.1:1" } as const;
	for (const profile of ["custom", "anthropic"] as const) {
		const connection = await registry.add({ ...draft, profile }, "a-key", { unasked: true });
		assert.equal(await apiKeyOf(connection, registry), "a-key");
		await registry.signOut(connection.id);
		assert.doesNotMatch([...secrets.entries.values()].join(), /a-key/);
		const key = apiKeyOf(connection, registry);
		await (profile === "custom"
			? key.then((each) => assert.equal(each, undefined))
			: assert.rejects(key, { field: "key" }));
		assert.deepEqual(await registry.secret(connection), { closed: "signed-out" });
	}
});

test("a connection that never had a secret cannot be signed out of", async (t) => {
	const { registry } = await openWindow(t);
	const keyless = { service: "messages", label: "M", baseUrl: "http://127.0.0.1:1", profile: "custom" } as const;
	const { id } = await registry.add(keyless, undefined, { unasked: true });
	await assert.rejects(registry.signOut(id), { code: "invalid", field: "connection" });
	assert.deepEqual(await registry.secret(registry.require(id)), { closed: "lost" });
});

test("a token of the settings never serves an app that was written in its place", async (t) => {
	const { addPat, settings, registry, clients } = await openWindow(t);
	const pat = await addPat();
	settings.value = [{ ...pat, credential: { kind: "app", appId: "1", installationId: 2 } }];
	assert.deepEqual(await registry.secret(registry.require(pat.id)), { closed: "lost" });
	await assert.rejects(clients.open(pat.id), { code: "unauthorized", field: "key" });
});

test("a replaced token brings its own owner, and its old expiry is forgotten", async (t) => {
	const { addPat, keys, registry } = await openWindow(t);
	const { id, credential } = await addPat();
	await registry.edit(id, { credential: { ...credential, expiresAt: "2030-01-01" } });
	assert.equal(registry.require(id, "codehost").credential.kind, "pat");
	await registry.replaceSecret(id, keys.otherUser);
	assert.deepEqual(registry.require(id, "codehost").credential, {
		kind: "pat",
		login: "lin",
		patKind: "fine-grained",
	});
});

test("no unverified fact of a code host is ever stored", async (t) => {
	const { addPat, keys, registry, sandbox, secrets, settings } = await openWindow(t);
	const { id, baseUrl } = await addPat();
	const stored = () => JSON.stringify([[...secrets.entries], settings.value]);
	const before = stored();
	sandbox.codehost.behave({ on: ["user"], drop: 100 });
	const unreached = { code: "network" };
	const unasked = { unasked: true };
	const { id: _, ...draft } = registry.require(id, "codehost");
	await assert.rejects(registry.add(draft, keys.otherUser, unasked), unreached);
	await assert.rejects(registry.replaceSecret(id, keys.otherUser, unasked), unreached);
	await assert.rejects(registry.edit(id, { baseUrl: `${baseUrl}/elsewhere` }, unasked), {
		code: "not-found",
		field: "base_url",
	});
	assert.equal(stored(), before);
});

test("a token that only the settings name is identified by its first successful test", async (t) => {
	const { addPat, registry, settings } = await openWindow(t);
	const pat = await addPat();
	await settings.write([{ ...pat, credential: { kind: "pat" } }]);
	assert.deepEqual(registry.require(pat.id, "codehost").credential, { kind: "pat" });
	await registry.test(pat.id);
	assert.deepEqual(registry.require(pat.id, "codehost").credential, pat.credential);
});

test("a connection without a secret can be edited, and requests say why there is none", async (t) => {
	const { addPat, registry, secrets } = await openWindow(t);
	const { id, baseUrl, credential } = await addPat();
	const [key = assert.fail()] = secrets.entries.keys();
	const states = [
		["unreadable", () => secrets.store(key, "{")],
		["lost", () => secrets.delete(key)],
		[undefined, () => registry.signOut(id)],
	] as const;
	for (const [index, [reason, make]] of states.entries()) {
		await make();
		const facts = { code: "unauthorized", field: "token", reason };
		const change = { baseUrl: `${baseUrl}/elsewhere` };
		const error = await registry.edit(id, change).then(
			() => assert.fail(),
			(thrown: unknown) => thrown,
		);
		assert.ok(error instanceof ClientError);
		const { code, field } = error;
		assert.deepEqual({ code, field, reason: error.reason }, facts);
		assert.deepEqual((await registry.test(id)).error?.reason, reason);
		const expiresAt = `203${index}-01-01`;
		await registry.edit(id, { label: `Label ${index}`, credential: { ...credential, expiresAt } });
		assert.deepEqual(registry.require(id, "codehost").credential, { ...credential, expiresAt });
	}
});

test("a service's facts about a replaced token are not stored for the new one", async (t) => {
	const { addPat, keys, registry, sandbox, settings } = await openWindow(t);
	const connection = await addPat();
	const { id } = connection;
	await settings.write([{ ...connection, credential: { kind: "pat" } }]);
	sandbox.codehost.behave({ headersAfterMs: 300 });
	const asked = requestsTo(sandbox, "codehost").length;
	const tested = registry.test(id);
	await until(async () => requestsTo(sandbox, "codehost").length > asked, "the service to be asked");
	sandbox.codehost.behave({});
	await registry.replaceSecret(id, keys.otherUser);
	await tested;
	const { credential } = registry.require(id, "codehost");
	assert.equal(credential.kind === "pat" && credential.login, "lin");
});

test("a connection is not renamed to what another is called", async (t) => {
	const { addPat, registry } = await openWindow(t);
	const [{ id, label }, other] = [await addPat(), await addPat()];
	await registry.edit(other.id, { label: "Work" });
	await assert.rejects(registry.edit(id, { label: " Work" }), { code: "invalid", field: "label" });
	await registry.edit(other.id, { label: "Work" });
	assert.equal(registry.require(id).label, label);
});

for (const [message, about] of [
	["Integration not found", ["app-refused", undefined]],
	["Cannot GET /app/installations", [undefined, "base_url"]],
	["No static resource app/installations.", [undefined, "base_url"]],
] as const) {
	test(`a 404 is about the app or the API, by the service's message: ${message}`, async (t) => {
		const { access, registry } = await openWindow(t);
		const server = await serve(t, () => ({ status: 404, body: { message } }));
		const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
		const secret = appSecret({ privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString() });
		const credential = { kind: "app", appId: "1", installationId: 2 } as const;
		const draft = { service: "codehost", label: "H", baseUrl: server.origin, profile: "custom", credential } as const;
		const isAbout = (expected: typeof about) => (error: ClientError) =>
			error.code === "not-found" && isDeepStrictEqual([error.reason, error.field], expected);
		await assert.rejects(registry.add(draft, secret), isAbout(about));
		await assert.rejects(installationsOf(access, { ...draft, appId: "1" }, { secret }), isAbout(about));
		const pat = { ...draft, credential: { kind: "pat" } } as const;
		await assert.rejects(registry.add(pat, "a-token"), isAbout([undefined, "base_url"]));
	});
}

test("the API of a code host is found from the address of its pages, unsigned", async (t) => {
	const { access } = await openWindow(t);
	const { signal } = new AbortController();
	const html = { "content-type": "text/html" };
	const page = "<!DOCTYPE html><title>Sign in</title><form></form>";
	for (const [profile, path] of [
		["github-enterprise", "/api/v3"],
		["gitea", "/api/v1"],
	] as const) {
		for (const answer of [
			{ status: 404, headers: html, body: "<!DOCTYPE html><title>Page not found</title>" },
			{ status: 200, headers: html, body: page },
			{ status: 302, headers: { location: "https://other.test/login" } },
			{ status: 406 },
		]) {
			const refused = { status: 401, body: { message: "Requires authentication" } };
			const { origin, requests } = await serve(t, (request) => (request.path === `${path}/user` ? refused : answer));
			for (const typed of ["", "/acme/shop", path, `${path}/repos/acme/shop`]) {
				const found = await findApi(access, { baseUrl: origin + typed, profile }, signal);
				assert.equal(found, origin + path, `${profile} ${typed} ${answer.status}`);
			}
			assert.ok(requests.every(({ headers }) => headers.authorization === undefined));
		}
	}
	const { origin } = await serve(t, () => ({ status: 404, body: {} }));
	const draft = { baseUrl: origin, profile: "gitea" } as const;
	assert.equal(await findApi(access, draft, signal), origin, "what is not found is left as it is");
	await assert.rejects(findApi(access, { ...draft, baseUrl: "http://127.0.0.1:1" }, signal), { code: "network" });
});

test("a host that repeats the token as a login has none of it stored", async (t) => {
	const { registry, settings } = await openWindow(t);
	const token = "service_pat_0123456789abcdef";
	const named = (login: string) => serve(t, () => ({ body: { login } }));
	const said = [token, `${token.slice(0, 12)}\u200b${token.slice(12)}`, `ada\u0000\n${"a".repeat(2_000_000)}`];
	for (const login of said) {
		const { origin: baseUrl } = await named(login);
		await registry.add({ service: "codehost", label: "Host", baseUrl, credential: { kind: "pat" } }, token);
	}
	const stored = JSON.stringify(settings.value);
	assert.ok(!stored.includes(token) && stored.length < 1_500, stored.slice(0, 3_000));
	const logins = registry.list("codehost").map(({ credential }) => credential.kind === "pat" && credential.login);
	assert.deepEqual(logins, [REDACTED, REDACTED, `ada ${"a".repeat(95)}…`]);
});
