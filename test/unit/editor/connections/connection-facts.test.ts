import assert from "node:assert/strict";
import { test } from "node:test";
import { type CodehostStatus, statusOf } from "#app/codehost/status.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { ClientError, type ErrorCode, type ErrorFacts } from "#base/errors.ts";
import {
	codehostFacts,
	connectionLook,
	factLooks,
	type KnownFacts,
	rateLimitWords,
	testedWords,
	tokenWords,
} from "#editor/connections/connection-facts.ts";

const now = Date.UTC(2024, 0, 1);
const connection: CodehostConnection = {
	id: "c",
	service: "codehost",
	label: "Work",
	baseUrl: "https://api.example.com",
	profile: "custom",
	credential: { kind: "pat", login: "ada" },
};

const KNOWN: KnownFacts = {
	closed: undefined,
	isEphemeral: false,
	held: undefined,
	last: undefined,
	isWeb: false,
	now,
	refusal: "",
	isFailed: false,
	status: statusOf(connection, "open", undefined),
};

const looksOf = (of: CodehostConnection, known: KnownFacts) => factLooks(codehostFacts(of, known), known);

/** Description of one row below a connection of which this is known. */
function fact(label: string, known: Partial<KnownFacts>, of = connection): string {
	return looksOf(of, { ...KNOWN, ...known }).find((look) => look.label === label)?.description ?? assert.fail(label);
}

test("an unavailable token says why, and that it can be entered again there", () => {
	const told = (["signed-out", "lost", "unreadable"] as const).map((closed) =>
		fact("Token", { closed, status: statusOf(connection, closed, undefined) }),
	);
	assert.equal(new Set(told).size, told.length);
	for (const words of told) assert.match(words, /; select to (sign in|enter it) again$/);
});

test("a missing credential is described by its kind", () => {
	const described = [undefined, "lost" as const].map((closed) => fact("Credential", { closed }));
	assert.deepEqual(described, ["token of ada, api.example.com", "none stored; it was: token of ada, api.example.com"]);
});

/** Status of the connection, but for these parts of it. */
const status = (change: Partial<CodehostStatus>) => ({ ...statusOf(connection, "open", undefined), ...change });

const minute = 60_000;

test("a personal token is a warning from a week before it expires", () => {
	const drawn = (expiresAt: number | null, closed?: "signed-out") => {
		const token = { expiresAt, renewsAt: null, exchanges: 0, renewals: 0, error: null };
		const known = { ...KNOWN, closed, status: status({ token, ...(closed && { access: closed }) }) };
		const { icon, description, spoken } = connectionLook(connection, known, "account");
		const ofToken = looksOf(connection, known).find(({ label }) => label === "Token");
		return [icon, description, spoken.split(", ").at(-1), ofToken?.icon];
	};
	const day = 24 * 60 * minute;
	const warned = (words: string) => ["warning", words, words, "warning"];
	const well = ["account", "ada", "token of ada", "clock"];
	assert.deepEqual(drawn(now + day - 1), warned("token expires today"));
	assert.deepEqual(drawn(now + 4 * day - 1), warned("token expires in 3 days"));
	assert.deepEqual(drawn(now), warned("token expired"));
	assert.deepEqual(drawn(now + 8 * day), well);
	assert.deepEqual(drawn(null), well);
	assert.deepEqual(drawn(now, "signed-out"), ["warning", "signed out", "signed out", "clock"]);
});

test("an installation's token counts down to its renewal, then to its end", () => {
	const renewsAt = now + 52 * minute;
	const token = { expiresAt: now + 57 * minute, renewsAt, exchanges: 1, renewals: 0, error: null };
	const app = (change: object) => tokenWords(status({ kind: "app", token: { ...token, ...change } }), now);
	assert.equal(app({}), "renews in 52 min");
	assert.equal(app({ renewsAt: now, expiresAt: now + 5 * minute }), "renews with the next request, ends in 5 min");
	const error = new ClientError("codehost", "network", "no");
	assert.equal(app({ renewsAt: now, expiresAt: now + 5 * minute, error }), "renewal failed, ends in 5 min");
	assert.equal(app({ renewsAt: null, expiresAt: null, exchanges: 0 }), "fetched with the first request");
});

