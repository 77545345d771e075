import type { TestResult } from "#app/checks/connection-tests.ts";
import { type CodehostStatus, isRefused } from "#app/codehost/status.ts";
import type { CodehostConnection, CodehostCredential, Connection } from "#app/connections/connection.ts";
import type { ClosedState } from "#app/connections/vault.ts";
import { msInWords } from "#base/duration.ts";
import { endingWords, inDays, troubleOf } from "../codehost/words.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type RowLook, WARNING } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";

/** One thing that is known of a connection, as a row shows it. */
export interface Fact {
	readonly label: string;
	readonly icon: string;
	readonly description: string;
}

/**
 * Look of the row of a connection to a code host; `failed` is why its last test did, `kept` where its secret is. `now` is
 * in epoch milliseconds.
 */
export function codehostLook(
	connection: CodehostConnection,
	{ status, failed, kept, now }: { status: CodehostStatus; failed: string | undefined; kept: string; now: number },
): RowLook {
	const { label } = connection;
	const { kind } = connection.credential;
	const trouble = troubleOf(status) ?? failed ?? endingWords(status, now);
	const who = plainLine(trouble ?? status.whoAmI ?? hostOf(connection));
	const said = trouble === undefined ? `${kind === "app" ? "app on" : "token of"} ${who}` : trouble;
	return {
		label,
		description: who,
		...(trouble === undefined ? { icon: kind === "app" ? "organization" : "account" } : WARNING),
		spoken: `${label}, code host at ${hostOf(connection)}, ${said}`,
		context: `connection.codehost.${kind}.${kept}`,
		opens: "closed",
	};
}

/** Identity that a code host is used as, or was while there was a credential. */
export function codehostCredential(connection: CodehostConnection, { isGone }: { readonly isGone: boolean }): Fact {
	const whose = `${credentialWords(connection.credential)}, ${hostOf(connection)}`;
	return { label: "Credential", icon: "key", description: isGone ? `none stored; it was: ${whose}` : whose };
}

function credentialWords(credential: CodehostCredential): string {
	if (credential.kind === "app") {
		const on = plainLine(credential.account ?? null, `installation ${credential.installationId}`);
		return `app ${credential.appId} on ${on}`;
	}
	const kinds = { "fine-grained": "fine-grained token", classic: "classic token", unknown: "token" };
	const owner = credential.login === undefined ? "" : ` of ${plainLine(credential.login)}`;
	return `${kinds[credential.patKind ?? "unknown"]}${owner}`;
}

/** Fact about a code host's token, limit or key. `now` is in epoch milliseconds. */
export function codehostFact(
	name: "token" | "rate" | "key",
	{ credential }: CodehostConnection,
	{ status, now }: { readonly status: CodehostStatus; readonly now: number },
): Fact {
	if (name === "key") {
		const appId = credential.kind === "app" ? credential.appId : "";
		const fingerprint = status.fingerprint ?? "not known yet";
		return { label: "Key Fingerprint", icon: "shield", description: `${fingerprint} · App ID ${appId}` };
	}
	if (name === "rate") return { label: "Rate Limit", icon: "dashboard", description: rateWords(status, now) };
	const isWell = endingWords(status, now) === undefined;
	const icon = isWell ? "clock" : "warning";
	return { label: "Token", icon, description: tokenWords(status, now) };
}

/** Word for a connection that is signed out. */
export const SIGNED_OUT = "signed out";

/** Reason why there is no usable secret, and what to do. */
export function secretTroubleWords(trouble: ClosedState): string {
	if (trouble === "signed-out") return "none: you have signed out; select to sign in again";
	if (trouble === "lost") return "lost: not in the secret storage any more; select to enter it again";
	return "cannot be read, left as it is; select to enter it again";
}

function tokenWords(status: CodehostStatus, now: number): string {
	const { access, kind, token, error } = status;
	if (access === "signed-out" || access === "lost" || access === "unreadable") return secretTroubleWords(access);
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

function rateWords({ rate }: CodehostStatus, now: number): string {
	if (rate === null) return "nothing asked yet";
	if (rate.stopped) return "used up, the service does not say until when; Test Connection asks again";
	const wait = rate.closedUntil === null ? "" : msInWords(rate.closedUntil - now);
	const left = wait === "" ? "" : `, opens in ${wait}`;
	if (rate.gauge === null) return `not reported${left}`;
	const { remaining, limit, resetAt } = rate.gauge;
	// Some limits are not those that are reported.
	if (remaining > 0 && wait !== "")
		return `asks to wait ${wait}; ${remaining.toLocaleString("en")} left of another limit`;
	const of = limit === null ? "" : ` of ${limit.toLocaleString("en")}`;
	const reset = left === "" && resetAt !== null && resetAt > now ? `, reset in ${msInWords(resetAt - now)}` : left;
	return `${remaining.toLocaleString("en")}${of} left${reset}`;
}

/**
 * Place where the secret of a connection is kept. An extension cannot see whether the editor's storage is permanent:
 * without a keychain, secrets are kept in memory, without notice. `passing` is true of the built-in sandbox, `web`
 * where the editor runs in a browser; `access` is the state of the secret, as far as that is known.
 */
export function storageWords({
	passing,
	access,
	web,
}: {
	readonly passing: boolean;
	readonly access: CodehostStatus["access"] | undefined;
	readonly web: boolean;
}): string {
	if (passing) return "in memory, until the window closes";
	if (access === "signed-out" || access === "lost") return "nothing is stored";
	return `secret storage: ${web ? "this browser" : "keychain"} or only memory, the editor does not tell which`;
}

/**
 * Summary of a test of some connections for the status bar, with the names of the first that failed and of those that
 * could not be tested because of a rate limit.
 */
export function testedWords(results: readonly { readonly label: string; readonly result: TestResult }[]): string {
	const labels = (isLimited: boolean) =>
		results
			.filter(({ result }) => !result.ok && (result.error?.code === "rate-limited") === isLimited)
			.map(({ label }) => label);
	const [failed, limited] = [labels(false), labels(true)];
	if (failed.length + limited.length === 0) return "All connections are well.";
	const words: string[] = [];
	if (failed.length > 0) words.push(`${failed.length} of ${results.length} connections failed: ${namesIn(failed)}.`);
	if (limited.length > 0) words.push(`Not tested because of the rate limit: ${namesIn(limited)}.`);
	return words.join(" ");
}

function namesIn(labels: readonly string[]): string {
	const names = labels.slice(0, 2).map(withoutIcons);
	const more = labels.length - names.length;
	return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(" and ");
}

/** Host of a connection, such as `api.example.com`. */
export function hostOf({ baseUrl }: Pick<Connection, "baseUrl">): string {
	return URL.parse(baseUrl)?.host ?? baseUrl;
}
