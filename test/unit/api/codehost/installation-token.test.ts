import { strict as assert } from "node:assert";
import { type TestContext, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { installationSource } from "#api/codehost/installation-token.ts";
import type { InstallationToken } from "#api/codehost/model.ts";
import { ClientError } from "#base/errors.ts";
import { appClientsAt, appKey, errorOf, noDelay } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type CannedReply, type RecordedRequest, serve } from "../../../support/recording-server.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const app = { origin: "https://host.test", appId: 4711, key: appKey };

/** A source over an exchange that a test answers, and what became of it. */
function sourceOf(answer: (count: number) => Partial<InstallationToken> | ClientError, clock = new FakeClock()) {
	const seen = { exchanges: 0, kept: new Set<string>() };
	const source = installationSource(app, 7, {
		clock,
		protect: (secret) => {
			seen.kept.add(secret);
			return { dispose: () => seen.kept.delete(secret) };
		},
		exchange: async () => {
			seen.exchanges += 1;
			await nextTurn();
			const answered = answer(seen.exchanges);
			if (answered instanceof ClientError) throw answered;
			return { token: `t${seen.exchanges}`, expiresAt: null, serverTime: null, ...answered };
		},
	});
	return { clock, source, seen };
}

/** A source whose tokens live so long. */
function livingFor(ms: number) {
	const clock = new FakeClock();
	return sourceOf(() => ({ expiresAt: clock.now() + ms }), clock);
}

const down = new ClientError("codehost", "server", "down");

test("twenty callers at the same time share one exchange", async () => {
	const { source, seen } = livingFor(hour);
	const tokens = await Promise.all(Array.from({ length: 20 }, () => source.token()));
	assert.deepEqual([...new Set(tokens)], ["t1"]);
	assert.equal(seen.exchanges, 1);
});

test("a caller that aborts does not abort the exchange for the others", async () => {
	const { source, seen } = livingFor(hour);
	const cut = new AbortController();
	const impatient = source.token(cut.signal);
	const patient = source.token();
	cut.abort();
	assert.equal((await errorOf(impatient)).code, "aborted");
	assert.equal(await patient, "t1");
	assert.equal((await errorOf(source.token(cut.signal))).code, "aborted");
	assert.equal(seen.exchanges, 1);
});

test("a failed exchange fails for all its callers, and the next starts a new one", async () => {
	const { source, seen } = sourceOf((count) => (count === 1 ? down : { expiresAt: null }));
	const [first, second] = await Promise.all([errorOf(source.token()), errorOf(source.token())]);
	assert.equal(first, second);
	assert.equal(await source.token(), "t2");
	assert.equal(seen.exchanges, 2);
});

test("a token of an hour is renewed five minutes early, while the old one serves", async () => {
	const { clock, source, seen } = livingFor(hour);
	await source.token();
	clock.advance(55 * minute - 1);
	assert.equal(await source.token(), "t1");
	await nextTurn();
	assert.equal(seen.exchanges, 1);
	clock.advance(1);
	assert.equal(await source.token(), "t1", "nobody waits for the renewal");
	await nextTurn();
	await nextTurn();
	assert.equal(await source.token(), "t2");
	assert.equal(seen.exchanges, 2);
	assert.deepEqual([source.state.exchanges, source.state.renewals], [2, 1]);
});

test("a token of 90 seconds is renewed before its end", async () => {
	const { clock, source, seen } = livingFor(90 * second);
	await source.token();
	assert.equal(source.state.renewsAt, clock.now() + 45 * second);
	clock.advance(44 * second);
	await source.token();
	assert.equal(seen.exchanges, 1);
	clock.advance(2 * second);
	await source.token();
	await nextTurn();
	await nextTurn();
	clock.advance(45 * second);
	assert.equal(await source.token(), "t2", "the first one is past its end by now");
});

test("a token serves to its real end while renewing fails and is retried", async () => {
	const clock = new FakeClock();
	const { source, seen } = sourceOf((count) => (count === 1 ? { expiresAt: clock.now() + hour } : down), clock);
	await source.token();
	clock.advance(56 * minute);
	for (let call = 0; call < 5; call++) {
		assert.equal(await source.token(), "t1");
		await nextTurn();
		await nextTurn();
	}
	assert.equal(seen.exchanges, 2, "not with every call");
	assert.equal(source.state.error, down);
	clock.advance(30 * second);
	assert.equal(await source.token(), "t1");
	await nextTurn();
	assert.equal(seen.exchanges, 3);
	clock.advance(3.5 * minute - 1);
	assert.equal(await source.token(), "t1");
	await nextTurn();
	await nextTurn();
	clock.advance(1);
	assert.equal(await errorOf(source.token()), down);
});

