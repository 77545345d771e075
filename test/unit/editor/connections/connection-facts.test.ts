import assert from "node:assert/strict";
import { test } from "node:test";
import { type CodehostStatus, statusOf } from "#app/codehost/status.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { ClientError, type ErrorCode, type ErrorFacts } from "#base/errors.ts";
import {
	codehostCredential,
	codehostFact,
	codehostLook,
	storageWords,
	testedWords,
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

test("a token that is not to be had says why, and that it can be entered again right there", () => {
	const told = (["signed-out", "lost", "unreadable"] as const).map((state) => {
		const status = statusOf(connection, state, undefined);
		return codehostFact("token", connection, { status, now }).description;
	});
	assert.equal(new Set(told).size, told.length);
	for (const words of told) assert.match(words, /; select to (sign in|enter it) again$/);
});

test("a missing credential is described by its kind", () => {
	const described = [false, true].map((isGone) => codehostCredential(connection, { isGone }).description);
	assert.deepEqual(described, ["token of ada, api.example.com", "none stored; it was: token of ada, api.example.com"]);
});

/** What a row says of a connection, whose status differs in this. */
function fact(name: "token" | "rate" | "key", change: Partial<CodehostStatus>): string {
	const status = { ...statusOf(connection, "open", undefined), ...change };
	return codehostFact(name, connection, { status, now }).description;
}

const minute = 60_000;

test("within the week before a personal token's end, and after it, its connection and its token are drawn as a warning", () => {
	const drawn = (expiresAt: number | null, change: Partial<CodehostStatus> = {}) => {
		const token = { expiresAt, renewsAt: null, exchanges: 0, renewals: 0, error: null };
		const status = { ...statusOf(connection, "open", undefined), token, ...change };
		const { icon, description, spoken } = codehostLook(connection, { status, failed: undefined, kept: "stored", now });
		return [icon, description, spoken.split(", ").at(-1), codehostFact("token", connection, { status, now }).icon];
	};
	const day = 24 * 60 * minute;
	const warned = (words: string) => ["warning", words, words, "warning"];
	const well = ["account", "ada", "token of ada", "clock"];
	assert.deepEqual(drawn(now + day - 1), warned("token expires today"));
	assert.deepEqual(drawn(now + 4 * day - 1), warned("token expires in 3 days"));
	assert.deepEqual(drawn(now), warned("token expired"));
	assert.deepEqual(drawn(now + 8 * day), well);
	assert.deepEqual(drawn(null), well);
	assert.deepEqual(drawn(now, { access: "signed-out" }), ["warning", "signed out", "signed out", "clock"]);
});

test("an installation's token counts down to its renewal, and to its end once that is due", () => {
	const renewsAt = now + 52 * minute;
	const token = { expiresAt: now + 57 * minute, renewsAt, exchanges: 1, renewals: 0, error: null };
	const app = (change: object) => fact("token", { kind: "app", token: { ...token, ...change } });
	assert.equal(app({}), "renews in 52 min");
	assert.equal(app({ renewsAt: now, expiresAt: now + 5 * minute }), "renews with the next request, ends in 5 min");
	const error = new ClientError("codehost", "network", "no");
	assert.equal(app({ renewsAt: now, expiresAt: now + 5 * minute, error }), "renewal failed, ends in 5 min");
	assert.equal(app({ renewsAt: null, expiresAt: null, exchanges: 0 }), "fetched with the first request");
});

test("an installation's token that could not be got is fetched with the next request, unless only a person can mend that", () => {
	const none = { expiresAt: null, renewsAt: null, exchanges: 0, renewals: 0, error: null };
	const app = (code: ErrorCode, facts: ErrorFacts = {}, token: object = none) =>
		fact("token", { kind: "app", token: { ...none, ...token }, error: new ClientError("codehost", code, "no", facts) });
	assert.equal(app("network"), "fetched with the next request");
	assert.equal(fact("token", { kind: "app", token: { ...none, exchanges: 1 } }), "fetched with the next request");
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

test("a limit that is not reported is called so, and one that is shows what is left of it and until when", () => {
	const rate = { gauge: null, low: false, closedUntil: null, stopped: false };
	assert.equal(fact("rate", { rate: null }), "nothing asked yet");
	assert.equal(fact("rate", { rate }), "not reported");
	assert.equal(fact("rate", { rate: { ...rate, closedUntil: now + 12 * minute } }), "not reported, opens in 12 min");
	const used = fact("rate", { rate: { ...rate, stopped: true } });
	assert.equal(used, "used up, the service does not say until when; Test Connection asks again");
	const gauge = { remaining: 4_999, limit: 5_000, resetAt: now + 40 * minute };
	const other = "asks to wait 5 s; 4,999 left of another limit";
	assert.equal(fact("rate", { rate: { ...rate, gauge, closedUntil: now + 5_000 } }), other);
	assert.equal(fact("rate", { rate: { ...rate, gauge } }), "4,999 of 5,000 left, reset in 40 min");
	assert.equal(fact("rate", { rate: { ...rate, gauge: { ...gauge, limit: null, resetAt: null } } }), "4,999 left");
});

test("an app's key is identified by its fingerprint beside the App ID", () => {
	const app = { ...connection, credential: { kind: "app", appId: "123", installationId: 4 } } as const;
	const status = { ...statusOf(app, "open", undefined), fingerprint: "SHA256:abc" };
	assert.equal(codehostFact("key", app, { status, now }).description, "SHA256:abc · App ID 123");
});

test("the storage of a secret claims no more than the editor reports, and nothing without a secret", () => {
	const kept = { passing: false, access: "open", web: false } as const;
	assert.match(storageWords(kept), /keychain or only memory, the editor does not tell which$/);
	assert.match(storageWords({ ...kept, web: true }), /this browser or only memory, the editor does not tell which$/);
	assert.match(storageWords({ ...kept, passing: true }), /until the window closes/);
	for (const access of ["signed-out", "lost"] as const) {
		assert.equal(storageWords({ ...kept, access }), "nothing is stored");
	}
	assert.match(storageWords({ ...kept, access: "unreadable" }), /secret storage/);
	assert.match(storageWords({ ...kept, access: undefined }), /secret storage/);
});

test("connections that a test did not find well are named, the first two of them, and one that only met a limit has not failed", () => {
	const words = (failed: readonly string[], limited: readonly string[], all: number) =>
		testedWords(
			Array.from({ length: all }, (_, at) => {
				const label = [...failed, ...limited][at] ?? "Well";
				const code = limited.includes(label) ? "rate-limited" : "network";
				const error = { code, message: "no" };
				return { label, result: label === "Well" ? { ok: true, ms: 1 } : { ok: false, ms: 1, error } };
			}),
		);
	assert.equal(words([], [], 3), "All connections are well.");
	assert.equal(words(["A"], [], 3), "1 of 3 connections failed: A.");
	assert.equal(words(["A", "$(bug)"], [], 2), "2 of 2 connections failed: A and \\$(bug).");
	assert.equal(words(["A", "B", "C", "D"], [], 4), "4 of 4 connections failed: A, B and 2 more.");
	assert.equal(words([], ["A"], 2), "Not tested because of the rate limit: A.");
	assert.equal(words(["B"], ["A"], 2), "1 of 2 connections failed: B. Not tested because of the rate limit: A.");
});
