import { strict as assert } from "node:assert";
import { type TestContext, test } from "node:test";
import { jwtVerify } from "jose";
import { appSource, signAppJwt } from "#api/codehost/app-jwt.ts";
import { appClientsAt, appKey, appPublicKey, errorOf } from "../../../support/codehost-client.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { type RecordedRequest, serve } from "../../../support/recording-server.ts";

const minute = 60_000;

/** What a token says, after its signature was verified with the app's public key. */
async function claimsOf(jwt: string, at: number) {
	const { payload, protectedHeader } = await jwtVerify(jwt, appPublicKey, { currentDate: new Date(at) });
	return { alg: protectedHeader.alg, ...payload };
}

function bearerOf({ headers }: RecordedRequest): string {
	return (headers.authorization ?? "").replace(/^Bearer /, "");
}

/** Seconds between the present of a clock and the time a request's token was issued for. */
function issuedFor(request: RecordedRequest): number {
	const claims = JSON.parse(Buffer.from(bearerOf(request).split(".")[1] ?? "", "base64url").toString());
	return claims.iat + 60;
}

/** A service that takes what is signed for its own time alone, which is ahead of a clock by `ahead.ms`. */
function punctual(context: TestContext, clock: FakeClock, ahead: { ms: number }) {
	return serve(context, (request) => {
		const now = clock.now() + ahead.ms;
		const headers = { date: new Date(now).toUTCString() };
		if (Math.abs(issuedFor(request) - now / 1_000) <= 5) return { headers, body: [] };
		return { status: 401, headers, body: { message: "Bad credentials" }, delayMs: 10 };
	});
}

test("an app token is signed with RS256, dated back a minute and valid for nine", async () => {
	const now = Date.parse("2026-11-21T12:00:00.900Z");
	const seconds = Math.floor(now / 1_000);
	assert.deepEqual(await claimsOf(await signAppJwt(appKey.key, { appId: "4711", now }), now), {
		alg: "RS256",
		iat: seconds - 60,
		exp: seconds + 540,
		iss: "4711",
	});
});

test("an App ID is taken as a number or as text", async () => {
	const clock = new FakeClock();
	const identity = { origin: "https://host.test", key: appKey };
	for (const appId of [4711, "4711"]) {
		const jwt = await appSource({ ...identity, appId }, { clock }).token();
		assert.equal((await claimsOf(jwt, clock.now())).iss, "4711");
	}
});

test("a token is reused and redacted for minutes and replaced before it expires", async () => {
	const clock = new FakeClock();
	const kept = new Set<string>();
	const protect = (secret: string) => {
		kept.add(secret);
		return { dispose: () => kept.delete(secret) };
	};
	const source = appSource({ origin: "https://host.test", appId: 1, key: appKey }, { clock, protect });
	const [first, same] = await Promise.all([source.token(), source.token()]);
	assert.equal(first, same);
	clock.advance(3 * minute);
	assert.equal(await source.token(), first);
	clock.advance(2 * minute);
	const second = await source.token();
	assert.notEqual(second, first);
	assert.deepEqual([...kept], [second]);
	source.dispose();
	assert.equal(kept.size, 0);
});

test("a token from before the machine slept is not used again", async () => {
	const clock = new FakeClock();
	const source = appSource({ origin: "https://host.test", appId: 1, key: appKey }, { clock });
	const first = await source.token();
	clock.sleep(120 * minute);
	const second = await source.token();
	assert.notEqual(second, first);
	assert.ok(((await claimsOf(second, clock.now())).exp ?? 0) > clock.now() / 1_000);
});

for (const tellsTime of [true, false]) {
	const service = tellsTime ? "tells the time" : "tells no time";
	test(`a token that expires in flight is signed anew once where the service ${service}`, async (context) => {
		const clock = new FakeClock();
		const server = await serve(context, (_, count) => {
			if (count === 0) clock.sleep(120 * minute);
			const headers = tellsTime ? { date: new Date(clock.now()).toUTCString() } : {};
			return count < 2 ? { status: 401, headers } : { headers, body: [] };
		});
		const { app, skews } = appClientsAt(server.origin, { clock });
		assert.equal((await errorOf(app.listInstallations())).code, "unauthorized", "the second refusal is final");
		assert.deepEqual(
			server.requests.map((request) => Math.round(issuedFor(request) - clock.now() / 1_000)),
			[-7_200, 0],
		);
		await app.listInstallations();
		assert.deepEqual([server.requests.length, skews], [3, []]);
	});
}

