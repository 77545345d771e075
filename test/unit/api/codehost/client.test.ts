import { strict as assert } from "node:assert";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { patSource } from "#api/codehost/credential.ts";
import { RateLimits } from "#api/codehost/gate.ts";
import type { RequestNotice } from "#api/http/notice.ts";
import { systemClock } from "#base/clock.ts";
import { ClientError } from "#base/errors.ts";
import { appClientsAt, clientAt, contractProfile, errorOf, noDelay, pat } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type CannedReply, serve } from "../../../support/recording-server.ts";

const facts = ({ code, status }: ClientError) => [code, status];

const repository = { body: { full_name: "acme/app" } };

test("the five operations ask for the documented paths with the documented headers", async (context) => {
	const server = await serve(context, ({ path, method }) => {
		if (method === "POST") return { body: { token: "tok", expires_at: "2100-01-01T00:00:00Z" } };
		if (path === "/user") return { body: { login: "ada", name: "Ada" } };
		return path === "/repos/acme/app" ? repository : { body: [] };
	});
	const client = clientAt(server.origin);
	assert.equal((await client.getUser()).value.login, "ada");
	assert.equal((await client.getRepository("acme", "app")).value.fullName, "acme/app");
	assert.deepEqual((await client.listIssues("acme", "app")).issues, []);
	const { app } = appClientsAt(server.origin);
	assert.deepEqual((await app.listInstallations()).value, []);
	assert.equal((await app.createInstallationToken(7)).token, "tok");
	assert.deepEqual(server.lines, [
		"GET /user",
		"GET /repos/acme/app",
		"GET /repos/acme/app/issues",
		"GET /app/installations",
		"POST /app/installations/7/access_tokens",
	]);
	for (const { headers } of server.requests) {
		assert.equal(headers.accept, contractProfile.accept);
		assert.equal(headers["x-service-api-version"], "2022-11-28");
		assert.match(headers.authorization ?? "", /^Bearer \S+$/);
	}
	assert.equal(server.requests[0]?.headers.authorization, `Bearer ${pat}`);
	assert.equal(server.requests[4]?.headers["content-length"], "0", "an exchange has no body");
});

test("arguments that make no sense are refused by their field before anything is sent", async (context) => {
	const server = await serve(context, () => ({ body: {} }));
	const client = clientAt(server.origin);
	const rows: readonly (readonly [Promise<unknown>, string])[] = [
		[client.getRepository("..", "app"), "owner"],
		[client.listIssues("acme", "a/b"), "repo"],
		[client.listIssues("acme", "app", { limit: 0 }), "limit"],
		[client.listIssues("acme", "app", { limit: 1.5 }), "limit"],
	];
	for (const [call, field] of rows) assert.equal((await errorOf(call)).field, field);
	assert.deepEqual(server.lines, []);
});

test("a lasting refusal says what the service said, and is not retried", async (context) => {
	const server = await serve(context, () => ({ status: 422, body: { message: "No such state" } }));
	const error = await errorOf(clientAt(server.origin).getUser());
	assert.deepEqual([...facts(error), error.message], ["invalid", 422, "No such state"]);
	assert.equal(server.requests.length, 1);
});

test("a reply of the wrong shape names the path of the field", async (context) => {
	const server = await serve(context, () => ({ body: { login: 5 } }));
	const error = await errorOf(clientAt(server.origin).getUser());
	assert.deepEqual([error.code, error.field], ["malformed", "login"]);
});

test("an error never repeats the token, or another secret in use", async (context) => {
	const server = await serve(context, ({ headers }) => ({
		status: 403,
		body: { message: `No, ${headers.authorization}, nor ${Buffer.from(pat).toString("base64")} nor other-secret` },
	}));
	const client = clientAt(server.origin, { redact: (text) => text.replaceAll("other-secret", "[x]") });
	const { message } = await errorOf(client.getUser());
	assert.equal(message, "No, Bearer [redacted], nor [redacted] nor [x]");
});

test("a read is retried with backoff after a 5xx or a broken connection", async (context) => {
	const clock = new FakeClock();
	const server = await serve(context, (_, count) => [{ status: 503 }, undefined, { status: 502 }, repository][count]);
	const { observer, waits } = noDelay(clock);
	const notices: RequestNotice[] = [];
	const client = clientAt(server.origin, { clock, observer: { ...observer, onRequest: (one) => notices.push(one) } });
	assert.equal((await client.getRepository("acme", "app")).value.fullName, "acme/app");
	assert.deepEqual(waits, ["retry 437.5", "retry 875", "retry 1750"]);
	assert.deepEqual(
		notices.map(({ status, error }) => [status, error?.code]),
		[
			[503, "overloaded"],
			[null, "network"],
			[502, "server"],
			[200, undefined],
		],
	);

	const broken = await serve(context, () => ({ status: 500 }));
	const error = await errorOf(clientAt(broken.origin, { clock, ...noDelay(clock) }).getUser());
	assert.equal(error.code, "server");
	assert.equal(broken.requests.length, 4);
});

