import { strict as assert } from "node:assert";
import { test } from "node:test";
import { inspect } from "node:util";
import { patSource } from "#api/codehost/credential.ts";
import { diagnose } from "#api/codehost/diagnose.ts";
import { probesOf } from "#api/codehost/probes.ts";
import { systemClock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { appClientsAt, clientAt, contractProfile, pat, serve, transport } from "../../../support/codehost-client.ts";
import { ReplayServer } from "../../../support/replay-server.ts";

const clock = systemClock;
const repository = { owner: "acme", repo: "app" };
const shared = { transport, clock, profile: contractProfile, repository };

test("a service is reached without the token, then with it", async (context) => {
	const server = await serve(context, ({ path }) => ({
		headers: { date: new Date().toUTCString() },
		body: path === "/user" ? { login: "ada" } : { full_name: "acme/app" },
	}));
	const credential = patSource(pat, { origin: server.origin });
	const client = clientAt(server.origin, { credential });
	const probes = probesOf({ ...shared, baseUrl: server.origin, credential, client });
	const steps = await diagnose(probes, { clock, encrypted: false, dated: false });
	assert.deepEqual(
		steps.map(({ name, state }) => `${name} ${state}`),
		["dns ok", "tls ok", "auth ok", "clock ok", "read ok"],
	);
	assert.deepEqual([steps[0]?.detail, steps[2]?.detail, steps[4]?.detail], ["127.0.0.1", "ada", "acme/app"]);
	assert.deepEqual(
		server.requests.map(({ path, headers }) => [path, headers.authorization]),
		[
			["/", undefined],
			["/user", `Bearer ${pat}`],
			["/repos/acme/app", `Bearer ${pat}`],
		],
	);
});

test("what could not be read is named, in the service's words", async (context) => {
	const server = await serve(context, () => ({ status: 404, body: { message: "Not Found" } }));
	const credential = patSource(pat, { origin: server.origin });
	const at = { ...shared, baseUrl: server.origin, credential };
	const probes = probesOf({ ...at, client: clientAt(server.origin, { credential }) });
	const { signal } = new AbortController();
	await assert.rejects(Promise.resolve(probes.read?.(signal)), {
		code: "not-found",
		status: 404,
		message: /^acme\/app: .*Not Found/,
	});
});

test("of an answer that is not HTTP nothing is kept, for it may repeat the token", async (context) => {
	const server = await ReplayServer.start();
	context.after(() => server.close());
	const { baseUrl } = server.play({ bytes: Buffer.from(`authorization: Bearer ${pat}\r\n`) });
	const credential = patSource(pat, { origin: new URL(baseUrl).origin });
	const probes = probesOf({ ...shared, baseUrl, credential, client: clientAt(baseUrl, { credential }) });
	const { signal } = new AbortController();
	for (const ask of [probes.connect, probes.authenticate]) {
		const error: unknown = await Promise.resolve(ask(signal)).catch((thrown: unknown) => thrown);
		assert.ok(error instanceof ClientError && error.code === "malformed" && error.cause instanceof Error);
		assert.ok(!inspect(error, { depth: 9 }).includes(pat), inspect(error));
	}
});

test("without a repository what tells who the credential is is read once more, and told as what it is", async (context) => {
	const server = await serve(context, ({ path }) => ({ body: path === "/user" ? { login: "ada" } : [{ id: 7 }] }));
	const { repository: _, ...at } = { ...shared, baseUrl: server.origin };
	const credential = patSource(pat, { origin: server.origin });
	const { app, appCredential, client, credential: installation } = appClientsAt(server.origin);
	const signal = new AbortController().signal;
	const asUser = probesOf({ ...at, credential, client: clientAt(server.origin, { credential }) });
	assert.equal(await asUser.read?.(signal), "/user (ada); no repository was added to read one");
	const asApp = probesOf({ ...at, client: app, credential: appCredential });
	assert.equal(await asApp.read?.(signal), "/app/installations (1 installation); no repository was added to read one");
	assert.equal(probesOf({ ...at, client, credential: installation }).read, undefined);
	assert.deepEqual(server.lines, ["GET /user", "GET /app/installations"]);
});

test("an app and its installation prove themselves each in its own way", async (context) => {
	const server = await serve(context, ({ method }) =>
		method === "POST"
			? { body: { token: "tok", expires_at: "2100-01-01T00:00:00Z" } }
			: { body: [{ id: 7 }, { id: 8 }] },
	);
	const { app, appCredential, client, credential } = appClientsAt(server.origin);
	const at = { ...shared, baseUrl: server.origin };
	const signal = new AbortController().signal;
	const asApp = probesOf({ ...at, client: app, credential: appCredential });
	assert.equal(await asApp.authenticate(signal), "2 installations");
	await probesOf({ ...at, client, credential }).authenticate(signal);
	assert.deepEqual(server.lines, ["GET /app/installations", "POST /app/installations/7/access_tokens"]);
});

test("a service that is not there is not reached, by the reason the runtime gives", async (context) => {
	const server = await serve(context, () => ({}));
	const baseUrl = server.origin;
	const credential = patSource(pat, { origin: baseUrl });
	const client = clientAt(baseUrl, { credential });
	await server.close();
	const probes = probesOf({ ...shared, baseUrl, credential, client });
	const steps = await diagnose(probes, { clock, encrypted: false, dated: false });
	assert.match(steps[1]?.detail ?? "", /the connection was refused/);
});