for (const [where, minutes] of [
	["ahead", 10],
	["behind", -10],
] as const) {
	test(`a service clock ten minutes ${where} costs one more request and one warning`, async (context) => {
		const clock = new FakeClock();
		const server = await punctual(context, clock, { ms: minutes * minute });
		const { app, appCredential, skews } = appClientsAt(server.origin, { clock });
		await app.listInstallations();
		assert.equal(server.requests.length, 2);
		clock.advance(9 * minute);
		await app.listInstallations();
		assert.equal(server.requests.length, 3, "the difference is remembered");
		assert.equal(skews.length, 1);
		assert.ok(Math.abs((skews[0] ?? 0) - minutes * minute) <= 1_000);
		assert.equal(appCredential.skewMs, skews[0]);
	});
}

test("calls that are refused together for the clock's sake heal with one warning", async (context) => {
	const clock = new FakeClock();
	const server = await punctual(context, clock, { ms: 10 * minute });
	const { app, skews } = appClientsAt(server.origin, { clock });
	await Promise.all([app.listInstallations(), app.listInstallations(), app.listInstallations()]);
	assert.equal(skews.length, 1);
	assert.equal(server.requests.length, 6);
});

test("a clock that is put right again heals in the same way", async (context) => {
	const clock = new FakeClock();
	const ahead = { ms: 10 * minute };
	const server = await punctual(context, clock, ahead);
	const { app, appCredential, skews } = appClientsAt(server.origin, { clock });
	await app.listInstallations();
	// What a header of whole seconds and the way it took leave is no difference of clocks.
	ahead.ms = 2_400;
	clock.advance(5 * minute);
	await app.listInstallations();
	assert.equal(server.requests.length, 4);
	assert.equal(skews.length, 2);
	assert.equal(appCredential.skewMs, 0);
});

test("a refusal whose clock agrees, or sends no time, is final and about the app", async (context) => {
	const clock = new FakeClock();
	for (const headers of [{ date: new Date(clock.now() - 20_000).toUTCString() }, {}]) {
		const server = await serve(context, () => ({ status: 401, headers, body: { message: "Bad credentials" } }));
		const { app, skews } = appClientsAt(server.origin, { clock });
		const error = await errorOf(app.listInstallations());
		assert.deepEqual([error.code, error.reason], ["unauthorized", "app-refused"]);
		const doubt = "date" in headers ? "" : " (or this machine's clock is wrong: the service does not tell its time)";
		assert.equal(error.message, `Bad credentials${doubt}`);
		assert.equal(server.requests.length, 1);
		assert.deepEqual(skews, []);
	}
});

for (const [message, reason, words] of [
	["Bad credentials", "app-refused", "about 10 min behind the service's)"],
	["'Expiration time' claim ('exp') is too far in the future", "clock-skew", "about 10 min behind the service's)"],
] as const) {
	test(`a second refusal is about the app unless its message names a time: ${reason}`, async (context) => {
		const clock = new FakeClock();
		const headers = { date: new Date(clock.now() + 10 * minute).toUTCString() };
		const server = await serve(context, () => ({ status: 401, headers, body: { message } }));
		const { app, appCredential, skews } = appClientsAt(server.origin, { clock });
		const error = await errorOf(app.listInstallations());
		assert.deepEqual([error.code, error.reason], ["unauthorized", reason]);
		assert.ok(error.message.endsWith(words), error.message);
		assert.equal(server.requests.length, 2);
		assert.deepEqual([appCredential.skewMs, skews.length], [0, 1], "a gateway's time, perhaps, which is forgotten");
	});
}

test("the clock of a proxy that answers in the service's place is ignored", async (context) => {
	const clock = new FakeClock();
	const headers = { date: new Date(clock.now() + 60 * minute).toUTCString(), "content-type": "text/html" };
	const server = await serve(context, () => ({ status: 401, headers, body: "<html>Sign in to the network</html>" }));
	const { app, skews } = appClientsAt(server.origin, { clock });
	assert.equal((await errorOf(app.listInstallations())).reason, undefined);
	assert.deepEqual([server.requests.length, skews], [1, []]);
});

test("a refusal is retried by the service's time if clocks differ by more than 30 s", async (context) => {
	const clock = new FakeClock();
	let ahead = 0;
	const server = await serve(context, () => ({
		status: 401,
		headers: { date: new Date(clock.now() + ahead).toUTCString() },
	}));
	for (const [ms, requests] of [
		[29_000, 1],
		[-29_000, 1],
		[32_000, 2],
		[-32_000, 2],
	] as const) {
		ahead = ms;
		const before = server.requests.length;
		await errorOf(appClientsAt(server.origin, { clock }).app.listInstallations());
		assert.equal(server.requests.length - before, requests, `${ms} ms`);
	}
});
