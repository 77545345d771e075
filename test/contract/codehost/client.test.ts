import { strict as assert } from "node:assert";
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { test } from "node:test";
import type { ClientError } from "#base/errors.ts";
import { appClient, failureOf, hostForEachTest, installationClient, patClient } from "../../support/codehost-host.ts";
import { nextOnly } from "../../support/misbehavior.ts";

const host = hostForEachTest();

const exchanges = () => host.sandbox.status().codehost.endpoints["access-token"];
const facts = ({ code, status, reason }: ClientError) => [code, status, reason];

test("the user, a repository and its issues are read with a token of either kind, and with an installation's", async () => {
	const { fineGrained, classic } = host.sandbox.keys.codehost;
	for (const token of [fineGrained, classic]) {
		const client = patClient(host, token);
		const { login, name } = (await client.getUser()).value;
		assert.deepEqual([login, name], ["ada", "Ada Quill"]);
		assert.equal((await client.getRepository("exchange", "vault")).value.fullName, "exchange/vault");
		assert.equal((await client.listIssues("exchange", "vault")).issues.length, 12);
	}
	const { client } = await installationClient(host);
	assert.equal((await client.getRepository("exchange", "vault")).value.fullName, "exchange/vault");
	assert.equal((await client.listIssues("exchange", "vault")).issues.length, 12);
});

test("the app's installations are listed over all their pages, the suspended one marked", async () => {
	const { client } = await appClient(host);
	const { value } = await client.listInstallations();
	const { app } = host.sandbox.keys.codehost;
	assert.deepEqual(
		value.map(({ id, account, suspended }) => [id, account, suspended]),
		[
			[app.installationId, "exchange", false],
			[app.selectedInstallationId, "ada", false],
			[app.suspendedInstallationId, "party-line", true],
			[app.installationIdWithoutIssues, "lin", false],
		],
	);
});

test("a host that wants plain JSON beside the vendor's type gets it", async () => {
	const vendorType = "application/vnd.service+json";
	host.sandbox.codehost.behave({}, (reply, { request }) => {
		const { accept = "" } = request.headers;
		return accept.replace(vendorType, "").includes("application/json") ? reply : { status: 406 };
	});
	assert.equal((await patClient(host).getUser()).value.login, "ada");
});

test("10,000 issues come in a hundred requests, each once", async () => {
	const { issues, requests, complete } = await patClient(host).listIssues("exchange", "archive");
	assert.equal(new Set(issues.map(({ number }) => number)).size, 10_000);
	assert.deepEqual([issues.length, requests, complete], [10_000, 100, true]);
});

for (const links of ["all", "only the next"] as const) {
	test(`with links to ${links} a listing that stops at a limit goes on exactly where it stopped`, async () => {
		if (links !== "all") host.sandbox.codehost.behave({}, nextOnly);
		const client = patClient(host);
		const whole = (await client.listIssues("exchange", "switchboard")).issues.map(({ number }) => number);
		assert.equal(whole.length, 250);
		const seen: number[] = [];
		let continuation: Awaited<ReturnType<typeof client.listIssues>>["continuation"];
		do {
			const part = await client.listIssues("exchange", "switchboard", { limit: 70, continuation });
			assert.ok(part.issues.length <= 70);
			seen.push(...part.issues.map(({ number }) => number));
			continuation = part.continuation;
			assert.equal(part.complete, continuation === undefined);
		} while (continuation !== undefined);
		assert.deepEqual(seen, whole);
	});
}

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

for (const minutes of [10, -10]) {
	test(`a clock that is ${-minutes} minutes off is healed with one more request and one warning`, async () => {
		host.hostClock.leadMs = minutes * 60_000;
		const { client, source } = await installationClient(host);
		await client.getRepository("exchange", "switchboard");
		assert.deepEqual([exchanges(), host.sent.length, host.warnings], [2, 3, [`skew ${minutes * 60} s`]]);
		const { expiresAt } = source.state;
		assert.ok(expiresAt !== null && Math.abs(expiresAt - host.clock.now() - 60 * 60_000) <= 2_000);
		host.clock.advance(57 * 60_000);
		await source.renew();
		assert.deepEqual([exchanges(), host.warnings.length], [3, 1]);
	});
}

test("a token that is wrong, expired or revoked is unauthorized after one request", async () => {
	const { expired } = host.sandbox.keys.codehost;
	const revoked = host.sandbox.codehost.credentials.mintPat();
	host.sandbox.codehost.credentials.revoke(revoked);
	for (const [at, token] of ["service_pat_unknown", expired, revoked].entries()) {
		assert.deepEqual(facts(await failureOf(patClient(host, token).getUser())), ["unauthorized", 401, undefined]);
		assert.equal(host.sent.length, at + 1);
	}
});

test("an app with a wrong id or a wrong key is unauthorized, without blaming the clock", async () => {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
	for (const changes of [{ appId: 999_999 }, { pem }]) {
		const { client } = await appClient(host, changes);
		for (const call of [client.listInstallations(), client.createInstallationToken(7001)]) {
			assert.deepEqual(facts(await failureOf(call)), ["unauthorized", 401, "app-refused"]);
		}
	}
	assert.deepEqual([host.sent.length, host.warnings], [4, []]);
});

test("a redirect to another origin is not followed, whatever its status: that server sees nothing", async () => {
	const seen: string[] = [];
	await using server = createServer((request, response) => {
		seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
		response.end("[]");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
	const app = (await appClient(host)).client;
	const pat = patClient(host);
	const { client: installed } = await installationClient(host);
	await installed.getRepository("exchange", "empty");
	for (const status of [301, 302, 303, 307, 308] as const) {
		host.sandbox.codehost.behave({}, (_, { url }) => ({
			status,
			headers: { location: origin + url.pathname + url.search },
		}));
		for (const call of [
			() => pat.getUser(),
			() => pat.listIssues("exchange", "switchboard"),
			() => app.listInstallations(),
			() => installed.getRepository("exchange", "empty"),
		]) {
			assert.equal((await failureOf(call())).reason, "other-origin");
		}
		await failureOf(app.createInstallationToken(7001));
	}
	assert.deepEqual(seen, []);
});