test("a refusal keeps the meaning of its status and headers if its body breaks off", async (context) => {
	const clock = new FakeClock();
	const body = '{"message": "No';
	const server = await serve(context, () => ({ status: 401, body, breaksOff: true }));
	const refused = await errorOf(clientAt(server.origin, { clock }).getUser());
	assert.deepEqual(facts(refused), ["unauthorized", 401]);
	assert.equal(refused.message, "The service answered with status 401.");
	server.respond = () => ({ status: 429, headers: { "retry-after": "300" }, body, breaksOff: true });
	const limited = await errorOf(clientAt(server.origin, { clock }).getUser());
	assert.deepEqual([...facts(limited), limited.retryAfterMs], ["rate-limited", 429, 300_000]);
	const remaining = { "x-ratelimit-remaining": "0" };
	server.respond = () => ({ status: 403, headers: remaining, body: "", breaksOff: true });
	assert.equal((await errorOf(clientAt(server.origin, { clock, maxRetryWaitMs: 1 }).getUser())).code, "rate-limited");
	assert.equal(server.requests.length, 3);
});

test("a failed call is not retried if Retry-After is beyond the longest wait", async (context) => {
	const server = await serve(context, () => ({ status: 503, headers: { "retry-after": "300" } }));
	const error = await errorOf(clientAt(server.origin, { clock: new FakeClock() }).getUser());
	assert.deepEqual([...facts(error), error.retryAfterMs], ["overloaded", 503, 300_000]);
	assert.equal(server.requests.length, 1);
});

test("a success that breaks off is none, and is asked for again", async (context) => {
	const body = { login: "ada" };
	const server = await serve(context, (_, count) => ({ body, breaksOff: count === 0 }));
	const clock = new FakeClock();
	assert.equal((await clientAt(server.origin, { clock, ...noDelay(clock) }).getUser()).value.login, "ada");
	assert.equal(server.requests.length, 2);
});

test("a service that is silent for too long has timed out", async (context) => {
	const server = await serve(context, () => ({ delayMs: 60_000 }));
	const error = await errorOf(clientAt(server.origin, { silenceLimitMs: 20, maxAttempts: 1 }).getUser());
	assert.equal(error.code, "timeout");
});

test("a read of a silent service ends after 45 s, tries and backoff included", { timeout: 20_000 }, async (context) => {
	const clock = new FakeClock();
	const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
	const server = await serve(context, (_, count) => {
		asked[count]?.resolve();
		return { after: new Promise(() => {}) };
	});
	const call = errorOf(clientAt(server.origin, { clock, ...noDelay(clock) }).getUser());
	await asked[0].promise;
	clock.advance(30_000);
	await asked[1].promise;
	clock.advance(45_000 - clock.monotonic());
	const { code, message } = await call;
	assert.deepEqual([code, message], ["timeout", "The reply was not complete within 45 s."]);
	assert.equal(server.requests.length, 2);
});

test("an abort ends a request, a wait for another try and a wait for a limit at once", async (context) => {
	const clock = new FakeClock();
	for (const reply of [{ delayMs: 60_000 }, { status: 500 }, { status: 429, headers: { "retry-after": "30" } }]) {
		const server = await serve(context, () => reply);
		const cut = new AbortController();
		const begun = Promise.withResolvers<void>();
		server.respond = () => {
			if ("delayMs" in reply) begun.resolve();
			return reply;
		};
		const client = clientAt(server.origin, { clock, observer: { onWait: () => begun.resolve() } });
		const call = errorOf(client.getUser({ signal: cut.signal }));
		await begun.promise;
		cut.abort();
		assert.equal((await call).code, "aborted");
		assert.equal(server.requests.length, 1);
		assert.equal(clock.waiting, 0, "no timer is left behind");
		assert.equal((await errorOf(client.getUser({ signal: cut.signal }))).code, "aborted");
		assert.equal(server.requests.length, 1);
	}
});

