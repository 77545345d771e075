import { strict as assert } from "node:assert";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
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

const seconds = (ahead: number) => Math.floor(time.now / 1000) + ahead;

test("a JWT that ends in exactly 600 s, or was made just now, is accepted", async () => {
	for (const claims of [{ exp: seconds(600) }, { iat: seconds(0) }])
		assert.equal((await installations({ claims })).status, 200);
});

const badJwts: ReadonlyArray<readonly [name: string, changes: () => JwtChanges]> = [
	["iss of no app", () => ({ claims: { iss: "999999" } })],
	["iss of the other app", () => ({ claims: { iss: "100002" } })],
	["iss as a number", () => ({ claims: { iss: 100_001 } })],
	["exp 601 s ahead", () => ({ claims: { exp: seconds(601) } })],
	["exp now", () => ({ claims: { exp: seconds(0) } })],
	["iat in the future", () => ({ claims: { iat: seconds(1) } })],
	["alg none", () => ({ header: { alg: "none" } })],
];
for (const [name, changes] of badJwts) {
	test(`a JWT with ${name} is refused with 401 on both endpoints of the app`, async () => {
		await sandbox.keys.codehost.otherApp.privateKeyPem();
		const token = await jwtOf(sandbox, { now: time.now, ...changes() });
		assertRefused(await ask(sandbox, "/app/installations", { token }), 401, BAD);
		assertRefused(await exchange(sandbox, { token }), 401, BAD);
	});
}

test("a JWT with another key's signature, or changed once signed, is refused with 401", async () => {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
	assertRefused(await installations({ pem }), 401, BAD);
	const [header, , signature] = (await jwtOf(sandbox)).split(".");
	const [, payload] = (await jwtOf(sandbox, { claims: { iat: seconds(-61) } })).split(".");
	const changed = await ask(sandbox, "/app/installations", { token: `${header}.${payload}.${signature}` });
	assertRefused(changed, 401, BAD);
});

test("an installation's token is refused with 403 beyond its account and permissions", async () => {
	const { app } = sandbox.keys.codehost;
	const token = await tokenOf(sandbox);
	for (const path of ["/repos/quiet-office/ledger", "/repos/ada/garden/issues", "/repos/lin/diary"]) {
		assertRefused(await ask(sandbox, path, { token }), 403, NOT_ACCESSIBLE);
	}
	const selected = await tokenOf(sandbox, { id: app.selectedInstallationId });
	assert.equal((await ask(sandbox, "/repos/ada/garden/issues", { token: selected })).status, 200);
	assertRefused(await ask(sandbox, "/repos/ada/notes", { token: selected }), 403, NOT_ACCESSIBLE);
	const blind = await tokenOf(sandbox, { id: app.installationIdWithoutIssues });
	assert.equal((await ask(sandbox, "/repos/lin/kites", { token: blind })).status, 200);
	assertRefused(await ask(sandbox, "/repos/lin/kites/issues", { token: blind }), 403, NOT_ACCESSIBLE);
	assertRefused(await ask(sandbox, "/repos/exchange/vanished", { token }), 404, "Not Found");
});

test("an app is not a user: its token gets 403 at /user, and its JWT as a token", async () => {
	assertRefused(await ask(sandbox, "/user", { token: await tokenOf(sandbox) }), 403, NOT_ACCESSIBLE);
	const token = await jwtOf(sandbox);
	for (const path of ["/user", SWITCHBOARD, `${SWITCHBOARD}/issues`]) {
		assertRefused(await ask(sandbox, path, { token }), 403, NOT_ACCESSIBLE);
	}
});

test("an installation's token proves no app: 401 on the endpoints of the app", async () => {
	const token = await tokenOf(sandbox);
	assertRefused(await ask(sandbox, "/app/installations", { token }), 401, BAD);
	assertRefused(await exchange(sandbox, { token }), 401, BAD);
});

test("an installation's token is good to the second that expires_at names", async () => {
	const { token, expires_at } = object((await exchange(sandbox)).json);
	time.now = Date.parse(String(expires_at)) - 1;
	assert.equal((await ask(sandbox, SWITCHBOARD, { token: String(token) })).status, 200);
	time.now += 1;
	assertRefused(await ask(sandbox, SWITCHBOARD, { token: String(token) }), 401, BAD);
});
