import type { LastTest, TestResult } from "#app/checks/connection-tests.ts";
import { type CodehostStatus, isRefused } from "#app/codehost/status.ts";
import type {
	CodehostConnection,
	CodehostCredential,
	Connection,
	MessagesConnection,
	PetstoreConnection,
} from "#app/connections/connection.ts";
import { identityOf, SERVICES } from "#app/connections/services.ts";
import type { ClosedState } from "#app/connections/vault.ts";
import type { HeldCredential } from "#app/petstore/clients.ts";
import { msInWords } from "#base/duration.ts";
import { noteLook, type RowLook, WARNING } from "../kit/rows.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { endingWords, inDays, troubleOf } from "../words/codehost-words.ts";
import { heldWords } from "../words/petstore-words.ts";

/** Facts that this window knows of a connection without asking its service. */
export interface KnownFacts {
	/** Reason why there is no usable secret. */
	readonly closed: ClosedState | undefined;
	/** True for the built-in sandbox. */
	readonly isEphemeral: boolean;
	/** Status of a code host. */
	readonly status: CodehostStatus | undefined;
	/** Credential of a pet store that was opened. */
	readonly held: HeldCredential | undefined;
	readonly last: LastTest | undefined;
	/** Reason why the last test failed; empty where it did not. */
	readonly refusal: string;
	/** True if the last test failed and no request has succeeded since. */
	readonly isFailed: boolean;
	/** True if the editor runs in a browser. */
	readonly isWeb: boolean;
	/** Epoch milliseconds. */
	readonly now: number;
}

/** Look of the row of a connection; `own` is the icon of those to its service. */
export function connectionLook(connection: Connection, known: KnownFacts, own: string): RowLook {
	const { label, service } = connection;
	const { name, needsSecret } = SERVICES[service];
	const { closed, isEphemeral, status, held, last, refusal, isFailed, now } = known;
	const { kind } = identityOf(connection);
	const isSignInOver = (held?.token?.expiresAt ?? Number.POSITIVE_INFINITY) <= now;
	const trouble =
		troubleOf({ access: closed ?? "open", error: status?.error ?? null }) ??
		// A rate-limited test says nothing about the connection.
		(isFailed ? `${last?.error?.code === "rate-limited" ? "not tested" : "test failed"}: ${refusal}` : undefined) ??
		(isSignInOver ? "sign-in ended" : status && endingWords(status, now));
	const host = hostOf(connection);
	const who = plainLine(status?.whoAmI, host);
	const whose = kind && `${kind === "app" ? "app on" : "token of"} ${who}`;
	// No warning after a sign-out: a store may need no credential.
	const isWell = trouble === undefined || (closed === "signed-out" && !needsSecret);
	const kept = isEphemeral ? "passing" : closed === "signed-out" ? "stored.out" : "stored";
	return {
		label,
		description: trouble ?? who,
		...(isWell ? { icon: kind === "app" ? "organization" : own } : WARNING),
		spoken: joinParts([label, `${name} at ${host}`, trouble ?? whose], ", "),
		context: joinParts(["connection", service, kind, kept], "."),
		opens: "closed",
	};
}

/** Rows of the known facts, those of the service first. */
export function factLooks(own: readonly RowLook[], known: KnownFacts): readonly RowLook[] {
	return [
		...own,
		noteLook("Storage", storageWords(known), "lock"),
		noteLook("Last Test", ...lastTest(known), { id: "switchboard.testConnection", title: "Test Connection" }),
	];
}

/** Command that replaces a missing secret. */
function wayIn(closed: ClosedState | undefined) {
	if (closed === "signed-out") return { id: "switchboard.signIn", title: "Sign In" } as const;
	return closed && ({ id: "switchboard.replaceKey", title: "Replace Key or Token" } as const);
}

function credentialLook(words: string, { closed }: KnownFacts): RowLook {
	return noteLook("Credential", closed === undefined ? words : secretTroubleWords(closed), "key", wayIn(closed));
}

/** Rows about a messages service. */
export function messagesFacts(connection: MessagesConnection, known: KnownFacts): readonly RowLook[] {
	const credential = credentialLook(`API key for ${hostOf(connection)}`, known);
	return [credential, noteLook("Model", connection.model ?? "the first that is listed", "symbol-misc")];
}

/** Rows about a pet store. */
export function petstoreFacts({ format }: PetstoreConnection, known: KnownFacts): readonly RowLook[] {
	const credential = credentialLook(heldWords(known.held, known.now) ?? "looking...", known);
	return [credential, noteLook("Format", format.toUpperCase(), "code")];
}

/** Rows about a code host. */
export function codehostFacts(connection: CodehostConnection, { closed, status, now }: KnownFacts): readonly RowLook[] {
	if (status === undefined) return [];
	const { credential: own } = connection;
	const whose = `${credentialWords(own)}, ${hostOf(connection)}`;
	const isGone = closed === "signed-out" || closed === "lost";
	const fingerprint = status.fingerprint ?? "not known yet";
	return [
		noteLook("Credential", isGone ? `none stored; it was: ${whose}` : whose, "key"),
		{ ...noteLook("Token", tokenWords(status, now), "clock", wayIn(closed)), ...(endingWords(status, now) && WARNING) },
		noteLook("Rate Limit", rateLimitWords(status, now), "dashboard"),
		...(own.kind === "app" ? [noteLook("Key Fingerprint", `${fingerprint} · App ID ${own.appId}`, "shield")] : []),
	];
}

