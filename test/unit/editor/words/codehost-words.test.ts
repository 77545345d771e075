import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CodehostStatus } from "#app/codehost/status.ts";
import { ClientError, type ErrorCode, type ErrorFacts } from "#base/errors.ts";
import { describeUrgency, inDays, readingConnection, troubleOf } from "#editor/words/codehost-words.ts";
import { describeFailure } from "#editor/words/failures.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";

const words = (code: ErrorCode, facts: ErrorFacts = {}, message = "Said the service") =>
	describeFailure(new ClientError("codehost", code, message, facts), "GitHub");

test("401, 403, a rate limit, 404 and clock skew each have their own next step", () => {
	const stories = [
		words("unauthorized", { status: 401 }),
		words("forbidden", { status: 403 }),
		words("rate-limited", { status: 403, retryAfterMs: 720_000 }),
		words("not-found", { status: 404 }),
		words("unauthorized", { status: 401, reason: "clock-skew" }),
	];
	assert.equal(new Set(stories.map(({ title }) => title)).size, 5);
	assert.equal(new Set(stories.map(({ advice }) => advice)).size, 5);
	assert.deepEqual(
		stories.map(({ remedy }) => remedy),
		["replace", "retry", "retry", "retry", "retry"],
	);
});

test("another program at the address and a missing resource have their own words", () => {
	const redirected = words(
		"not-found",
		{ status: 302, reason: "other-origin" },
		"The service redirects to another address.",
	);
	assert.equal(redirected.title, "GitHub is not at this address (302): The service redirects to another address.");
	assert.match(redirected.advice, /base URL.*sign-in/);
	assert.equal(redirected.remedy, "edit");
	assert.equal(words("not-found", { status: 405 }).remedy, "edit");
	const astray = words("not-found", { status: 404, field: "base_url" });
	assert.equal(astray.title, "GitHub has no code host's API at this address (404).");
	assert.equal(astray.remedy, "edit");
	const gone = words("not-found", { status: 410 }, "Issues are disabled for this repo");
	assert.equal(gone.title, "GitHub no longer has this (410): Issues are disabled for this repo.");
	const refused = words("invalid", { status: 422 }, "Validation Failed");
	assert.equal(refused.title, "GitHub refused the request (422): Validation Failed.");
	assert.match(refused.advice, /preset \(profile\)/);
	assert.equal(words("invalid", { field: "repository" }, "repository is missing").title, "The repository is missing.");
});

test("a service that fails says when to try again, if it sent a time", () => {
	assert.equal(words("overloaded", { status: 503 }).advice, "Try again in a little while.");
	assert.equal(words("overloaded", { status: 503, retryAfterMs: 300_000 }).advice, "Try again in 5 min.");
});

test("a 401 is about the credential alone, and a 403 about what it may do", () => {
	const [refused, forbidden] = [words("unauthorized", { status: 401 }), words("forbidden", { status: 403 })];
	assert.match(refused.advice, /^The credential is wrong, expired or revoked\./);
	assert.doesNotMatch(refused.advice, /scope|permission/);
	assert.match(forbidden.advice, /permissions and scopes/);
});

test("a credential refused for one repository only is not to be replaced", () => {
	const facts = { status: 401, reason: "repository-refused" } as const;
	const { title, advice, remedy } = words("unauthorized", facts, "Bad credentials");
	assert.equal(title, "GitHub refused the credential for this repository (401): Bad credentials.");
	assert.match(advice, /^This token cannot read this repository.*another connection/);
	assert.equal(remedy, "retry");
});

test("a refusal with a page that lifts it opens that page", () => {
	const page = "https://host.test/orgs/acme/sso?authorization_request=A1b2";
	const { title, advice, fix } = words("forbidden", { status: 403, page }, "Resource protected by SAML");
	assert.equal(title, "GitHub does not allow this (403): Resource protected by SAML.");
	assert.match(advice, /^Authorize the credential/);
	assert.deepEqual([fix?.command, fix?.argument], ["vscode.open", page]);
	assert.equal(words("forbidden", { status: 403 }).fix, undefined);
});

test("an installation that was never let in is not said to work elsewhere", () => {
	const { advice, remedy } = words("unauthorized", { status: 401, reason: "not-installed" });
	assert.match(advice, /^Install the app/);
	assert.doesNotMatch(advice, /elsewhere|Replace/);
	assert.equal(remedy, "retry");
});

test("a refused, lost or unreadable credential has the same words everywhere", () => {
	const stories = [
		words("unauthorized", { status: 401 }),
		words("unauthorized", { field: "token" }),
		words("unauthorized", { field: "token", reason: "lost" }),
		words("unauthorized", { field: "token", reason: "unreadable" }),
	];
	assert.equal(new Set(stories.map(({ title }) => title)).size, 4);
	assert.deepEqual(new Set(stories.map(({ remedy }) => remedy)), new Set(["replace"]));
	assert.match(stories[2]?.advice ?? "", /Reload the window if another one stored it\. Else enter it again/);
	assert.match(stories[3]?.advice ?? "", /left untouched\. Enter the credential again/);
	const at = { connection: "c", label: "GitHub" };
	const error = new ClientError("codehost", "unauthorized", "no");
	const urgent = [{ kind: "refused", error } as const, { kind: "lost" } as const, { kind: "unreadable" } as const];
	assert.deepEqual(
		urgent.map((trouble) => describeUrgency({ ...at, ...trouble }, 0).text),
		["refused", "lost", "unreadable"].map((word) => `GitHub: credential ${word}`),
	);
	assert.deepEqual(
		(["signed-out", "lost", "unreadable"] as const).map((access) => troubleOf({ access, error: null })),
		["signed out", "credential lost", "credential unreadable"],
	);
});

