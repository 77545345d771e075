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
import { inWords } from "#base/duration.ts";
import type { ClientError } from "#base/errors.ts";
import {
	describeCommon,
	type FailureWords,
	gatewayWords,
	letGoWords,
	MISSING_SECRET_WORDS,
	type Said,
	saidOf,
	sentence,
} from "../kit/words.ts";

/** Options of the words for a failure. */
export interface WordsOptions {
	/** Rest of the wait before the next try; by default all that the error tells. Milliseconds. */
	readonly retryAfterMs?: number | undefined;
}

/**
 * A failure of a code host in words. A refused credential, a missing permission, a used up limit, something that is not
 * there and a clock that is wrong are five different stories; only the first asks for another credential.
 */
export function describeCodehostError(error: ClientError, label: string, options: WordsOptions = {}): FailureWords {
	const name = label === "" ? "The code host" : label;
	const parts = saidOf(error, name, options.retryAfterMs ?? error.retryAfterMs);
	return gatewayWords(wordsOfCode(error, parts), error, name);
}

function wordsOfCode(error: ClientError, parts: Said): FailureWords {
	const { name, status } = parts;
	switch (error.code) {
		case "unauthorized":
			return unauthorizedWords(error, parts);
		case "forbidden":
			return { ...forbiddenWords(error, parts), remedy: "retry" };
		case "rate-limited":
			return {
				title: `The limit of ${name} is used up${status}.`,
				advice: `It can be asked again ${parts.again}.`,
				remedy: "retry",
			};
		case "not-found":
			return error.reason === "app-refused" ? unauthorizedWords(error, parts) : notFoundWords(error, parts);
		case "invalid":
			if (error.status !== undefined) {
				return {
					title: `${name} did not accept what was asked${status}${parts.said}`,
					advice:
						"The connection's preset (profile) may not fit this service. Choose another one, or check the base URL.",
					remedy: "edit",
				};
			}
			if (error.reason === "other-origin") {
				return { title: sentence(error.message), advice: "The credential was not sent.", remedy: "replace" };
			}
			if (error.reason === "passphrase-wrong") {
				const advice = "Type it again, or choose a copy of the key that is not encrypted.";
				return { title: sentence(error.message), advice, remedy: "none" };
			}
			// What was refused here says itself what is wrong.
			return {
				title: sentence(
					error.message.replace(/^(?:private_key|repository|token)\b/, (field) => `The ${field.replace("_", " ")}`),
				),
				advice: "",
				remedy: "none",
			};
		default:
			return describeCommon(error.code, parts, "a code host's API");
	}
}

/** Why a list of issues ends although the service's links do not: words without a full stop. */
export const HALTED_WORDS: Readonly<Record<NonNullable<IssueListing["halted"]>, string>> = {
	cycle: "The list ends here: the service's links lead in a circle",
	"other-origin": "There may be more: the service's links lead to another address",
	unreadable: "There may be more: the service's link to the next page cannot be read",
};

/** Advice for an app that was refused: the service does not say which of the two is wrong. */
export const APP_ADVICE =
	"The App ID or the key is another app's, or the key was deleted there: compare both with the app's page.";

function unauthorizedWords(error: ClientError, { name, status, said }: Said): FailureWords {
	if (error.reason === "let-go") return letGoWords(error);
	if (error.reason === "clock-skew") {
		return {
			title: `The clocks of ${name} and of this machine differ too much${status}${said}`,
			advice: "Set this machine's clock and retry. The key is fine.",
			remedy: "retry",
		};
	}
	if (error.reason === "repository-refused") {
		return {
			title: `${name} refused the credential for this repository${status}${said}`,
			advice:
				"This token cannot read this repository, but it works elsewhere. Give it access, or choose another connection.",
			remedy: "retry",
		};
	}
	if (error.reason === "app-refused") {
		return {
			title: `${name} refused the app${status}${said}`,
			advice: `${APP_ADVICE} The Connections view names both.`,
			remedy: "replace",
		};
	}
	if (error.reason === "lost" || error.reason === "unreadable") {
		return { ...MISSING_SECRET_WORDS[error.reason](name), remedy: "replace" };
	}
	if (error.field === "token" || error.field === "key") {
		return { title: `${name} is signed out.`, advice: "Enter its token or key again.", remedy: "replace" };
	}
	return {
		title: `${name} refused the credential${status}${said}`,
		advice: "It is wrong, expired or revoked, or lacks a scope. Replace it.",
		remedy: "replace",
	};
}

function notFoundWords(error: ClientError, { name, status, said }: Said): FailureWords {
	if (error.reason === "not-installed") {
		return {
			title: `${name} knows no such installation of the app${status}.`,
			advice: "Choose one from the list of the app's installations.",
			remedy: "edit",
		};
	}
	if (error.field === "base_url") {
		return {
			title: `${name} has no code host's API at this address${status}.`,
			advice: "Check the base URL.",
			remedy: "edit",
		};
	}
	if (status !== "" && !isAbsent(error)) {
		return {
			title: `${name} does not answer there${status}${said}`,
			advice: "Check the base URL. A network that wants a sign-in, or a proxy, may answer in its place.",
			remedy: "edit",
		};
	}
	return error.status === 410
		? {
				title: `${name} has it no more${status}${said}`,
				advice: "It was removed or switched off there.",
				remedy: "retry",
			}
		: {
				title: `${name} has no such thing, or hides it from this credential${status}.`,
				advice: "Check the owner and the name, and whether the credential may see the repository.",
				remedy: "retry",
			};
}