test("a missing installation token is fetched with the next request if it can be", () => {
	const none = { expiresAt: null, renewsAt: null, exchanges: 0, renewals: 0, error: null };
	const app = (code: ErrorCode, facts: ErrorFacts = {}, token: object = none) =>
		tokenWords(
			status({ kind: "app", token: { ...none, ...token }, error: new ClientError("codehost", code, "no", facts) }),
			now,
		);
	assert.equal(app("network"), "fetched with the next request");
	assert.equal(
		tokenWords(status({ kind: "app", token: { ...none, exchanges: 1 } }), now),
		"fetched with the next request",
	);
	const ended = { expiresAt: now, renewsAt: now - minute, exchanges: 1 };
	assert.equal(app("network", {}, ended), "expired, renewed with the next request");
	for (const token of [none, ended]) {
		const gone = "none: the service gives none; Test Connection asks again";
		assert.equal(app("not-found", { reason: "not-installed" }, token), gone);
		assert.equal(app("not-found", { reason: "app-refused" }, token), gone);
		assert.equal(app("forbidden", { reason: "suspended" }, token), gone);
		assert.equal(app("unauthorized", {}, token), gone);
	}
	assert.equal(app("not-found"), "fetched with the next request", "a repository that is not there is no matter of it");
	assert.equal(
		app("unauthorized", {}, { ...ended, expiresAt: now + minute }),
		"renews with the next request, ends in 60 s",
	);
});

test("a rate limit shows what is left and its reset, or that it is not reported", () => {
	const rate = { gauge: null, low: false, closedUntil: null, stopped: false };
	const said = (rate: CodehostStatus["rate"]) => rateLimitWords(status({ rate }), now);
	assert.equal(said(null), "nothing asked yet");
	assert.equal(said(rate), "not reported");
	assert.equal(said({ ...rate, closedUntil: now + 12 * minute }), "not reported, opens in 12 min");
	const used = said({ ...rate, stopped: true });
	assert.equal(used, "used up, the service does not say until when; Test Connection asks again");
	const gauge = { remaining: 4_999, limit: 5_000, resetAt: now + 40 * minute };
	const other = "asks to wait 5 s; 4,999 left of another limit";
	assert.equal(said({ ...rate, gauge, closedUntil: now + 5_000 }), other);
	assert.equal(said({ ...rate, gauge }), "4,999 of 5,000 left, reset in 40 min");
	assert.equal(said({ ...rate, gauge: { ...gauge, limit: null, resetAt: null } }), "4,999 left");
});

test("an app's key is identified by its fingerprint beside the App ID", () => {
	const app = { ...connection, credential: { kind: "app", appId: "123", installationId: 4 } } as const;
	const status = { ...statusOf(app, "open", undefined), fingerprint: "SHA256:abc" };
	assert.equal(fact("Key Fingerprint", { status }, app), "SHA256:abc · App ID 123");
});

test("the storage of a secret claims no more than the editor reports", () => {
	const storage = (known: Partial<KnownFacts>) => fact("Storage", known);
	assert.match(storage({}), /keychain or only memory, the editor does not tell which$/);
	assert.match(storage({ isWeb: true }), /this browser or only memory, the editor does not tell which$/);
	assert.match(storage({ isEphemeral: true }), /until the window closes/);
	for (const closed of ["signed-out", "lost"] as const) assert.equal(storage({ closed }), "nothing is stored");
	assert.match(storage({ closed: "unreadable" }), /secret storage/);
});

test("failed connections are named, the first two, apart from rate-limited ones", () => {
	const words = (failed: readonly string[], limited: readonly string[], all: number) =>
		testedWords(
			Array.from({ length: all }, (_, at) => {
				const label = [...failed, ...limited][at] ?? "Well";
				const code = limited.includes(label) ? "rate-limited" : "network";
				const error = { code, message: "no" };
				return { label, result: label === "Well" ? { ok: true, ms: 1 } : { ok: false, ms: 1, error } };
			}),
		);
	assert.equal(words([], [], 3), "All connections work.");
	assert.equal(words(["A"], [], 3), "1 of 3 connections failed: A.");
	assert.equal(words(["A", "B"], [], 2), "2 of 2 connections failed: A and B.");
	assert.equal(words(["A", "B", "C", "D"], [], 4), "4 of 4 connections failed: A, B and 2 more.");
	assert.equal(words([], ["A"], 2), "Not tested because of the rate limit: A.");
	assert.equal(words(["B"], ["A"], 2), "1 of 2 connections failed: B. Not tested because of the rate limit: A.");
});
