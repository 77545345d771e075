import { strict as assert } from "node:assert";
import { generateKeyPairSync } from "node:crypto";
import { createServer, type Server } from "node:http";
import { test } from "node:test";
import { patSource } from "#api/codehost/credential.ts";
import type { ClientError } from "#base/errors.ts";
import {
	appClient,
	clientWith,
	failureOf,
	hostForEachTest,
	installationClient,
	patClient,
} from "../../support/codehost-host.ts";

const host = hostForEachTest();

const facts = ({ code, status, reason }: ClientError) => [code, status, reason];

test("a token that is wrong, expired or revoked is unauthorized after one request", async () => {
	const { expired } = host.sandbox.keys.codehost;
	const revoked = host.sandbox.codehost.mintPat();
	host.sandbox.codehost.revoke(revoked);
	const calls = [
		() => patClient(host, "service_pat_unknown").getUser(),
		() => patClient(host, expired).getUser(),
		() => patClient(host, revoked).getUser(),
	];
	for (const [at, call] of calls.entries()) {
		const error = await failureOf(call());
		assert.deepEqual(facts(error), ["unauthorized", 401, undefined]);
		assert.equal(error.message, "Bad credentials");
		assert.equal(host.sent.length, at + 1);
	}
});

test("a 401 of one repository is about the repository where the host says whose the token is", async () => {
	const { withoutIssues, publicOnly } = host.sandbox.keys.codehost;
	const calls = [
		() => patClient(host, withoutIssues).listIssues("exchange", "switchboard"),
		() => patClient(host, publicOnly).getRepository("exchange", "vault"),
	];
	for (const [at, call] of calls.entries()) {
		assert.deepEqual(facts(await failureOf(call())), ["unauthorized", 401, "repository-refused"]);
		assert.equal(host.sent.length, 2 * (at + 1));
	}
	const unknown = await failureOf(patClient(host, "service_pat_unknown").getRepository("exchange", "vault"));
	assert.deepEqual(facts(unknown), ["unauthorized", 401, undefined]);
});

test("a token that expires while it is used becomes unauthorized", async () => {
	const client = patClient(host, host.sandbox.codehost.mintPat({ expiresInSeconds: 60 }));
	await client.getUser();
	host.clock.advance(60_000);
	assert.equal((await failureOf(client.getUser())).code, "unauthorized");
});

test("an app with a wrong id or a wrong key is unauthorized, without blaming the clock", async () => {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
	for (const changes of [{ appId: 999_999 }, { pem }]) {
		const { client } = await appClient(host, changes);
		assert.deepEqual(facts(await failureOf(client.listInstallations())), ["unauthorized", 401, "app-refused"]);
		const exchange = facts(await failureOf(client.createInstallationToken(7001)));
		assert.deepEqual(exchange, ["unauthorized", 401, "app-refused"]);
	}
	assert.equal(host.sent.length, 4);
	assert.deepEqual(host.warnings, []);
});

test("an installation elsewhere, or without the permission, is forbidden with the reason, and signs nobody out", async () => {
	const { app } = host.sandbox.keys.codehost;
	const { client, source } = await installationClient(host);
	const elsewhere = await failureOf(client.getRepository("quiet-office", "ledger"));
	// The first tries of a new token may be refused for its youth: they end, and the refusal stays.
	assert.deepEqual(facts(elsewhere), ["forbidden", 403, "not-installed"]);
	await client.getRepository("exchange", "switchboard");
	const before = host.sent.length;
	assert.deepEqual(facts(await failureOf(client.listIssues("lin", "kites"))), ["forbidden", 403, "not-installed"]);
	assert.equal(host.sent.length, before + 1);
	await client.getRepository("exchange", "switchboard");
	assert.equal(source.state.exchanges, 1);
	const blind = (await installationClient(host, { installationId: app.installationIdWithoutIssues })).client;
	await blind.getRepository("lin", "kites");
	assert.deepEqual(facts(await failureOf(blind.listIssues("lin", "kites"))), ["forbidden", 403, "not-installed"]);
});