function forbiddenWords({ reason }: ClientError, { name, status, said }: Said): Omit<FailureWords, "remedy"> {
	if (reason === "suspended") {
		return {
			title: `The app's installation that ${name} uses is suspended${status}.`,
			advice: "Ask the owner of the account to end the suspension.",
		};
	}
	if (reason === "not-installed") {
		return {
			title: `${name} does not let the app in here${status}${said}`,
			advice: "Install the app on the repository's owner, or give it Issues: read. The credential is fine.",
		};
	}
	return {
		title: `${name} does not allow this${status}${said}`,
		advice: "Check which repositories and permissions the credential was given.",
	};
}

/** The most urgent state of all credentials and limits, for the status bar. `now` is in epoch milliseconds. */
export function describeUrgency(urgency: Urgency, now: number): { text: string; detail: string; grave: boolean } {
	const { label } = urgency;
	switch (urgency.kind) {
		case "lost":
		case "unreadable": {
			const { title, advice } = MISSING_SECRET_WORDS[urgency.kind](label);
			return { text: `$(key) ${label}: credential ${urgency.kind}`, detail: `${title} ${advice}`, grave: true };
		}
		case "refused":
			return {
				text: `$(${refusalIcon(urgency.error)}) ${label}: ${refusalWords(urgency.error)}`,
				detail: wordsOf(urgency.error, label),
				grave: true,
			};
		case "renewal-failed":
			return {
				text:
					urgency.expiresAt === null
						? `$(key) ${label}: token renewal failed`
						: `$(key) ${label}: renewal failed, token expires in ${inWords(urgency.expiresAt - now)}`,
				detail: wordsOf(urgency.error, label),
				grave: true,
			};
		case "limit":
			return {
				text:
					urgency.until === null
						? `$(watch) ${label}: limit used up`
						: `$(watch) ${label}: limit resets in ${inWords(urgency.until - now)}`,
				detail: "The limit of this credential is used up.",
				grave: false,
			};
		case "expired":
			return {
				text: `$(key) ${label}: token expired`,
				detail: "By the date that was entered with it. Replace it.",
				grave: true,
			};
		case "expires":
			return {
				text: `$(key) ${label}: token expires ${inDays(urgency.at, now)}`,
				detail: "By the date that was entered with it. Make a new one in time.",
				grave: false,
			};
		case "clock":
			return {
				text: `$(watch) ${label}: clocks differ by ${inWords(Math.round(Math.abs(urgency.skewMs) / 30_000) * 30_000)}`,
				detail: "Tokens are made by the service's time. Set this machine's clock.",
				grave: false,
			};
		case "low":
			return {
				text: `$(dashboard) ${label}: ${urgency.remaining} requests left`,
				detail: "Under a tenth of the limit: nothing is refreshed by itself until it is reset.",
				grave: false,
			};
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
	return error?.code === "network" || error?.isGateway ? "not reached" : undefined;
}

/** That a personal token has ended or is about to, in a few words; undefined while neither is near. `now` is in epoch ms. */
export function endingWords(status: CodehostStatus, now: number): string | undefined {
	const ending = endingOf(status, now);
	if (ending === undefined) return undefined;
	return ending.kind === "expired" ? "token expired" : `token expires ${inDays(ending.at, now)}`;
}

/** When what is urgent ends or turns into something else, milliseconds since the epoch; null where time does nothing. */
export function endOf(urgency: Urgency): number | null {
	switch (urgency.kind) {
		case "limit":
			return urgency.until;
		case "renewal-failed":
			return urgency.expiresAt;
		case "expires":
			return urgency.at;
		case "low":
			return urgency.resetAt;
		default:
			return null;
	}
}

/** Days until a token expires, by the calendar, in words. */
export function inDays(at: number, now: number): string {
	const days = daysUntil(at, now);
	return days <= 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
}

function wordsOf(error: ClientError, label: string): string {
	const { title, advice } = describeCodehostError(error, label);
	return `${title} ${advice}`;
}

/** The connection that a repository is read through, in words. */
export interface ReadingConnection {
	readonly name: string;
	readonly isGone: boolean;
	/** Trouble that keeps it from working, in a few words; undefined for none. */
	readonly trouble: string | undefined;
}

/** Words for the connection that a repository is read through; a refusal may be of another repository. */
export function readingConnection(
	repository: AddedRepository,
	{ registry, statuses }: { readonly registry: ConnectionRegistry; readonly statuses: Pick<CodehostStatuses, "of"> },
): ReadingConnection {
	const { connection } = repository;
	const isGone = registry.get(connection, "codehost") === undefined;
	const trouble = isGone ? undefined : troubleOf({ ...statuses.of(connection), error: null });
	return { name: connectionName(registry, repository), isGone, trouble };
}

/** The name of the connection that a repository is read through. */
export function connectionName(registry: ConnectionRegistry, { connection }: AddedRepository): string {
	return registry.get(connection, "codehost")?.label ?? "a connection that is gone";
}