test("a limit longer than the longest wait fails at once, for later calls too", async (context) => {
	const clock = new FakeClock();
	const server = await serve(context, () => ({
		status: 429,
		headers: { "retry-after": "900" },
		body: { message: "Slow" },
	}));
	const client = clientAt(server.origin, { clock });
	const refused = await errorOf(client.getUser());
	assert.deepEqual([refused.code, refused.status, refused.retryAfterMs], ["rate-limited", 429, 900_000]);
	clock.advance(100_000);
	assert.equal((await errorOf(client.getUser())).retryAfterMs, 800_000);
	assert.equal(server.requests.length, 1);
	client.tryAgain();
	await errorOf(client.getUser());
	assert.equal(server.requests.length, 2);
});

test("a limit that is named anew with each reply is waited for three times", async (context) => {
	const clock = new FakeClock();
	const server = await serve(context, () => ({ status: 429, headers: { "retry-after": "1" } }));
	const { observer, waits } = noDelay(clock);
	const error = await errorOf(clientAt(server.origin, { clock, observer }).getUser());
	assert.deepEqual([error.code, error.retryAfterMs, waits.length], ["rate-limited", 1_000, 3]);
	assert.equal(server.requests.length, 4);
});

test("calls that were waiting for their turn when the limit was met are not made", async (context) => {
	const clock = new FakeClock();
	const server = await serve(context, () => ({ status: 429, headers: { "retry-after": "900" }, delayMs: 10 }));
	const client = clientAt(server.origin, { clock });
	const calls = Array.from({ length: 20 }, (_, index) => errorOf(client.getRepository("acme", `app${index}`)));
	for (const error of await Promise.all(calls)) {
		assert.deepEqual([error.code, error.retryAfterMs], ["rate-limited", 900_000]);
	}
	assert.equal(server.requests.length, 6);
});

const page = "<html><body>Bad gateway</body></html>";
for (const [who, reply] of [
	["a gateway that fails", { status: 502, body: page }],
	["a gateway that fails in JSON", { status: 502, body: { message: "Bad gateway" } }],
	["a proxy that refuses", { status: 403, body: page }],
	["a proxy that knows no such page", { status: 404, body: page }],
	["a network that leads to a sign-in", { status: 302, headers: { location: "http://sign-in.example/" } }],
	["a network that shows a sign-in", { status: 200, body: page }],
] as const) {
	test(`the headers of ${who} do not change the limit`, async (context) => {
		const clock = new FakeClock();
		const limited: CannedReply = { status: 403, body: { message: "API rate limit exceeded" } };
		const left = (remaining: number) => ({ "x-ratelimit-remaining": `${remaining}` });
		const headers = { ...left(7), ...("headers" in reply ? reply.headers : {}) };
		const replies = [{ ...repository, headers: left(4_000) }, limited, { ...reply, headers }, limited];
		const server = await serve(context, (_, count) => replies[count]);
		const client = clientAt(server.origin, { clock, maxAttempts: 1, maxRetryWaitMs: 0 });
		await client.getRepository("acme", "app");
		assert.equal((await errorOf(client.getRepository("acme", "app"))).retryAfterMs, 60_000);
		clock.advance(60_000);
		assert.notEqual((await errorOf(client.getRepository("acme", "app"))).code, "rate-limited");
		assert.equal(client.rate.gauge?.remaining, 4_000);
		assert.equal((await errorOf(client.getRepository("acme", "app"))).retryAfterMs, 120_000, "no guess has ended");
	});
}

test("a rate limit in a refusal for another reason is recorded", async (context) => {
	const statuses = [403, 404, 422];
	const server = await serve(context, (_, count) => ({
		status: statuses[count] ?? 200,
		headers: { "x-ratelimit-remaining": `${40 - count}` },
		body: { message: "No" },
	}));
	const client = clientAt(server.origin);
	for (const [count, status] of statuses.entries()) {
		assert.equal((await errorOf(client.getRepository("acme", "app"))).status, status);
		assert.equal(client.rate.gauge?.remaining, 40 - count);
	}
});

test("two tokens of one user stand before the same gate, another user's does not", async (context) => {
	const clock = new FakeClock();
	const server = await serve(context, ({ path, headers }) => {
		if (path !== "/user") return { status: 429, headers: { "retry-after": "900" } };
		return { body: { login: headers.authorization === "Bearer lin" ? "lin" : "ada" } };
	});
	const rateLimits = new RateLimits(clock);
	const [one, two, other] = ["ada1", "ada2", "lin"].map((token) => {
		const login = token.replace(/\d/, "");
		return clientAt(server.origin, {
			clock,
			rateLimits,
			credential: patSource(token, { origin: server.origin, login }),
		});
	});
	if (one === undefined || two === undefined || other === undefined) throw new Error("three clients");
	for (const client of [one, two, other]) await client.getUser();
	await errorOf(one.getRepository("a", "b"));
	assert.equal((await errorOf(two.getUser())).code, "rate-limited");
	assert.equal((await other.getUser()).value.login, "lin");
});