test("a token's life is measured by the service's own clock", async () => {
	const clock = new FakeClock();
	const serverTime = clock.now() + 3 * hour;
	const { source, seen } = sourceOf(() => ({ expiresAt: serverTime + hour, serverTime }), clock);
	await source.token();
	assert.equal(source.state.expiresAt, clock.now() + hour);
	const behind = sourceOf(() => ({ expiresAt: clock.now() - 2 * hour, serverTime: clock.now() - 3 * hour }), clock);
	await behind.source.token();
	assert.equal(behind.source.state.expiresAt, clock.now() + hour);
	assert.deepEqual([seen.exchanges, behind.seen.exchanges], [1, 1]);
});

test("no token is trusted for more than an hour after it came", async () => {
	const clock = new FakeClock();
	const { source } = sourceOf(() => ({ expiresAt: clock.now() + hour, serverTime: clock.now() - 3 * hour }), clock);
	await source.token();
	assert.equal(source.state.expiresAt, clock.now() + hour);
	const mute = sourceOf(() => ({ expiresAt: clock.now() + 30 * 24 * hour }), clock);
	await mute.source.token();
	assert.equal(mute.source.state.expiresAt, clock.now() + hour);
});

test("a token that does not say until when it is good counts as ten minutes", async () => {
	const { clock, source } = sourceOf(() => ({ expiresAt: null }));
	await source.token();
	assert.equal(source.state.expiresAt, clock.now() + 10 * minute);
});

test("only the token in use is protected from logs, and none after the end", async () => {
	const { clock, source, seen } = livingFor(10 * second);
	await source.token();
	clock.advance(11 * second);
	await source.token();
	assert.deepEqual([...seen.kept], ["t2"]);
	source.dispose();
	assert.equal(seen.kept.size, 0);
	assert.equal((await errorOf(source.token())).reason, "disposed");
});

test("a released exchange ends with disposed, and an aborted wait with aborted", async () => {
	const { source, seen } = sourceOf(() => ({ token: "late" }));
	const cut = new AbortController();
	const all = [source.renew(), source.token(), source.token(cut.signal)].map(errorOf);
	cut.abort();
	source.dispose();
	const told = (await Promise.all(all)).map(({ code, reason }) => reason ?? code);
	assert.deepEqual(told, ["disposed", "disposed", "aborted"]);
	const failing = sourceOf(() => new ClientError("codehost", "aborted", "The request was stopped."));
	const left = errorOf(failing.source.token());
	failing.source.dispose();
	assert.equal((await left).reason, "disposed");
	assert.deepEqual([seen.exchanges, seen.kept.size], [1, 0]);
});

test("sources of two apps, keys, hosts or installations differ in identity", () => {
	const source = (change: Partial<typeof app>, installationId = 7) =>
		installationSource({ ...app, ...change }, installationId, {
			clock: new FakeClock(),
			exchange: () => Promise.reject(down),
		});
	const sources = [
		source({}),
		source({ appId: 4712 }),
		source({ origin: "https://other.test" }),
		source({ key: { ...appKey, fingerprint: "SHA256:other" } }),
		source({}, 8),
	];
	assert.equal(new Set(sources.map(({ identity }) => identity)).size, sources.length);
	assert.equal(source({}).identity, sources[0]?.identity);
});

/** A service that gives out tokens and answers everything else as the test says, and a client of an installation of it. */
async function installedAt(
	context: TestContext,
	read: (request: RecordedRequest, token: string, tokens: number) => CannedReply,
	issue: (count: number) => CannedReply = () => ({}),
) {
	const clock = new FakeClock();
	let tokens = 0;
	const server = await serve(context, (request) => {
		if (request.method !== "POST") {
			return read(request, (request.headers.authorization ?? "").slice("Bearer ".length), tokens);
		}
		tokens += 1;
		const body = { token: `tok_${tokens}`, expires_at: new Date(clock.now() + hour).toISOString() };
		return { status: 201, body, ...issue(tokens) };
	});
	const { observer, waits } = noDelay(clock);
	const { client } = appClientsAt(server.origin, { clock, observer });
	return { server, client, waits };
}

const repository = { body: { full_name: "acme/app" } };
const exchanges = (lines: readonly string[]) => lines.filter((line) => line.startsWith("POST")).length;