function lastTest({ last, refusal, now }: KnownFacts): readonly [words: string, icon: string] {
	if (last === undefined) return ["not tested in this window", "pulse"];
	const ago = `${msInWords(now - last.at)} ago`;
	if (!last.result.ok) return [`${refusal} (${ago})`, "error"];
	return [`${last.refusedWith === undefined ? "passed" : "answers, without a credential for pets"}, ${ago}`, "pass"];
}

function credentialWords(credential: CodehostCredential): string {
	if (credential.kind === "app") {
		const on = plainLine(credential.account, `installation ${credential.installationId}`);
		return `app ${credential.appId} on ${on}`;
	}
	const kinds = { "fine-grained": "fine-grained token", classic: "classic token", unknown: "token" };
	const owner = credential.login === undefined ? "" : ` of ${plainLine(credential.login)}`;
	return `${kinds[credential.patKind ?? "unknown"]}${owner}`;
}

/** Word for a connection that is signed out. */
export const SIGNED_OUT = "signed out";

/** Reason why there is no usable secret, and what to do. */
function secretTroubleWords(trouble: ClosedState): string {
	if (trouble === "signed-out") return "none: you have signed out; select to sign in again";
	if (trouble === "lost")
		return "lost: no longer in the secret storage (reload the window if another one stored it); select to enter it again";
	return "cannot be read, left as it is; select to enter it again";
}

/** Sentence part about the token of a code host: its end, or that there is none. `now` is in epoch milliseconds. */
export function tokenWords(status: CodehostStatus, now: number): string {
	const { access, kind, token, error } = status;
	if (access !== "open" && access !== "unused") return secretTroubleWords(access);
	if (kind === "app") {
		const isGood = token.expiresAt !== null && token.expiresAt > now;
		if (!isGood && isRefused(status)) return "none: the service gives none; Test Connection asks again";
		if (token.renewsAt === null || token.expiresAt === null) {
			return `fetched with the ${error === null && token.exchanges === 0 ? "first" : "next"} request`;
		}
		if (!isGood) return "expired, renewed with the next request";
		if (token.renewsAt <= now) {
			const how = token.error === null ? "renews with the next request" : "renewal failed";
			return `${how}, ends in ${msInWords(token.expiresAt - now)}`;
		}
		return `renews in ${msInWords(token.renewsAt - now)}`;
	}
	if (token.expiresAt === null) return "no expiry date was given";
	const day = new Date(token.expiresAt).toISOString().slice(0, 10);
	return token.expiresAt <= now ? `expired on ${day}` : `expires ${inDays(token.expiresAt, now)}, on ${day}`;
}

/** Sentence part about what is left of a code host's rate limit. `now` is in epoch milliseconds. */
export function rateLimitWords({ rate }: CodehostStatus, now: number): string {
	if (rate === null) return "nothing asked yet";
	if (rate.stopped) return "used up, the service does not say until when; Test Connection asks again";
	const wait = rate.closedUntil === null ? "" : msInWords(rate.closedUntil - now);
	const left = wait === "" ? "" : `, opens in ${wait}`;
	if (rate.gauge === null) return `not reported${left}`;
	const { remaining, limit, resetAt } = rate.gauge;
	// The service may wait for a limit other than the reported one.
	if (remaining > 0 && wait !== "")
		return `asks to wait ${wait}; ${remaining.toLocaleString("en")} left of another limit`;
	const of = limit === null ? "" : ` of ${limit.toLocaleString("en")}`;
	const reset = left === "" && resetAt !== null && resetAt > now ? `, reset in ${msInWords(resetAt - now)}` : left;
	return `${remaining.toLocaleString("en")}${of} left${reset}`;
}

/** Place of the secret. Without a keychain the editor keeps secrets in memory, and does not tell. */
function storageWords({ isEphemeral, closed, isWeb }: KnownFacts): string {
	if (isEphemeral) return "in memory, until the window closes";
	if (closed === "signed-out" || closed === "lost") return "nothing is stored";
	return `secret storage: ${isWeb ? "this browser" : "keychain"} or only memory, the editor does not tell which`;
}

/** Summary of tests for the status bar, naming the first failed and the first rate-limited connections. */
export function testedWords(results: readonly { readonly label: string; readonly result: TestResult }[]): string {
	const labels = (isLimited: boolean) =>
		results
			.filter(({ result }) => !result.ok && (result.error?.code === "rate-limited") === isLimited)
			.map(({ label }) => label);
	const [failed, limited] = [labels(false), labels(true)];
	if (failed.length + limited.length === 0) return "All connections work.";
	const words: string[] = [];
	if (failed.length > 0) words.push(`${failed.length} of ${results.length} connections failed: ${namesIn(failed)}.`);
	if (limited.length > 0) words.push(`Not tested because of the rate limit: ${namesIn(limited)}.`);
	return words.join(" ");
}

function namesIn(labels: readonly string[]): string {
	const names = labels.slice(0, 2);
	const more = labels.length - names.length;
	return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(" and ");
}

/** Host of a connection, such as `api.example.com`. */
export function hostOf({ baseUrl }: Pick<Connection, "baseUrl">): string {
	return URL.parse(baseUrl)?.host ?? baseUrl;
}
