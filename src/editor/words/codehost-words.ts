import type { IssueListing } from "#api/codehost/model.ts";
import { isAbsent } from "#api/http/fault.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import {
	type CodehostStatus,
	type CodehostStatuses,
	daysUntil,
	endingOf,
	isRefused,
	type Urgency,
} from "#app/codehost/status.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { msInWords } from "#base/duration.ts";
import type { ClientError, ErrorReason } from "#base/errors.ts";
import {
	commonEntry,
	type FailureWords,
	gatewayWords,
	REASONS,
	type Remedy,
	saidOf,
	sentence,
	type WordsEntry,
	wordsOf,
} from "../kit/error-words.ts";

/**
 * A failure of a code host in words. A refused credential, a missing permission, a used up limit, something that is not
 * there and a clock that is wrong are five different stories; only the first asks for another credential. `retryAfterMs`
 * is the rest of the wait before the next try.
 */
export function describeCodehostError(
	error: ClientError,
	label: string,
	retryAfterMs: number | undefined = error.retryAfterMs,
): FailureWords {
	const name = label === "" ? "The code host" : label;
	const parts = saidOf(error, name, retryAfterMs);
	const own = sentence(
		error.message.replace(/^(?:private_key|repository|token)\b/, (field) => `The ${field.replace("_", " ")}`),
	);
	const words = gatewayWords(wordsOf(entryOf(error), { ...parts, own, api: "a code host's API" }), error, name);
	if (error.page === undefined) return words;
	const fix = { label: "Authorize in Browser", command: "vscode.open", argument: error.page };
	return { ...words, advice: "Authorize the credential for this organization in the browser, then retry.", fix };
}

/** Reasons why a list of issues ends although the service's links do not: words without a full stop. */
export const HALTED_WORDS: Readonly<Record<NonNullable<IssueListing["halted"]>, string>> = {
	unlinked: "The service counts more issues, but links to no other page",
	"other-repository": "There may be more: the service's links lead to another repository",
	cycle: "The list ends here: the service's links lead in a circle",
	"other-origin": "There may be more: the service's links lead to another address",
	unreadable: "There may be more: the service's link to the next page cannot be read",
};

/** Says of a list of installations that it may not be whole. */
export const INCOMPLETE = "There may be more, which cannot be read or are not linked to";

/** Advice for an app that was refused: the service does not say which of the two is wrong. */
export const APP_ADVICE =
	"The App ID and the key do not match, or the key was deleted. Compare both with the app's page.";

type Entry = WordsEntry<Remedy>;

const NOT_INSTALLED: Entry = [
	"{name} does not give the app access here{status}{said}",
	"Install the app on the repository's owner, or give it Issues: read. The credential is fine.",
	"retry",
];

const UNAUTHORIZED: Readonly<Partial<Record<ErrorReason, Entry>>> = {
	...REASONS,
	"clock-skew": [
		"The clocks of {name} and of this machine differ too much{status}{said}",
		"Set this machine's clock and retry. The key is fine.",
		"retry",
	],
	"repository-refused": [
		"{name} refused the credential for this repository{status}{said}",
		"This token cannot read this repository, but it works elsewhere. Give it access, or choose another connection.",
		"retry",
	],
	"not-installed": NOT_INSTALLED,
	"app-refused": ["{name} refused the app{status}{said}", `${APP_ADVICE} The Connections view names both.`, "replace"],
};

const FORBIDDEN: Readonly<Partial<Record<ErrorReason, Entry>>> = {
	suspended: [
		"The app's installation that {name} uses is suspended{status}.",
		"Ask the owner of the account to end the suspension.",
		"retry",
	],
	"not-installed": NOT_INSTALLED,
};

function entryOf(error: ClientError): Entry {
	const { code, reason } = error;
	switch (code) {
		case "unauthorized":
			return unauthorizedEntry(error);
		case "forbidden": {
			const advice = "Check which repositories and permissions the credential was given.";
			return (reason && FORBIDDEN[reason]) ?? ["{name} does not allow this{status}{said}", advice, "retry"];
		}
		case "not-found":
			return reason === "app-refused" ? unauthorizedEntry(error) : notFoundEntry(error);
		case "invalid":
			return invalidEntry(error);
		default:
			return commonEntry(code, error.field);
	}
}

function unauthorizedEntry({ reason, field }: ClientError): Entry {
	const known = reason && UNAUTHORIZED[reason];
	if (known !== undefined) return known;
	return field === "token" || field === "key"
		? ["{name} is signed out.", "Enter its token or key again.", "replace"]
		: [
				"{name} refused the credential{status}{said}",
				"The credential is wrong, expired or revoked, or lacks a scope. Replace it.",
				"replace",
			];
}

function notFoundEntry(error: ClientError): Entry {
	if (error.reason === "moved") return ["{own}", "Retry to follow it to its new name.", "retry"];
	if (error.reason === "not-installed") {
		const advice = "Choose one from the list of the app's installations.";
		return ["{name} did not find this installation of the app{status}.", advice, "edit"];
	}
	if (error.field === "base_url") {
		return ["{name} has no code host's API at this address{status}.", "Check the base URL.", "edit"];
	}
	if (error.status !== undefined && !isAbsent(error)) {
		const advice = "Check the base URL. A network that wants a sign-in, or a proxy, may answer in its place.";
		return ["{name} is not at this address{status}{said}", advice, "edit"];
	}
	if (error.status === 410) {
		return ["{name} no longer has this{status}{said}", "It was removed or switched off there.", "retry"];
	}
	const advice = "Check the owner and the name, and whether the credential may see the repository.";
	return ["Not found on {name}, or hidden from this credential{status}.", advice, "retry"];
}

