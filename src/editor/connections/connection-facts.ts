import type { ChatModel } from "#app/chat/model-lists.ts";
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
import { editorChatState } from "../words/editor-chat-words.ts";

/** Facts that this window knows of a connection without asking its service. */
export interface KnownFacts {
	/** Reason why there is no usable secret. */
	readonly closed: ClosedState | undefined;
	/** True if a usable secret is stored. */
	readonly isHeld: boolean;
	/** True for the built-in sandbox. */
	readonly isEphemeral: boolean;
	/** Status of a code host. */
	readonly status: CodehostStatus | undefined;
	/** Credential of a pet store that was opened. */
	readonly held: HeldCredential | undefined;
	/** Reads the known models of a messages service, without a request. */
	readonly models: (connection: MessagesConnection) => readonly ChatModel[];
	/** Reads a switch of the editor; undefined where the editor has no such switch. */
	readonly editorSwitch: (key: string) => boolean | undefined;
	readonly last: LastTest | undefined;
	/** Reason why the last test failed; empty where it did not. */
	readonly refusal: string;
	/** True if the last test failed and no request has succeeded since. */
	readonly isFailed: boolean;
	/** Usage of the replies of a messages service in words, that of the day first. */
	readonly usage: readonly string[];
	/** Epoch milliseconds. */
	readonly now: number;
}

/** Look of the row of a connection; `own` is the icon of those to its service. */
export function connectionLook(connection: Connection, known: KnownFacts, own: string): RowLook {
	const { label, service } = connection;
	const { name, needsSecret } = SERVICES[service];
	const { closed, isHeld, isEphemeral, status, held, last, refusal, isFailed, now } = known;
	const { kind } = identityOf(connection);
	const isSignInOver = (held?.token?.expiresAt ?? Number.POSITIVE_INFINITY) <= now;
	const trouble =
		troubleOf({ access: closed ?? "open", error: status?.error ?? null }) ??
		// A rate-limited test says nothing about the connection.
		(isFailed ? (last?.error?.code === "rate-limited" ? "not tested" : "test failed") : undefined) ??
		(isSignInOver ? "sign-in ended" : status && endingWords(status, now));
	const host = hostOf(connection);
	const who = plainLine(status?.whoAmI, label.includes(host) ? "" : host);
	const whose = kind && `${kind === "app" ? "app on" : "token of"} ${who || host}`;
	// No warning after a sign-out: a store may need no credential.
	const isWell = trouble === undefined || (closed === "signed-out" && !needsSecret);
	const kept = isEphemeral ? "passing" : closed === "signed-out" ? "stored.out" : isHeld ? "stored" : "stored.bare";
	return {
		label,
		description: trouble ?? who,
		...(isWell ? { icon: kind === "app" ? "organization" : own } : WARNING),
		spoken: joinParts([label, `${name} at ${host}`, isFailed ? `${trouble}: ${refusal}` : (trouble ?? whose)], ", "),
		context: joinParts(["connection", service, kind, kept], "."),
	};
}

/** Row of a fact, short enough for a narrow view, and what its hover adds. */
export interface Fact {
	readonly look: RowLook;
	readonly more?: string | undefined;
}

/** Place of a secret, in a row; what the editor does not tell stands in the hover. */
const IN_STORAGE = "in the secret storage";
const STORAGE_NOTE =
	"The editor keeps it in the system's keychain or the browser, else only in memory. It does not tell which.";

/** A fact; none where nothing is known. */
function fact(label: string, icon: string, words: string | undefined, more?: string, command?: RowLook["command"]) {
	return words === undefined ? [] : [{ look: noteLook(label, words, icon, command), more }];
}

