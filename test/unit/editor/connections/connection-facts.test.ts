import assert from "node:assert/strict";
import { test } from "node:test";
import { type CodehostStatus, statusOf } from "#app/codehost/status.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import type { MessagesProfile } from "#app/connections/messages-profiles.ts";
import { type Capabilities, CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { ClientError, type ErrorCode, type ErrorFacts } from "#base/errors.ts";
import {
	addressBeside,
	codehostFacts,
	connectionFacts,
	connectionLook,
	type KnownFacts,
	messagesFacts,
	petstoreFacts,
	rateLimitFact,
	testedWords,
	tokenWords,
} from "#editor/connections/connection-facts.ts";

import type { RowLook } from "#editor/kit/rows.ts";

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
	isHeld: true,
	isEphemeral: false,
	held: undefined,
	models: () => [],
	editorSwitch: () => undefined,
	last: undefined,
	now,
	refusal: "",
	isFailed: false,
	usage: [],
	status: statusOf(connection, "open", undefined),
};

const factsAbout = (of: CodehostConnection, known: KnownFacts) => connectionFacts(codehostFacts(of, known), known);

/** Description of one row below a connection of which this is known, and what its hover adds. */
function fact(label: string, known: Partial<KnownFacts>, of = connection) {
	const found = factsAbout(of, { ...KNOWN, ...known }).find(({ look }) => look.label === label);
	return found && [found.look.description, found.more ?? ""];
}

test("an unavailable token says why, and that it can be entered again there", () => {
	const told = (["signed-out", "lost", "unreadable"] as const).map((closed) =>
		fact("Token", { closed, status: statusOf(connection, closed, undefined) }),
	);
	assert.deepEqual(
		told.map((words) => words?.[0]),
		["signed out", "lost", "cannot be read"],
	);
	for (const words of told) assert.match(words?.[1] ?? "", /elect to (sign in|enter it) again\.$/);
});

test("a secret says where it is, and whose it is in the hover alone", () => {
	const [words, more = ""] = fact("Token", {}) ?? [];
	assert.equal(words, "in the secret storage");
	assert.match(more, /^Token of ada, for api\.example\.com only\. .*does not tell which\.$/);
	assert.equal(fact("Token", { isEphemeral: true })?.[0], "in memory of this window");
});

test("a click on a key, sign-in or model replaces it, but not the sandbox's key", () => {
	const at = { id: "c", label: "L", baseUrl: "http://localhost:1", profile: "custom" } as const;
	const token = { scopes: null, expiresAt: null };
	const known = { ...KNOWN, held: { apiKey: true, token } };
	const commandsOf = (facts: readonly { readonly look: RowLook }[]) =>
		Object.fromEntries(facts.map(({ look: { label, command } }) => [label, command?.id.replace("switchboard.", "")]));
	const service = { ...at, service: "messages", model: "m" } as const;
	const { Key: key, Model: model } = commandsOf(messagesFacts(service, known));
	assert.deepEqual([key, model], ["replaceKey", "chat.selectModel"]);
	const { Key: held, "Sign-In": signIn } = commandsOf(
		petstoreFacts({ ...at, service: "petstore", format: "json" }, known),
	);
	assert.deepEqual([held, signIn], ["replaceKey", "signIn"]);
	assert.equal(commandsOf(codehostFacts(connection, known))["Token"], "replaceKey");
	assert.equal(commandsOf(messagesFacts(service, { ...known, isEphemeral: true }))["Key"], undefined);
});

test("what is not known has no row, and a service without a secret has none of it", () => {
	const labels = (facts: readonly { readonly look: { readonly label: string } }[]) =>
		facts.map(({ look }) => look.label);
	assert.deepEqual(labels(factsAbout(connection, KNOWN)), ["Token"]);
	const keyless = { ...KNOWN, status: undefined, isHeld: false };
	const at = { id: "c", label: "L", baseUrl: "http://localhost:1", profile: "custom" } as const;
	assert.deepEqual(labels(messagesFacts({ ...at, service: "messages" }, keyless)), ["In the editor's Chat"]);
	assert.deepEqual(labels(petstoreFacts({ ...at, service: "petstore", format: "json" }, keyless)), ["Format"]);
});

