import { strict as assert } from "node:assert";
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import type { ClientError } from "#base/errors.ts";
import {
	appClient,
	failureOf,
	type Host,
	hostForEachTest,
	installationClient,
	patClient,
	startHost,
} from "../../support/codehost-host.ts";

const host = hostForEachTest();

const MINUTE = 60_000;
const exchanges = (at: Host = host) => at.sandbox.status().codehost.endpoints["access-token"];
const statuses = () => host.notices.map(({ method, status }) => `${method} ${status}`);
const facts = ({ code, status, reason }: ClientError) => [code, status, reason];

/** The claims of the JWT of the last exchange. */
function lastClaims(): Record<string, unknown> {
	const post = host.sent.findLast(({ method }) => method === "POST");
	const [, payload = ""] = (post?.headers["authorization"] ?? "").split(".");
	return JSON.parse(Buffer.from(payload, "base64url").toString());
}

test("the JWT is dated 60 s back, lives to 540 s ahead, and names the App ID as text", async () => {
	const { client } = await appClient(host);
	await client.createInstallationToken(7001);
	const now = Math.floor(host.clock.now() / 1000);
	assert.deepEqual(lastClaims(), { iat: now - 60, exp: now + 540, iss: "100001" });
});

const keyShapes: ReadonlyArray<readonly [name: string, shape: (pkcs1: string) => string]> = [
	["PKCS#1", (pem) => pem],
	["PKCS#8", (pem) => createPrivateKey(pem).export({ type: "pkcs8", format: "pem" }).toString()],
	["Windows line ends", (pem) => pem.replaceAll("\n", "\r\n")],
	["\\n written out", (pem) => pem.replaceAll("\n", "\\n")],
	["spaces for line breaks", (pem) => pem.replaceAll("\n", " ")],
];
for (const [name, shape] of keyShapes) {
	test(`a key pasted as ${name} signs what the host believes`, async () => {
		const pem = shape(await host.sandbox.keys.codehost.app.privateKeyPem());
		const { client } = await appClient(host, { pem });
		assert.equal((await client.listInstallations()).value.length, 4);
	});
}

test("an encrypted key signs with its passphrase", async () => {
	const key = createPrivateKey(await host.sandbox.keys.codehost.app.privateKeyPem());
	const passphrase = "a b";
	const pem = key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }).toString();
	const { client } = await appClient(host, { pem, passphrase });
	assert.ok((await client.createInstallationToken(7001)).token);
});

const pemOf = (key: KeyObject, passphrase?: string) =>
	key
		.export({
			type: "pkcs8",
			format: "pem",
			...(passphrase === undefined ? {} : { cipher: "aes-256-cbc", passphrase }),
		})
		.toString();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const unusable: ReadonlyArray<readonly [name: string, key: { pem: string; passphrase?: string }, said: RegExp]> = [
	["an encrypted key without its passphrase", { pem: pemOf(rsa.privateKey, "a") }, /passphrase is needed/],
	[
		"an encrypted key with another passphrase",
		{ pem: pemOf(rsa.privateKey, "a"), passphrase: "b" },
		/passphrase does not open/,
	],
	[
		"a key in OpenSSH's own format",
		{ pem: "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----" },
		/OpenSSH's own format.*ssh-keygen/,
	],
	[
		"a public key",
		{ pem: rsa.publicKey.export({ type: "spki", format: "pem" }).toString() },
		/is a public key; .*\.pem file/,
	],
	[
		"a certificate",
		{ pem: "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----" },
		/is a certificate; .*\.pem file/,
	],
	["an EC key", { pem: pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey) }, /must be an RSA key/],
	["an Ed25519 key", { pem: pemOf(generateKeyPairSync("ed25519").privateKey) }, /must be an RSA key/],
	[
		"an RSA-PSS key",
		{ pem: pemOf(generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).privateKey) },
		/must be an RSA key/,
	],
	[
		"an RSA key of 1024 bits",
		{ pem: pemOf(generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey) },
		/at least 2048 bits/,
	],
];
for (const [name, key, said] of unusable) {
	test(`${name} is refused by name, and the host is asked nothing`, async () => {
		const error = await failureOf(appClient(host, key));
		assert.equal(error.code, "invalid");
		assert.match(error.message, said);
		assert.equal(host.sent.length, 0);
	});
}

test("20 concurrent first calls share one exchange", async () => {
	const { client, source } = await installationClient(host);
	await Promise.all(Array.from({ length: 20 }, () => client.getRepository("exchange", "switchboard")));
	assert.deepEqual([exchanges(), source.state.exchanges], [1, 1]);
});

