import assert from "node:assert/strict";
import { test } from "node:test";
import { type CodehostStatus, statusOf, urgenciesOf } from "#app/codehost/status.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import { ClientError } from "#base/errors.ts";

const now = Date.UTC(2024, 0, 1);
const day = 24 * 60 * 60 * 1_000;
const connection: CodehostConnection = {
	id: "c",
	service: "codehost",
	label: "Work",
	baseUrl: "https://api.example.com/v1",
	profile: "custom",
	credential: { kind: "pat", login: "ada", expiresAt: "2024-01-05" },
};
const idle = statusOf(connection, "unused", undefined);
const well: CodehostStatus = { ...idle, access: "open", token: { ...idle.token, expiresAt: null } };
const rate = { gauge: null, low: false, closedUntil: null, stopped: false };
const failed = (code: "unauthorized" | "network" | "forbidden", reason?: "suspended") =>
	new ClientError("codehost", code, "no", reason === undefined ? {} : { reason });
const mostUrgent = (...all: Parameters<typeof urgenciesOf>) => urgenciesOf(...all)[0] ?? null;
const urgent = (change: Partial<CodehostStatus>, at = now) => mostUrgent([{ ...well, ...change }], at)?.kind ?? null;

test("the facts of a connection's settings are known before its service is asked", () => {
	assert.deepEqual([idle.host, idle.whoAmI, idle.kind, idle.access], ["api.example.com", "ada", "pat", "unused"]);
	assert.deepEqual([idle.rate, idle.skewMs, idle.wait, idle.error, idle.fingerprint], [null, null, null, null, null]);
	assert.equal(idle.token.expiresAt, Date.UTC(2024, 0, 6) - 1);
});

test("when all is well there is nothing to say", () => {
	assert.equal(mostUrgent([], now), null);
	assert.equal(urgent({}), null);
	assert.equal(urgent({ rate }), null);
	assert.equal(urgent({ error: failed("network") }), null);
	assert.equal(urgent({ error: failed("forbidden") }), null);
});

test("a personal token is warned of from a week before its end", () => {
	const expires = (inMs: number) => urgent({ token: { ...well.token, expiresAt: now + inMs } });
	assert.equal(expires(8 * day), null);
	assert.equal(expires(7 * day), "expires");
	assert.equal(expires(0), "expired");
	// A day that is named alone ends at its end: 2024-01-08 is a week after the first.
	assert.equal(expires(8 * day - 1), "expires");
	assert.equal(expires(-day), "expired");
});

test("an installation's token that expires soon is no trouble, a failed renewal is", () => {
	const token = { ...well.token, expiresAt: now + 60_000 };
	assert.equal(urgent({ kind: "app", token }), null);
	const error = failed("network");
	const [trouble, late] = [now, now + 120_000].map((at) =>
		mostUrgent([{ ...well, kind: "app", token: { ...token, error } }], at),
	);
	assert.deepEqual(trouble, {
		connection: "c",
		label: "Work",
		kind: "renewal-failed",
		until: now + 60_000,
		error,
	});
	assert.equal(late?.until, null);
});

test("a limit counts while it is closed, and as low until its window ends", () => {
	assert.equal(urgent({ rate: { ...rate, closedUntil: now + 1 } }), "limit");
	assert.equal(urgent({ rate: { ...rate, closedUntil: now } }), null);
	assert.equal(urgent({ rate: { ...rate, stopped: true } }), "limit");
	const gauge = { remaining: 10, limit: 5_000, resetAt: now + day };
	assert.equal(urgent({ rate: { ...rate, low: true, gauge } }), "low");
	assert.equal(urgent({ rate: { ...rate, low: true, gauge } }, now + day), null);
});

test("a sign-out is no trouble to report", () => {
	assert.equal(urgent({ access: "signed-out", error: failed("unauthorized") }), null);
});

test("several troubles are reported by how severe they are", () => {
	const statuses: CodehostStatus[] = [
		{ ...well, connection: "low", rate: { ...rate, low: true, gauge: { remaining: 1, limit: null, resetAt: null } } },
		{ ...well, connection: "soon", token: { ...well.token, expiresAt: now + day } },
		{ ...well, connection: "clock", skewMs: 600_000 },
		{ ...well, connection: "closed", rate: { ...rate, closedUntil: now + 60_000 } },
		{ ...well, connection: "over", token: { ...well.token, expiresAt: now - day } },
		{ ...well, connection: "renewal", kind: "app", token: { ...well.token, error: failed("network") } },
		{ ...well, connection: "suspended", error: failed("forbidden", "suspended") },
		{ ...well, connection: "unreadable", access: "unreadable" },
	];
	const order = urgenciesOf(statuses, now).map(({ kind }) => kind);
	assert.deepEqual(order, ["unreadable", "refused", "renewal-failed", "expired", "limit", "clock", "expires", "low"]);
});

test("one connection can have several troubles, and a low limit only until used up", () => {
	const gauge = { remaining: 0, limit: 5_000, resetAt: null };
	const statuses: CodehostStatus[] = [
		{ ...well, connection: "fine" },
		{ ...well, connection: "soon", token: { ...well.token, expiresAt: now + day } },
		{
			...well,
			connection: "closed",
			token: { ...well.token, expiresAt: now },
			rate: { ...rate, low: true, gauge, closedUntil: now + 60_000 },
		},
	];
	assert.deepEqual(
		urgenciesOf(statuses, now).map(({ connection: id, kind }) => [id, kind]),
		[
			["closed", "expired"],
			["closed", "limit"],
			["soon", "expires"],
		],
	);
});