/** Status of the connection, but for these parts of it. */
const status = (change: Partial<CodehostStatus>) => ({ ...statusOf(connection, "open", undefined), ...change });

const minute = 60_000;

test("a personal token is a warning from a week before it expires", () => {
	const drawn = (expiresAt: number | null, closed?: "signed-out") => {
		const token = { expiresAt, renewsAt: null, exchanges: 0, renewals: 0, error: null };
		const known = { ...KNOWN, closed, status: status({ token, ...(closed && { access: closed }) }) };
		const { icon, description, spoken } = connectionLook(connection, known, "account");
		const ofToken = factsAbout(connection, known).find(({ look }) => look.label === "Expiry");
		return [icon, description, spoken.split(", ").at(-1), ofToken?.look.icon];
	};
	const day = 24 * 60 * minute;
	const warned = (words: string) => ["warning", words, words, "warning"];
	const well = ["account", "ada", "token of ada"];
	assert.deepEqual(drawn(now + day - 1), warned("token expires today"));
	assert.deepEqual(drawn(now + 4 * day - 1), warned("token expires in 3 days"));
	assert.deepEqual(drawn(now), warned("token expired"));
	assert.deepEqual(drawn(now + 8 * day), [...well, "clock"]);
	assert.deepEqual(drawn(null), [...well, undefined]);
	assert.deepEqual(drawn(now, "signed-out"), ["warning", "signed out", "signed out", undefined]);
});

test("an installation's token counts down to its renewal, then to its end", () => {
	const renewsAt = now + 52 * minute;
	const token = { expiresAt: now + 57 * minute, renewsAt, exchanges: 1, renewals: 0, error: null };
	const app = (change: object) => tokenWords(status({ kind: "app", token: { ...token, ...change } }), now);
	assert.equal(app({}), "renews in 52 min");
	assert.equal(app({ renewsAt: now, expiresAt: now + 5 * minute }), "renews next, ends in 5 min");
	const error = new ClientError("codehost", "network", "no");
	assert.equal(app({ renewsAt: now, expiresAt: now + 5 * minute, error }), "renewal failed, ends in 5 min");
	assert.equal(app({ renewsAt: null, expiresAt: null, exchanges: 0 }), undefined);
});

test("a missing installation token has no words but after a refusal", () => {
	const none = { expiresAt: null, renewsAt: null, exchanges: 0, renewals: 0, error: null };
	const app = (code: ErrorCode, facts: ErrorFacts = {}, token: object = none) =>
		tokenWords(
			status({ kind: "app", token: { ...none, ...token }, error: new ClientError("codehost", code, "no", facts) }),
			now,
		);
	const ended = { expiresAt: now, renewsAt: now - minute, exchanges: 1 };
	for (const token of [none, ended]) {
		assert.equal(app("network", {}, token), undefined);
		for (const [code, facts] of [
			["not-found", { reason: "not-installed" }],
			["not-found", { reason: "app-refused" }],
			["forbidden", { reason: "suspended" }],
			["unauthorized", {}],
		] as const) {
			assert.equal(app(code, facts, token), "refused by the service");
		}
	}
	assert.equal(app("not-found"), undefined, "a repository that is not there is no matter of it");
	assert.equal(app("unauthorized", {}, { ...ended, expiresAt: now + minute }), "renews next, ends in 60 s");
});

test("a rate limit shows what is left, and its reset in the hover", () => {
	const rate = { gauge: null, low: false, closedUntil: null, stopped: false };
	const said = (rate: CodehostStatus["rate"]) => {
		const known = rateLimitFact(status({ rate }), now);
		return known && [known.words, known.more];
	};
	assert.equal(said(null), undefined);
	assert.equal(said(rate), undefined);
	assert.deepEqual(said({ ...rate, closedUntil: now + 12 * minute }), ["opens in 12 min", undefined]);
	assert.deepEqual(said({ ...rate, stopped: true }), ["used up, reset unknown", "Test Connection asks again."]);
	const gauge = { remaining: 4_999, limit: 5_000, resetAt: now + 40 * minute };
	assert.deepEqual(said({ ...rate, gauge, closedUntil: now + 5_000 }), ["opens in 5 s", "4,999 of 5,000 left"]);
	assert.deepEqual(said({ ...rate, gauge }), ["4,999 of 5,000 left", "Reset in 40 min."]);
	assert.deepEqual(said({ ...rate, gauge: { ...gauge, limit: null, resetAt: null } }), ["4,999 left", undefined]);
});

