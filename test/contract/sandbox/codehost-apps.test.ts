import { strict as assert } from "node:assert";
import { createSign, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { startSandbox } from "#sandbox/sandbox.ts";
import {
	ask,
	assertRefused,
	exchange,
	type JwtChanges,
	jwtOf,
	object,
	sandboxForFile,
	tokenOf,
} from "../../support/codehost-wire.ts";

const { sandbox, time } = await sandboxForFile();

const BAD = "Bad credentials";
const NOT_ACCESSIBLE = "Resource not accessible by integration";
const SWITCHBOARD = "/repos/exchange/switchboard";
const installations = async (changes?: JwtChanges) =>
	ask(sandbox, "/app/installations", { token: await jwtOf(sandbox, { now: time.now, ...changes }) });

test("a token signed with another sandbox's key is refused", async () => {
	const other = await startSandbox();
	try {
		const token = await jwtOf(sandbox);
		assertRefused(await ask(other, "/app/installations", { token }), 401, [BAD, /signature/]);
	} finally {
		await other.close();
	}
});

test("a body that is sent with the exchange is ignored, and the connection stays good", async () => {
	const token = await jwtOf(sandbox);
	for (let n = 0; n < 3; n++) {
		const response = await fetch(`${sandbox.baseUrls.codehost}/app/installations/7001/access_tokens`, {
			method: "POST",
			headers: { authorization: `Bearer ${token}` },
			body: "{}".padEnd(100_000),
		});
		await response.text();
		assert.equal(response.status, 201);
	}
});

const seconds = (ahead: number) => Math.floor(time.now / 1000) + ahead;

const goodClaims: ReadonlyArray<readonly [name: string, claims: () => Record<string, unknown>]> = [
	["exp exactly 600 s ahead", () => ({ exp: seconds(600) })],
	["exp one second ahead", () => ({ exp: seconds(1) })],
	["iat now", () => ({ iat: seconds(0) })],
	["an old iat", () => ({ iat: seconds(-86_400) })],
	["claims of its own", () => ({ jti: "x", aud: ["y"] })],
];
for (const [name, claims] of goodClaims) {
	test(`a JWT with ${name} is accepted`, async () => {
		assert.equal((await installations({ claims: claims() })).status, 200);
	});
}

const badJwts: ReadonlyArray<readonly [name: string, changes: () => JwtChanges, reason: RegExp]> = [
	["iss of no app", () => ({ claims: { iss: "999999" } }), /not the App ID/],
	["iss of the other app", () => ({ claims: { iss: "100002" } }), /signature/],
	["iss with a space", () => ({ claims: { iss: " 100001" } }), /not the App ID/],
	["iss with a leading zero", () => ({ claims: { iss: "0100001" } }), /not the App ID/],
	["iss as a number", () => ({ claims: { iss: 100_001 } }), /iss must be a string/],
	["no iss", () => ({ claims: { iss: undefined } }), /iss must be a string/],
	["exp 601 s ahead", () => ({ claims: { exp: seconds(601) } }), /more than 600 s/],
	["exp now", () => ({ claims: { exp: seconds(0) } }), /exp is past/],
	["exp past", () => ({ claims: { exp: seconds(-1) } }), /exp is past/],
	["no exp", () => ({ claims: { exp: undefined } }), /exp must be an integer/],
	["exp as text", () => ({ claims: { exp: String(seconds(100)) } }), /exp must be an integer/],
	["exp in milliseconds", () => ({ claims: { exp: seconds(100) * 1000 } }), /more than 600 s/],
	["a fraction in exp", () => ({ claims: { exp: seconds(100) + 0.5 } }), /exp must be an integer/],
	["iat in the future", () => ({ claims: { iat: seconds(1) } }), /iat is in the future/],
	["no iat", () => ({ claims: { iat: undefined } }), /iat must be an integer/],
	["alg none", () => ({ header: { alg: "none" } }), /alg must be RS256/],
	["alg HS256", () => ({ header: { alg: "HS256" } }), /alg must be RS256/],
	["alg RS512", () => ({ header: { alg: "RS512" } }), /alg must be RS256/],
	["alg in small letters", () => ({ header: { alg: "rs256" } }), /alg must be RS256/],
	["a critical extension", () => ({ header: { crit: ["b64"], b64: false } }), /crit/],
	["a clock that is 10 minutes behind", () => ({ now: time.now - 600_000 }), /exp is past/],
	["a clock that is 10 minutes ahead", () => ({ now: time.now + 600_000 }), /more than 600 s/],
];
for (const [name, changes, reason] of badJwts) {
	test(`a JWT with ${name} is refused with 401 on both endpoints of the app`, async () => {
		await sandbox.keys.codehost.otherApp.privateKeyPem();
		const token = await jwtOf(sandbox, { now: time.now, ...changes() });
		assertRefused(await ask(sandbox, "/app/installations", { token }), 401, [BAD, reason]);
		assertRefused(await exchange(sandbox, { token }), 401, [BAD, reason]);
	});
}

test("a JWT with another key's signature, or changed once signed, is refused with 401", async () => {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
	assertRefused(await installations({ pem }), 401, [BAD, /signature/]);
	const [header, , signature] = (await jwtOf(sandbox)).split(".");
	const [, payload] = (await jwtOf(sandbox, { claims: { iat: seconds(-61) } })).split(".");
	const changed = await ask(sandbox, "/app/installations", { token: `${header}.${payload}.${signature}` });
	assertRefused(changed, 401, [BAD, /signature/]);
});

test("a signature that is right but made by another algorithm is refused", async () => {
	const [header, payload] = (await jwtOf(sandbox)).split(".");
	const pem = await sandbox.keys.codehost.app.privateKeyPem();
	const signature = createSign("RSA-SHA512").update(`${header}.${payload}`).sign(pem).toString("base64url");
	const reply = await ask(sandbox, "/app/installations", { token: `${header}.${payload}.${signature}` });
	assertRefused(reply, 401, [BAD, /signature/]);
});

test("an installation's token is refused with 403 beyond its account and permissions", async () => {
	const { app } = sandbox.keys.codehost;
	const token = await tokenOf(sandbox);
	for (const path of ["/repos/quiet-office/ledger", "/repos/ada/garden/issues", "/repos/lin/diary"]) {
		assertRefused(await ask(sandbox, path, { token }), 403, [NOT_ACCESSIBLE, /another account/]);
	}
	const selected = await tokenOf(sandbox, { id: app.selectedInstallationId });
	assert.equal((await ask(sandbox, "/repos/ada/garden/issues", { token: selected })).status, 200);
	assertRefused(await ask(sandbox, "/repos/ada/notes", { token: selected }), 403, [NOT_ACCESSIBLE, /does not have/]);
	const blind = await tokenOf(sandbox, { id: app.installationIdWithoutIssues });
	assert.equal((await ask(sandbox, "/repos/lin/kites", { token: blind })).status, 200);
	assertRefused(await ask(sandbox, "/repos/lin/kites/issues", { token: blind }), 403, [NOT_ACCESSIBLE, /read issues/]);
	assertRefused(await ask(sandbox, "/repos/exchange/vanished", { token }), 404, ["Not Found"]);
});

test("an app is not a user: its token gets 403 at /user, and its JWT as a token", async () => {
	assertRefused(await ask(sandbox, "/user", { token: await tokenOf(sandbox) }), 403, [NOT_ACCESSIBLE, /not a user/]);
	const token = await jwtOf(sandbox);
	for (const path of ["/user", SWITCHBOARD, `${SWITCHBOARD}/issues`]) {
		assertRefused(await ask(sandbox, path, { token }), 403, [NOT_ACCESSIBLE]);
	}
});

test("an installation's token proves no app: 401 on the endpoints of the app", async () => {
	const token = await tokenOf(sandbox);
	assertRefused(await ask(sandbox, "/app/installations", { token }), 401, [BAD, /JWT/]);
	assertRefused(await exchange(sandbox, { token }), 401, [BAD, /JWT/]);
});

test("an installation's token is good to the second that expires_at names", async () => {
	const { token, expires_at } = object((await exchange(sandbox)).json);
	time.now = Date.parse(String(expires_at)) - 1;
	assert.equal((await ask(sandbox, SWITCHBOARD, { token: String(token) })).status, 200);
	time.now += 1;
	assertRefused(await ask(sandbox, SWITCHBOARD, { token: String(token) }), 401, [BAD, /expired/]);
});