/** Facts that are known, those of the service first. */
export function connectionFacts(own: readonly Fact[], { last, refusal, now }: KnownFacts): readonly Fact[] {
	if (last === undefined) return own;
	const { result, refusedWith, at } = last;
	const [words, icon] = result.ok ? ["passed", "pass"] : ["failed", "error"];
	const more = refusedWith === undefined ? refusal : "Pets are refused without a credential.";
	const command = { id: "switchboard.testConnection", title: "Test Connection" };
	return [...own, ...fact("Last Test", icon, `${words} ${msInWords(now - at)} ago`, more, command)];
}

/** Words for a connection that is signed out. */
export const SIGNED_OUT = "signed out";

const OPEN_SETTINGS = { id: "workbench.action.openSettings", title: "Open Settings" };

const SHOW_USAGE = { id: "switchboard.usage.show", title: "Show Usage" };

const REPLACE = { id: "switchboard.replaceKey", title: "Replace Key or Token" };

const SIGN_IN = { id: "switchboard.signIn", title: "Sign In" };

const CHOOSE_MODEL = { id: "switchboard.chat.selectModel", title: "Select Model" };

/** State of a secret that cannot be used, what to do about it, and the command that does. */
const CLOSED = {
	"signed-out": [SIGNED_OUT, "Select to sign in again.", SIGN_IN],
	lost: ["lost", "Reload the window if another one stored it. Else select to enter it again.", REPLACE],
	unreadable: ["cannot be read", "It is left as it is. Select to enter it again.", REPLACE],
} as const satisfies Record<ClosedState, unknown>;

/** Place of a secret, or why it cannot be used; nothing if there is none. */
function secretFact(label: string, { closed, isHeld, isEphemeral }: KnownFacts, about: string): readonly Fact[] {
	const kept = isEphemeral ? "in memory of this window" : isHeld ? IN_STORAGE : undefined;
	const replace = isEphemeral ? undefined : REPLACE;
	const [words, note, command = replace] =
		closed === undefined ? [kept, isEphemeral ? "" : STORAGE_NOTE] : CLOSED[closed];
	return fact(label, "key", words, joinParts([about, note], ". "), command);
}

/** Facts about a messages service. */
export function messagesFacts(connection: MessagesConnection, known: KnownFacts): readonly Fact[] {
	const key = secretFact("Key", known, `Sent to ${hostOf(connection)} only`);
	const [used, more] = known.usage;
	const usage = fact("Usage", "graph", used, more, SHOW_USAGE);
	const model = fact("Model", "symbol-misc", connection.model, "", CHOOSE_MODEL);
	return [...key, ...model, ...usage, editorChatFact(connection, known)];
}

/** Row about the editor's own Chat, which opens the settings that it depends on. */
function editorChatFact(connection: MessagesConnection, { models, editorSwitch }: KnownFacts): Fact {
	const { profile } = connection;
	const { words, more, settings, isWarning } = editorChatState(profile, models(connection), editorSwitch);
	const command = settings && { ...OPEN_SETTINGS, argument: `@id:${settings.join(",")}` };
	const look = noteLook("In the editor's Chat", words, "comment", command);
	return { look: { ...look, ...(isWarning && WARNING) }, more };
}

/** Facts about a pet store, whose secret has two parts. */
export function petstoreFacts({ format, ...connection }: PetstoreConnection, known: KnownFacts): readonly Fact[] {
	const { closed, held, now } = known;
	const host = `Sent to ${hostOf(connection)} only`;
	const { expiresAt = null, scopes = null } = held?.token ?? {};
	const end = expiresAt === null ? IN_STORAGE : expiresAt <= now ? "ended" : `ends in ${msInWords(expiresAt - now)}`;
	const isSignedIn = closed === undefined && held?.token;
	return [
		...(closed !== undefined || held?.apiKey ? secretFact("Key", known, host) : []),
		...(isSignedIn
			? fact("Sign-In", "key", end, scopes === null ? host : `${host}. For ${scopes.join(" and ")}`, SIGN_IN)
			: []),
		...fact("Format", "code", format.toUpperCase()),
	];
}