test("an app's key is identified by its fingerprint beside the App ID", () => {
	const app = { ...connection, credential: { kind: "app", appId: "123", installationId: 4 } } as const;
	const status = { ...statusOf(app, "open", undefined), fingerprint: "SHA256:abc" };
	assert.deepEqual(fact("App ID", { status }, app), ["123", "Key SHA256:abc"]);
});

test("a sign-in to a store shows when it ends, and its scopes in the hover", () => {
	const store = { id: "c", label: "L", baseUrl: "https://s.example", profile: "custom", format: "json" } as const;
	const ofToken = (expiresAt: number | null) => {
		const held = { apiKey: true, token: { scopes: ["read:pets"], expiresAt } };
		const facts = petstoreFacts({ ...store, service: "petstore" }, { ...KNOWN, status: undefined, held });
		return facts.map(({ look, more }) => [look.label, look.description, more]).at(1);
	};
	const more = "Sent to s.example only. For read:pets";
	assert.deepEqual(ofToken(now + 40 * minute), ["Sign-In", "ends in 40 min", more]);
	assert.deepEqual(ofToken(now), ["Sign-In", "ended", more]);
	assert.deepEqual(ofToken(null), ["Sign-In", "in the secret storage", more]);
});

test("a test that failed is named in its row, and its reason in the hover", () => {
	const error = new ClientError("codehost", "network", "no");
	const last = { result: { ok: false, ms: 1 }, error, at: now - 5 * minute, place: "" };
	const refusal = "The service at api.example.com was not reached, whatever it was asked.";
	assert.deepEqual(fact("Last Test", { last, refusal }), ["failed 5 min ago", refusal]);
	const look = connectionLook(connection, { ...KNOWN, last, refusal, isFailed: true }, "account");
	assert.equal(look.description, "test failed");
	assert.match(look.spoken, /test failed: The service at/);
});