test("two hosts with the same app id and installation id never share a token", async () => {
	const other = await startHost();
	try {
		const [one, two] = [await installationClient(host), await installationClient(other)];
		await Promise.all([one.client.getRepository("exchange", "vault"), two.client.getRepository("exchange", "vault")]);
		assert.deepEqual([exchanges(), exchanges(other)], [1, 1]);
		const bearers = (at: Host) =>
			at.sent.filter(({ method }) => method === "GET").map(({ headers }) => headers["authorization"]);
		assert.notEqual(bearers(host)[0], bearers(other)[0]);
		assert.notEqual(one.source.identity, two.source.identity);
	} finally {
		await other.close();
	}
});

test("two apps with the same installation id on one host never share a token", async () => {
	const { app, otherApp } = host.sandbox.keys.codehost;
	assert.equal(app.installationId, otherApp.installationId);
	const changes = { appId: otherApp.appId, pem: await otherApp.privateKeyPem() };
	const [one, two] = [await installationClient(host), await installationClient(host, changes)];
	const [vault, diary] = await Promise.all([
		one.client.getRepository("exchange", "vault"),
		two.client.getRepository("lin", "diary"),
	]);
	assert.deepEqual([vault.value.fullName, diary.value.fullName], ["exchange/vault", "lin/diary"]);
	assert.equal(exchanges(), 2);
});

test("an hour's token is used until five minutes before its end, then renewed while the old one still serves", async () => {
	const { client, source } = await installationClient(host);
	await client.getRepository("exchange", "switchboard");
	host.clock.advance(54 * MINUTE);
	await client.getRepository("exchange", "switchboard");
	assert.equal(exchanges(), 1);
	host.clock.advance(2 * MINUTE);
	await client.getRepository("exchange", "switchboard");
	await until(() => source.state.renewals === 1);
	assert.equal(exchanges(), 2);
	host.clock.advance(10 * MINUTE);
	await client.getRepository("exchange", "switchboard");
	assert.ok(statuses().every((status) => /(?:20[01]|304)$/.test(status)));
});

/** Waits until a renewal that nobody waits for has arrived. */
async function until(condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 2000;
	while (!condition()) {
		assert.ok(performance.now() < deadline, "the condition did not come to hold within two seconds");
		await new Promise((resolve) => setTimeout(resolve, 5));
	}
}

test("a token of 90 seconds is renewed before its end, and no call is ever refused", async () => {
	host.sandbox.codehost.behave({ tokenSeconds: 90 });
	const { client, source } = await installationClient(host);
	for (let n = 0; n < 30; n++) {
		const { exchanges: before, renewsAt } = source.state;
		const isDue = renewsAt !== null && host.clock.now() >= renewsAt;
		await client.getRepository("exchange", "switchboard");
		if (isDue) await until(() => source.state.exchanges > before);
		host.clock.advance(10_000);
	}
	assert.deepEqual(
		[...new Set(statuses())].toSorted(),
		["GET 200", "GET 304", "POST 201"].filter((one) => statuses().includes(one)),
	);
	assert.ok(source.state.renewals >= 5 && source.state.renewals <= 7, `${source.state.renewals}`);
});

test("a renewal that fails leaves the old token in use to its real end", async () => {
	const { client, source } = await installationClient(host, { maxAttempts: 1 });
	await client.getRepository("exchange", "switchboard");
	host.sandbox.codehost.behave({ on: ["access-token"], fail: { status: 500 } });
	host.clock.advance(56 * MINUTE);
	await client.getRepository("exchange", "switchboard");
	const failed = () => statuses().filter((status) => status === "POST 500").length;
	await until(() => failed() === 1 && source.state.error?.status === 500);
	host.clock.advance(3 * MINUTE);
	await client.getRepository("exchange", "switchboard");
	await until(() => failed() === 2);
	host.clock.advance(2 * MINUTE);
	assert.equal((await failureOf(client.getRepository("exchange", "switchboard"))).status, 500);
	host.sandbox.codehost.behave({});
	await client.getRepository("exchange", "switchboard");
	assert.equal(source.state.error, null);
});

for (const minutes of [10, -10]) {
	test(`a clock that is ${-minutes} minutes off is healed with one more request and one warning`, async () => {
		host.sandbox.codehost.behave({ clockSkewSeconds: minutes * 60 });
		const { client, source } = await installationClient(host);
		await client.getRepository("exchange", "switchboard");
		assert.deepEqual(statuses(), ["POST 401", "POST 201", "GET 200"]);
		assert.deepEqual(host.warnings, [`skew ${minutes * 60} s`]);
		const { expiresAt } = source.state;
		assert.ok(expiresAt !== null && Math.abs(expiresAt - host.clock.now() - 60 * MINUTE) <= 2000);
		host.clock.advance(57 * MINUTE);
		await source.renew();
		assert.equal(host.warnings.length, 1);
		assert.equal(statuses().filter((status) => status === "POST 401").length, 1);
	});
}