/** Facts about a code host. */
export function codehostFacts(connection: CodehostConnection, known: KnownFacts): readonly Fact[] {
	const { closed, status, now } = known;
	if (status === undefined) return [];
	const { credential } = connection;
	const isApp = credential.kind === "app";
	const token = fact(isApp ? "Token" : "Expiry", "clock", closed === undefined ? tokenWords(status, now) : undefined);
	const isEnding = endingWords(status, now) !== undefined;
	const rate = rateLimitFact(status, now);
	return [
		...secretFact(isApp ? "Key" : "Token", known, `${credentialWords(credential)}, for ${hostOf(connection)} only`),
		...(isApp ? fact("App ID", "shield", credential.appId, `Key ${status.fingerprint ?? "not known yet"}`) : []),
		...token.map(({ look }) => ({ look: { ...look, ...(isEnding && WARNING) } })),
		...fact("Rate Limit", "dashboard", rate?.words, rate?.more),
	];
}

function credentialWords(credential: CodehostCredential): string {
	if (credential.kind === "app") {
		const on = plainLine(credential.account, `installation ${credential.installationId}`);
		return `App ${credential.appId} on ${on}`;
	}
	const kinds = { "fine-grained": "Fine-grained token", classic: "Classic token", unknown: "Token" };
	const owner = credential.login === undefined ? "" : ` of ${plainLine(credential.login)}`;
	return `${kinds[credential.patKind ?? "unknown"]}${owner}`;
}

/** End of a code host's token as far as it is known. `now` is in epoch milliseconds. */
export function tokenWords(status: CodehostStatus, now: number): string | undefined {
	const { kind, token } = status;
	const { expiresAt, renewsAt } = token;
	const isGood = expiresAt !== null && expiresAt > now;
	if (kind === "app") {
		if (!isGood || renewsAt === null) return !isGood && isRefused(status) ? "refused by the service" : undefined;
		if (renewsAt > now) return `renews in ${msInWords(renewsAt - now)}`;
		return `${token.error === null ? "renews next" : "renewal failed"}, ends in ${msInWords(expiresAt - now)}`;
	}
	if (expiresAt === null) return undefined;
	const day = new Date(expiresAt).toISOString().slice(0, 10);
	return isGood ? `${inDays(expiresAt, now)}, ${day}` : `expired on ${day}`;
}

/** Rest of a code host's rate limit as far as it is known. `now` is in epoch milliseconds. */
export function rateLimitFact({ rate }: CodehostStatus, now: number) {
	if (rate === null) return undefined;
	const { gauge, stopped, closedUntil } = rate;
	if (stopped) return { words: "used up, reset unknown", more: "Test Connection asks again." };
	const of = gauge?.limit == null ? "" : ` of ${gauge.limit.toLocaleString("en")}`;
	const left = gauge === null ? undefined : `${gauge.remaining.toLocaleString("en")}${of} left`;
	if (closedUntil !== null) return { words: `opens in ${msInWords(closedUntil - now)}`, more: left };
	const resetAt = gauge?.resetAt ?? null;
	const more = resetAt !== null && resetAt > now ? `Reset in ${msInWords(resetAt - now)}.` : undefined;
	return left === undefined ? undefined : { words: left, more };
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

/** First two of some names, and the number of the others. */
export function namesIn(labels: readonly string[]): string {
	const names = labels.slice(0, 2);
	const more = labels.length - names.length;
	return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(" and ");
}

/** Address of a connection for a row whose label may name the host already. */
export function addressBeside({ label, baseUrl }: Pick<Connection, "label" | "baseUrl">): string {
	return label.includes(hostOf({ baseUrl })) ? new URL(baseUrl).pathname.replace(/^\/$/, "") : baseUrl;
}

/** Host of a connection, such as `api.example.com`. */
export function hostOf({ baseUrl }: Pick<Connection, "baseUrl">): string {
	return URL.parse(baseUrl)?.host ?? baseUrl;
}