test("a private repository of others, and one that never was, are not found", async () => {
	const client = patClient(host, host.sandbox.keys.codehost.otherUser);
	for (const repo of ["vault", "vanished"]) {
		assert.deepEqual(facts(await failureOf(client.getRepository("exchange", repo))), ["not-found", 404, undefined]);
	}
});

test("an installation that the app does not have is not found, and says that it is not installed", async () => {
	const { client } = await appClient(host);
	assert.deepEqual(facts(await failureOf(client.createInstallationToken(1))), ["not-found", 404, "not-installed"]);
});

for (const status of [500, 502, 503] as const) {
	test(`${status} is tried again, on reads and on the exchange, until it passes`, async () => {
		host.sandbox.codehost.behave({ fail: { status, times: 2 } });
		assert.equal((await patClient(host).getUser()).value.login, "ada");
		assert.equal(host.sent.length, 3);
		host.sandbox.codehost.behave({ fail: { status, times: 1 } });
		assert.ok((await (await appClient(host)).client.createInstallationToken(7001)).token);
		host.sandbox.codehost.behave({ fail: { status, body: "html" } });
		const error = await failureOf(patClient(host).getUser());
		assert.equal(error.status, status);
		assert.doesNotMatch(error.message, /</);
	});
}

test("a dropped connection and a body that breaks off are tried again", async () => {
	host.sandbox.codehost.behave({ drop: 1 });
	assert.equal((await patClient(host).getUser()).value.login, "ada");
	host.sandbox.codehost.behave({ cutAfterBytes: 5 });
	const error = await failureOf(patClient(host).getUser());
	assert.equal(error.code, "network");
});

test("error pages and empty errors become sentences without markup", async () => {
	for (const body of ["html", "empty"] as const) {
		for (const status of [401, 403, 404]) {
			host.sandbox.codehost.behave({ fail: { status, body } });
			const error = await failureOf(patClient(host).getUser());
			assert.equal(error.status, status);
			assert.doesNotMatch(error.message, /[<>]/);
			assert.notEqual(error.message, "");
		}
	}
});

/** Another origin: whatever reaches it has leaked. */
async function elsewhere(): Promise<{ origin: string; seen: string[]; server: Server }> {
	const seen: string[] = [];
	const server = createServer((request, response) => {
		seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
		response.end("[]");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	return { origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, seen, server };
}

test("a Link to another origin is not followed: that server sees nothing, and the listing says so", async () => {
	const { origin, seen, server } = await elsewhere();
	try {
		for (const links of ["all", "next", "cursor"] as const) {
			host.sandbox.codehost.behave({ linkOrigin: origin, links });
			const listing = await patClient(host).listIssues("exchange", "switchboard");
			assert.deepEqual([listing.halted, listing.complete, listing.issues.length], ["other-origin", false, 100]);
		}
		assert.deepEqual(seen, []);
	} finally {
		server.close();
	}
});

test("a redirect to another origin is not followed, whatever its status: that server sees nothing", async () => {
	const { origin, seen, server } = await elsewhere();
	try {
		const app = (await appClient(host)).client;
		const pat = patClient(host);
		const { client: installed } = await installationClient(host);
		await installed.getRepository("exchange", "empty");
		for (const status of [301, 302, 303, 307, 308] as const) {
			host.sandbox.codehost.behave({ redirect: { origin, status } });
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
	} finally {
		server.close();
	}
});

test("a credential is not used at another origin than its own: no request is made", async () => {
	const { origin, seen, server } = await elsewhere();
	try {
		const credential = patSource(host.sandbox.keys.codehost.fineGrained, { origin });
		assert.throws(() => clientWith(host, credential), { code: "invalid", reason: "other-origin" });
		assert.deepEqual([seen, host.sent], [[], []]);
	} finally {
		server.close();
	}
});

test("no error and no notice holds the token", async () => {
	const token = host.sandbox.codehost.mintPat();
	host.sandbox.codehost.behave({ fail: { status: 400, message: `You sent ${token}, which is wrong.` } });
	const error = await failureOf(patClient(host, token).getUser());
	assert.ok(!error.message.includes(token) && !JSON.stringify(host.notices).includes(token));
});