test("a read that has not changed costs a 304 and gives the very same object", async (context) => {
	const server = await serve(context, ({ headers }) =>
		headers["if-none-match"] === '"v1"' ? { status: 304 } : { ...repository, headers: { etag: '"v1"' } },
	);
	const client = clientAt(server.origin);
	const first = await client.getRepository("acme", "app");
	const again = await client.getRepository("acme", "app");
	assert.equal(again.value, first.value);
	await client.getRepository("acme", "other");
	assert.equal(server.requests[2]?.headers["if-none-match"], undefined, "an ETag belongs to its address");
});

test("a 304 to an unconditional request is no answer", async (context) => {
	const server = await serve(context, () => ({ status: 304 }));
	const { code, message } = await errorOf(clientAt(server.origin).getUser());
	assert.equal(code, "malformed");
	assert.match(message, /ordinary request with “not modified”/);
	assert.equal(server.requests.length, 1);
});

test("a redirect within the origin is followed with the token, and its reply cached", async (context) => {
	const server = await serve(context, ({ path, headers }) => {
		if (path === "/repos/old/name") return { status: 301, headers: { location: "/repositories/7" } };
		return headers["if-none-match"] === '"v1"' ? { status: 304 } : { ...repository, headers: { etag: '"v1"' } };
	});
	const client = clientAt(server.origin);
	const { value } = await client.getRepository("old", "name");
	assert.equal(value.fullName, "acme/app");
	assert.equal((await client.getRepository("old", "name")).value, value);
	assert.equal(server.requests[1]?.headers.authorization, `Bearer ${pat}`);
	assert.equal(server.requests.length, 4);
});

test("a followed redirect is no failure and no attempt for an observer", async (context) => {
	const clock = new FakeClock();
	const elsewhere = { status: 302, headers: { location: "http://elsewhere.example/" } };
	const server = await serve(context, ({ path }, count) => {
		if (path === "/user") return elsewhere;
		if (path === "/repos/old/name") return { status: 301, headers: { location: "/repositories/7" } };
		return count === 1 ? { status: 503 } : repository;
	});
	const notices: RequestNotice[] = [];
	const { observer } = noDelay(clock);
	const client = clientAt(server.origin, { clock, observer: { ...observer, onRequest: (one) => notices.push(one) } });
	await client.getRepository("old", "name");
	const error = await errorOf(client.getUser());
	assert.deepEqual(
		notices.map((notice) => [notice.status, notice.attempt, notice.error?.code]),
		[
			[301, 1, undefined],
			[503, 1, "overloaded"],
			[200, 2, undefined],
			[302, 1, "not-found"],
		],
	);
	assert.deepEqual([notices.at(-1)?.error, error.reason], [error, "other-origin"]);
	assert.match(error.message, /another address, http:\/\/elsewhere\.example, which is sent no credential/);
});

test("redirects end after five, and one of an exchange is not followed", async (context) => {
	const server = await serve(context, ({ path }) => ({ status: 302, headers: { location: `${path}x` } }));
	const error = await errorOf(clientAt(server.origin).getUser());
	assert.equal(error.code, "not-found");
	assert.equal(server.requests.length, 6);
	const before = server.requests.length;
	await errorOf(appClientsAt(server.origin).app.createInstallationToken(7));
	assert.equal(server.requests.length, before + 1);
});

test("a server at another origin sees nothing, whatever redirects or links lead there", async (context) => {
	const evil = await serve(context, () => ({ body: [] }));
	const { host } = new URL(evil.origin);
	for (const [status, location] of [
		[301, evil.origin],
		[302, `//${host}/x`],
		[303, `http://user:pw@${host}/`],
		[307, evil.origin],
		[308, evil.origin],
	] as const) {
		const redirect = { status, headers: { location } };
		const server = await serve(context, ({ path }) => (path.endsWith("tokens") ? { body: { token: "t" } } : redirect));
		const { app, client } = appClientsAt(server.origin);
		for (const call of [
			clientAt(server.origin).listIssues("a", "b"),
			app.listInstallations(),
			client.getRepository("a", "b"),
		]) {
			const error = await errorOf(call);
			assert.deepEqual([error.code, error.reason], ["not-found", "other-origin"]);
		}
	}
	const link = `<${evil.origin}/issues?page=2>; rel="next", <${evil.origin}/issues?page=9>; rel="last"`;
	const server = await serve(context, () => ({ headers: { link }, body: [{ number: 1, title: "a", id: 5 }] }));
	const baseUrl = `${server.origin}/api`;
	const listing = await clientAt(baseUrl).listIssues("acme", "app");
	assert.deepEqual([listing.issues.length, listing.complete, listing.halted], [1, false, "other-origin"]);
	const { value, complete } = await appClientsAt(baseUrl).app.listInstallations();
	assert.deepEqual([value.length, complete], [1, false]);
	const credential = patSource(pat, { origin: server.origin });
	assert.throws(
		() => clientAt(evil.origin, { credential }),
		(thrown) => thrown instanceof ClientError && thrown.field === "base_url" && thrown.reason === "other-origin",
	);
	assert.deepEqual(evil.requests, []);
});