test("a refused app has no scopes to lack, and says to compare its ID and key", () => {
	const { title, advice, remedy } = words("unauthorized", { status: 401, reason: "app-refused" });
	assert.match(title, /^GitHub refused the app \(401\)/);
	assert.match(advice, /App ID and the key do not match/);
	assert.doesNotMatch(advice, /scope|expired|clock/);
	assert.equal(remedy, "replace");
});

test("the days until a token expires are calendar days", () => {
	const now = Date.parse("2026-11-22T09:00:00Z");
	const end = (date: string) => Date.parse(`${date}T23:59:59.999Z`);
	assert.equal(inDays(end("2026-11-22"), now), "today");
	assert.equal(inDays(end("2026-11-23"), now), "tomorrow");
	assert.equal(inDays(end("2026-11-24"), now), "in 2 days");
	assert.equal(inDays(end("2026-11-24"), Date.parse("2026-11-22T23:59:00Z")), "in 2 days");
	const urgency = { kind: "expires", connection: "c", label: "Work", until: end("2026-11-24") } as const;
	assert.equal(describeUrgency(urgency, now).text, "Work: token expires in 2 days");
});

test("every failure says which service, what happened and what to do, as sentences", () => {
	const codes: readonly ErrorCode[] = [
		"network",
		"timeout",
		"stalled",
		"unauthorized",
		"forbidden",
		"not-found",
		"rate-limited",
		"overloaded",
		"server",
		"malformed",
		"interrupted",
	];
	for (const code of codes) {
		const { title, advice } = words(code);
		assert.match(title, /GitHub/, code);
		assert.match(title, /\.$/, code);
		assert.match(advice, /\.$/, code);
	}
});

test("a certificate that is not taken has an advice of its own kind", () => {
	const advice = (code: string) => words("network", { cause: Object.assign(new Error("x"), { code }) }).advice;
	assert.match(advice("CERT_HAS_EXPIRED"), /this machine's clock/);
	assert.match(advice("ERR_TLS_CERT_ALTNAME_INVALID"), /certificate's name in the base URL/);
	assert.match(advice("SELF_SIGNED_CERT_IN_CHAIN"), /trusted certificates.*http\.proxyStrictSSL/);
});

test("the status bar names the connection and counts down", () => {
	const of = { connection: "c", label: "GitHub" };
	assert.match(describeUrgency({ ...of, kind: "limit", until: 720_000 }, 0).text, /GitHub: limit resets in 12 min/);
	assert.match(describeUrgency({ ...of, kind: "expires", until: 6 * 86_400_000 }, 0).text, /expires in 6 days/);
	assert.equal(describeUrgency({ ...of, kind: "expired", until: 0 }, 1).grave, true);
	assert.equal(describeUrgency({ ...of, kind: "low", remaining: 3, until: null }, 0).grave, false);
});

/** What is said of the connection of a repository where its status has changed so. */
async function readThrough(context: TestContext, connection: string, change: Partial<CodehostStatus>) {
	const { registry, statuses } = await codehostWindow(context);
	const of = (id: string) => ({ ...statuses.of(id), ...change });
	return readingConnection({ connection, repository: "exchange/switchboard" }, { registry, statuses: { of } });
}

test("a connection is named with the state of its credential, not another failure", async (context) => {
	const well = { name: "Ada", isGone: false, trouble: undefined, whoAmI: null };
	assert.deepEqual(await readThrough(context, ADA, {}), well);
	assert.deepEqual(await readThrough(context, ADA, { access: "signed-out" }), { ...well, trouble: "signed out" });
	assert.deepEqual(await readThrough(context, ADA, { access: "lost" }), { ...well, trouble: "credential lost" });
	const error = new ClientError("codehost", "unauthorized", "Bad credentials", { status: 401 });
	assert.deepEqual(await readThrough(context, ADA, { error }), { ...well, trouble: "credential refused" });
	for (const error of [
		new ClientError("codehost", "network", "not reached"),
		new ClientError("codehost", "not-found", "Not Found", { status: 404 }),
		new ClientError("codehost", "forbidden", "Resource not accessible by integration", { status: 403 }),
	]) {
		assert.deepEqual(await readThrough(context, ADA, { error }), well);
	}
});

test("a removed connection is named as such, and no request is sent for it", async (context) => {
	const gone = { name: "a connection not known in this window", isGone: true, trouble: undefined, whoAmI: null };
	assert.deepEqual(await readThrough(context, "gone", { access: "signed-out" }), gone);
});