function invalidEntry({ status, reason }: ClientError): Entry {
	if (status !== undefined) {
		const advice =
			"The connection's preset (profile) may not fit this service. Choose another one, or check the base URL.";
		return ["{name} refused the request{status}{said}", advice, "edit"];
	}
	if (reason === "other-origin") return ["{own}", "The credential was not sent.", "replace"];
	if (reason === "passphrase-wrong") {
		return ["{own}", "Type it again, or choose a copy of the key that is not encrypted.", "none"];
	}
	// An error that was found here has a complete message.
	return ["{own}", "", "none"];
}

/** The most urgent state of all credentials and limits, for the status bar. `now` is in epoch milliseconds. */
export function describeUrgency(urgency: Urgency, now: number): { text: string; detail: string; grave: boolean } {
	const { label } = urgency;
	const say = (icon: string, text: string, detail: string, grave = false) => ({
		text: `$(${icon}) ${label}: ${text}`,
		detail,
		grave,
	});
	const describe = ({ title, advice }: Pick<FailureWords, "title" | "advice">) => `${title} ${advice}`;
	switch (urgency.kind) {
		case "lost":
		case "unreadable":
			return say("key", `credential ${urgency.kind}`, describe(wordsOf(REASONS[urgency.kind], { name: label })), true);
		case "refused": {
			const { error } = urgency;
			return say(refusalIcon(error), refusalWords(error), describe(describeCodehostError(error, label)), true);
		}
		case "renewal-failed": {
			const { until } = urgency;
			const text =
				until === null ? "token renewal failed" : `renewal failed, token expires in ${msInWords(until - now)}`;
			return say("key", text, describe(describeCodehostError(urgency.error, label)), true);
		}
		case "limit": {
			const { until } = urgency;
			const text = until === null ? "limit used up" : `limit resets in ${msInWords(until - now)}`;
			return say("watch", text, "No requests are left for this credential.");
		}
		case "expired":
			return say("key", "token expired", "The expiry date entered with the token has passed. Replace the token.", true);
		case "expires":
			return say(
				"key",
				`token expires ${inDays(urgency.until, now)}`,
				"This is the date entered with the token. Create a new token before then.",
			);
		case "clock": {
			const differ = msInWords(Math.round(Math.abs(urgency.skewMs) / 30_000) * 30_000);
			return say("watch", `clocks differ by ${differ}`, "Set this machine's clock: the service may refuse its tokens.");
		}
		case "low": {
			const detail = "Under a tenth of the limit is left. Automatic refreshes pause until the reset.";
			return say("dashboard", `${urgency.remaining} requests left`, detail);
		}
	}
}

function refusalIcon({ code, reason }: ClientError): string {
	if (reason === "clock-skew") return "watch";
	return code === "unauthorized" || reason === "app-refused" ? "key" : "circle-slash";
}

function refusalWords({ code, reason }: ClientError): string {
	if (reason === "suspended") return "installation suspended";
	if (reason === "clock-skew") return "clocks differ";
	if (code === "unauthorized") return "credential refused";
	return reason === "app-refused" ? "app unknown" : "app not installed";
}

/** Trouble that keeps a connection from working, in a few words; undefined for none. */
export function troubleOf({ access, error }: Pick<CodehostStatus, "access" | "error">): string | undefined {
	if (access === "signed-out") return "signed out";
	if (access === "lost" || access === "unreadable") return `credential ${access}`;
	if (error !== null && isRefused({ error })) return refusalWords(error);
	return error?.code === "network" || error?.code === "proxy" || error?.isGateway ? "not reached" : undefined;
}

/**
 * Few words for a personal token that has expired or is about to; undefined while neither is near. `now` is in epoch
 * ms.
 */
export function endingWords(status: CodehostStatus, now: number): string | undefined {
	const ending = endingOf(status, now);
	if (ending === undefined) return undefined;
	return ending.kind === "expired" ? "token expired" : `token expires ${inDays(ending.until, now)}`;
}

/** Days until a token expires, by the calendar, in words. */
export function inDays(at: number, now: number): string {
	const days = daysUntil(at, now);
	return days <= 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
}

/** The connection that a repository is read through, in words. */
export type ReadingConnection = Readonly<ReturnType<typeof readingConnection>>;

/**
 * Words for the connection that a repository is read through, with the trouble that keeps it from working; a refusal may be
 * of another repository.
 */
export function readingConnection(
	repository: AddedRepository,
	{ registry, statuses }: { readonly registry: ConnectionRegistry; readonly statuses: Pick<CodehostStatuses, "of"> },
) {
	const { connection } = repository;
	const isGone = registry.get(connection, "codehost") === undefined;
	const trouble = isGone ? undefined : troubleOf({ ...statuses.of(connection), error: null });
	return { name: connectionName(registry, repository), isGone, trouble };
}

/** The name of the connection that a repository is read through. */
export function connectionName(registry: ConnectionRegistry, { connection }: AddedRepository): string {
	return registry.get(connection, "codehost")?.label ?? "a connection not known in this window";
}