test("installations are read to the last page, each once, though the list moves", async (context) => {
	const server = await serve(context, ({ path }) =>
		path.includes("page=2")
			? { body: { installations: [{ id: 2 }, { id: 3 }] } }
			: { headers: { link: '<?page=2>; rel="next"' }, body: [{ id: 1 }, { id: 2 }] },
	);
	const { value, complete } = await appClientsAt(server.origin).app.listInstallations();
	assert.deepEqual([value.map(({ id }) => id), complete], [[1, 2, 3], true]);
});

test("a host that asks for a thousand days is asked again by the gate's own limit", async (context) => {
	const headers = { "retry-after": `${1_000 * 86_400}` };
	for (const [reply, waitMs] of [
		[{ status: 429, headers }, 86_400_000],
		[{ status: 403, headers, body: { message: "No" } }, 86_400_000],
		[{ status: 403, body: { message: "You have triggered an abuse detection mechanism" } }, 60_000],
	] as const) {
		const server = await serve(context, () => reply);
		const error = await errorOf(clientAt(server.origin, { maxRetryWaitMs: 0 }).getUser());
		const leftMs = error.retryAfterMs ?? 0;
		// The wait is counted from the answer on.
		assert.ok(error.code === "rate-limited" && leftMs <= waitMs && leftMs > waitMs - 30_000, `${leftMs}`);
	}
});

test("a refusal by an organization has its page at the host itself, and no other", async (context) => {
	const refusedWith = async (url: string) => {
		const headers = { "x-github-sso": `required; url=${url}` };
		const server = await serve(context, () => ({ status: 403, headers, body: { message: "SAML" } }));
		return (await errorOf(clientAt(server.origin).getRepository("acme", "app"))).page;
	};
	assert.equal(await refusedWith("https://127.0.0.1/orgs/acme/sso"), "https://127.0.0.1/orgs/acme/sso");
	assert.equal(await refusedWith("https://other.test/orgs/acme/sso"), undefined);
});

test("an observer that throws does not touch the call", async (context) => {
	const server = await serve(context, () => repository);
	const seen: unknown[] = [];
	const listeners = process.listeners("uncaughtException");
	process.removeAllListeners("uncaughtException");
	process.once("uncaughtException", (error) => seen.push(error));
	const onRequest = () => {
		throw new Error("mine");
	};
	const answer = await clientAt(server.origin, { observer: { onRequest } }).getRepository("acme", "app");
	await nextTurn();
	for (const listener of listeners) process.on("uncaughtException", listener);
	assert.equal(answer.value.fullName, "acme/app");
	assert.match(String(seen[0]), /mine/);
});

test("an observer of a request gets no secret", async (context) => {
	const notices: RequestNotice[] = [];
	const server = await serve(context, () => repository);
	await clientAt(server.origin, { observer: { onRequest: (notice) => notices.push(notice) } }).getRepository("a", "b");
	assert.equal(notices[0]?.url, `${server.origin}/repos/a/b`);
	assert.ok(!JSON.stringify(notices).includes(pat));
});

test("a limit is read by the header names of the profile in use now", async (context) => {
	const server = await serve(context, (_, count) => ({
		headers: { "x-ratelimit-remaining": "4000", "x-calls-left": String(90 - count) },
		body: { login: "ada" },
	}));
	const rateLimits = new RateLimits(systemClock);
	const before = clientAt(server.origin, { rateLimits });
	await before.getUser();
	assert.equal(before.rate.gauge?.remaining, 4_000);
	const profile = { ...contractProfile, rateLimitHeaders: { remaining: "X-Calls-Left" } };
	const after = clientAt(server.origin, { rateLimits, profile });
	await after.getUser();
	assert.equal(after.rate.gauge?.remaining, 89);
});