test("a clock that cannot be healed, because Date lies, ends after one more request and says by how much the clocks differ", async () => {
	host.sandbox.codehost.behave({ clockSkewSeconds: 600, dateSkewSeconds: -600 });
	const { client } = await appClient(host);
	const error = await failureOf(client.listInstallations());
	assert.deepEqual(facts(error), ["unauthorized", 401, "app-refused"]);
	assert.match(error.message, /the clock here is about 10 min ahead of the service's/);
	assert.equal(host.sent.length, 2);
});

test("a host without Date cannot heal a clock: the app is refused after one request", async () => {
	host.sandbox.codehost.behave({ clockSkewSeconds: 600, omitHeaders: ["date"] });
	const { client } = await appClient(host);
	const error = await failureOf(client.listInstallations());
	assert.deepEqual(facts(error), ["unauthorized", 401, "app-refused"]);
	assert.equal(host.sent.length, 1);
});

for (const tokenLagStatus of [401, 403] as const) {
	test(`a new token that is refused with ${tokenLagStatus} at first is waited for: 1, 2, 3 s, without another exchange`, async () => {
		host.sandbox.codehost.behave({ tokenLagSeconds: 5, tokenLagStatus });
		const { client } = await installationClient(host);
		const begun = host.clock.now();
		assert.equal((await client.getRepository("exchange", "switchboard")).value.fullName, "exchange/switchboard");
		assert.equal(exchanges(), 1);
		assert.deepEqual(
			host.waits.map(({ why }) => why),
			["new-token", "new-token", "new-token"],
		);
		assert.deepEqual(
			host.waits.map(({ until }) => until - begun),
			[1_000, 3_000, 6_000],
		);
		assert.deepEqual(
			host.waits.map(({ error }) => error?.status),
			[tokenLagStatus, tokenLagStatus, tokenLagStatus],
		);
	});
}

test("a token that is refused for longer than that is given up", async () => {
	host.sandbox.codehost.behave({ tokenLagSeconds: 60 });
	const { client } = await installationClient(host);
	assert.equal((await failureOf(client.getRepository("exchange", "switchboard"))).code, "unauthorized");
	assert.ok(host.waits.length <= 3 && exchanges() <= 2);
});

test("a suspended installation is listed, and refused without a retry for the reason that it is suspended", async () => {
	const { suspendedInstallationId: installationId } = host.sandbox.keys.codehost.app;
	const { client } = await installationClient(host, { installationId });
	const error = await failureOf(client.getRepository("party-line", "chatter"));
	assert.deepEqual(facts(error), ["forbidden", 403, "suspended"]);
	assert.equal(exchanges(), 1);
});

test("revoked tokens are replaced once, and the call succeeds", async () => {
	const { client } = await installationClient(host);
	await client.getRepository("exchange", "switchboard");
	host.sandbox.codehost.revokeTokens();
	assert.ok((await client.getRepository("exchange", "vault")).value);
	assert.equal(exchanges(), 2);
});

test("an end that cannot be read counts as ten minutes", async () => {
	host.sandbox.codehost.behave({ on: ["access-token"], spoil: { field: "expires_at", value: "soon" } });
	const { client, source } = await installationClient(host);
	await client.getRepository("exchange", "switchboard");
	const { expiresAt } = source.state;
	assert.ok(expiresAt !== null && Math.abs(expiresAt - host.clock.now() - 10 * MINUTE) <= 1000);
});

test("an app's token is never sent to /user, nor a PAT to the endpoints of the app", async () => {
	const { client } = await installationClient(host);
	assert.equal((await failureOf(client.getUser())).code, "invalid");
	assert.equal((await failureOf(patClient(host).listInstallations())).code, "invalid");
	assert.equal(host.sent.length, 0);
});

for (const status of [200, 202]) {
	test(`an exchange that is answered with ${status} is a success like any other`, async () => {
		const transport: Host["transport"] = {
			...host.transport,
			async send(request) {
				const reply = await host.transport.send(request);
				return request.method === "POST" ? { status, headers: reply.headers, body: reply.body } : reply;
			},
		};
		const { client } = await installationClient({ ...host, transport });
		assert.equal((await client.getRepository("exchange", "vault")).value.fullName, "exchange/vault");
		assert.deepEqual(statuses(), [`POST ${status}`, "GET 200"]);
	});
}

for (const [seconds, requests] of [
	[30, 1],
	[-30, 1],
	[31, 2],
	[-31, 2],
] as const) {
	test(`a JWT that is refused by a clock ${seconds} s ahead costs ${requests} in all`, async () => {
		host.sandbox.codehost.behave({ fail: { status: 401 }, dateSkewSeconds: seconds });
		const { client } = await appClient(host);
		assert.equal((await failureOf(client.listInstallations())).code, "unauthorized");
		assert.deepEqual([host.sent.length, host.warnings.length], [requests, 0]);
	});
}