test("no fact of a connection is wider than a view of 300 px", () => {
	const app = { ...connection, credential: { kind: "app", appId: "1234567", installationId: 4 } } as const;
	const token = { expiresAt: now + 57 * minute, renewsAt: now, exchanges: 1, renewals: 0, error: null };
	const gauge = { remaining: 4_999, limit: 5_000, resetAt: null };
	const rate = { gauge, low: false, closedUntil: null, stopped: false };
	const last = { result: { ok: false, ms: 1 }, at: now - 59 * minute, place: "" };
	const refusal = "x".repeat(200);
	for (const closed of [undefined, "signed-out", "lost", "unreadable"] as const) {
		const known = { ...KNOWN, closed, last, refusal, status: { ...statusOf(app, "open", undefined), token, rate } };
		for (const { look } of factsAbout(app, known)) {
			const words = `${look.label} ${look.description}`;
			assert.ok(words.length <= 34, words);
		}
	}
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

test("a row names a host once, and a path that its label lacks", () => {
	const beside = (label: string, baseUrl: string) => addressBeside({ label, baseUrl });
	assert.equal(beside("Ollama", "http://127.0.0.1:11434"), "http://127.0.0.1:11434");
	assert.equal(beside("Petstore on localhost:7813", "http://localhost:7813"), "");
	assert.equal(beside("Petstore on localhost:7813", "http://localhost:7813/shop"), "/shop");
});

/** Row about the editor's Chat: its words, the rest in its hover, and the settings that a click opens. */
function inEditorChat(
	switches: Readonly<Record<string, boolean>>,
	models: readonly Partial<Capabilities>[] = [{ tools: true }],
	profile: MessagesProfile = "ollama",
) {
	const served = { id: "m", name: "m", maxInputTokens: null, maxOutputTokens: null };
	const service = { id: "c", service: "messages", label: "L", baseUrl: "http://localhost:1", profile } as const;
	const known = models.map((each) => {
		return { ...served, connection: service, capabilities: { ...CONTRACT_CAPABILITIES, ...each } };
	});
	const facts = messagesFacts(service, { ...KNOWN, models: () => known, editorSwitch: (key) => switches[key] });
	const { look, more = "" } = facts.at(-1) ?? assert.fail("there is no row");
	return { words: look.description, more, icon: look.icon, opens: look.command?.argument };
}

const LISTED = "chat.agentHost.byokModels.enabled";
const SIGNED_OUT = "chat.agentHost.allowSignedOutWhenUsable";
const LOCAL = "chat.editor.localAgent.enabled";

test("the editor's Chat row says where models are listed, and opens what is missing", () => {
	const settings = (listed: boolean, signedOut: boolean) => ({ [LISTED]: listed, [SIGNED_OUT]: signedOut });
	for (const [switches, words, opens] of [
		[settings(false, false), "Local only: agent sessions need two settings", `@id:${LISTED},${SIGNED_OUT}`],
		[settings(false, true), "Local only: agent sessions need a setting", `@id:${LISTED}`],
		[settings(true, false), "Local; agent sessions need a sign-in", `@id:${SIGNED_OUT}`],
		[settings(true, true), "Local and agent sessions", `@id:${LISTED},${SIGNED_OUT}`],
		[{ [LISTED]: false }, "Local only: agent sessions need two settings", `@id:${LISTED},${SIGNED_OUT}`],
		[{}, "Ask and Agent", undefined],
		[{ [LOCAL]: false }, "Local is off", `@id:${LOCAL}`],
		[{ ...settings(true, false), [LOCAL]: false }, "Agent sessions only: Local is off", `@id:${LOCAL},${SIGNED_OUT}`],
		[
			{ ...settings(true, true), "chat.disableAIFeatures": true },
			"Off: AI features are disabled",
			"@id:chat.disableAIFeatures",
		],
	] as const) {
		const row = inEditorChat(switches);
		assert.deepEqual([row.words, row.opens], [words, opens]);
		for (const key of opens?.slice("@id:".length).split(",") ?? []) {
			if (words !== "Local and agent sessions") assert.ok(row.more.includes(key), `${words}: ${row.more}`);
		}
	}
	const none = inEditorChat(settings(false, false), [{}]);
	assert.deepEqual([none.words, none.icon], ["Ask only: no model is known to call tools", "comment"]);
	const listed = inEditorChat(settings(true, false), [{}]);
	assert.equal(listed.words, "Ask and agent sessions: no model is known to call tools");
	assert.equal(
		inEditorChat(settings(true, true), []).words,
		"Local and agent sessions",
		"models that are not known yet",
	);
});

test("a context below 32,768 tokens is too small for Agent, and the cure is named", () => {
	const small = { tools: true, contextTokens: 32_767 };
	const enough = { tools: true, contextTokens: 32_768 };
	const warned = (...models: readonly Partial<Capabilities>[]) => {
		const { words, icon } = inEditorChat({}, models);
		return [words, icon];
	};
	assert.deepEqual(warned(small), ["Ask only: context too small for Agent", "warning"]);
	assert.deepEqual(warned(small, enough), ["Ask and Agent", "warning"]);
	assert.deepEqual(warned(enough), ["Ask and Agent", "comment"]);
	assert.deepEqual(warned({ ...small, contextTokens: null }), ["Ask and Agent", "comment"]);
	assert.deepEqual(warned({ ...small, tools: false }, enough), ["Ask and Agent", "comment"]);
	assert.match(inEditorChat({}, [small]).more, /^m: .*32,767 tokens.*OLLAMA_CONTEXT_LENGTH=64000.*num_ctx/);
	assert.doesNotMatch(inEditorChat({}, [small], "lm-studio").more, /OLLAMA|num_ctx/);
});