test("any 2xx is a success of the exchange", async (context) => {
	for (const status of [200, 201, 202, 203]) {
		const { client } = await installedAt(
			context,
			() => repository,
			() => ({ status }),
		);
		await client.getRepository("acme", "app");
	}
});

for (const status of [401, 403]) {
	test(`a read refused with ${status} for a very new token is retried after 1, 2 and 3 s`, async (context) => {
		let refusals = 3;
		const refused = { status, body: { message: "Bad credentials" } };
		const { server, client, waits } = await installedAt(context, () => (refusals-- > 0 ? refused : repository));
		assert.equal((await client.getRepository("acme", "app")).value.fullName, "acme/app");
		assert.deepEqual(waits, ["new-token 1000", "new-token 2000", "new-token 3000"]);
		assert.equal(exchanges(server.lines), 1);
	});

	test(`a token that stays refused with ${status} fails after these waits`, async (context) => {
		const { server, client, waits } = await installedAt(context, () => ({ status, body: { message: "No" } }));
		const error = await errorOf(client.getRepository("acme", "app"));
		assert.equal(error.code, status === 401 ? "unauthorized" : "forbidden");
		assert.equal(error.reason, status === 401 ? "not-installed" : undefined, "it has worked nowhere");
		assert.equal(waits.length, 3);
		assert.equal(server.requests.length, 5);
	});
}

test("once a token has been taken, a 403 is about permission and final", async (context) => {
	const message = "Resource not accessible by integration";
	const { server, client } = await installedAt(context, ({ path }) =>
		path.endsWith("secret") ? { status: 403, body: { message } } : repository,
	);
	await client.getRepository("acme", "app");
	const error = await errorOf(client.getRepository("acme", "secret"));
	assert.deepEqual([error.code, error.reason, error.message], ["forbidden", "not-installed", message]);
	assert.equal(server.requests.length, 3);
	await client.getRepository("acme", "app");
	assert.equal(exchanges(server.lines), 1, "nobody is signed out by a 403");
});

test("an installation's 401 is about the repository only if it has worked elsewhere", async (context) => {
	const { client } = await installedAt(context, ({ path }) => (path.endsWith("vault") ? { status: 401 } : repository));
	await client.getRepository("acme", "app");
	assert.equal((await errorOf(client.getRepository("acme", "vault"))).reason, "repository-refused");
});

test("a token counts as new for 15 s; refused after that it is another's turn at once", async () => {
	for (const [age, waited] of [
		[14_000, 1_000],
		[16_000, 0],
	] as const) {
		const { clock, source } = livingFor(60 * minute);
		const token = await source.token();
		clock.advance(age);
		const refused = { token, method: "GET", status: 401, serverTime: null, repeats: 0 } as const;
		assert.equal(source.refused(refused), waited, `${age} ms`);
	}
});

test("a token that was good and is refused before its end is exchanged once", async (context) => {
	let revoked = "";
	const { server, client } = await installedAt(context, (_, token, tokens) =>
		token === `tok_${tokens}` && revoked !== token ? repository : { status: 401 },
	);
	await client.getRepository("acme", "app");
	revoked = "tok_1";
	await client.getRepository("acme", "app");
	assert.deepEqual(
		server.lines.map((line) => line.split(" ")[0]),
		["POST", "GET", "GET", "POST", "GET"],
	);
});

test("a suspended installation is named and not asked again", async (context) => {
	const clock = new FakeClock();
	const said = await serve(context, () => ({ status: 403, body: { message: "This installation has been suspended" } }));
	const named = await errorOf(appClientsAt(said.origin, { clock }).client.getRepository("acme", "app"));
	assert.deepEqual([named.code, named.reason], ["forbidden", "suspended"]);
	assert.deepEqual(said.lines, ["POST /app/installations/7/access_tokens"]);
});

test("an installation that is not there is not found, for that reason", async (context) => {
	const clock = new FakeClock();
	const server = await serve(context, () => ({ status: 404, body: { message: "Not Found" } }));
	const error = await errorOf(appClientsAt(server.origin, { clock }).client.getRepository("acme", "app"));
	assert.deepEqual([error.code, error.reason], ["not-found", "not-installed"]);
});

test("the exchange is made again after a failure that passes", async (context) => {
	const { server, client, waits } = await installedAt(
		context,
		() => repository,
		(count) => (count < 3 ? { status: 502 } : {}),
	);
	await client.getRepository("acme", "app");
	assert.equal(waits.length, 2);
	assert.equal(exchanges(server.lines), 3);
});
