import type { WaitNotice } from "#api/codehost/model.ts";
import { failureOfError } from "#api/http/failure.ts";
import { inWords } from "#base/duration.ts";
import type { ClientError } from "#base/errors.ts";

/** Remedy for a failure: another credential, a sign-in in the browser, another try, or another address. */
export type Remedy = "replace" | "sign-in" | "retry" | "edit" | "none";

/** A failure in words: what happened, what to do, and the button that does it. */
export interface FailureWords {
	readonly title: string;
	readonly advice: string;
	readonly remedy: Remedy;
}

/**
 * The parts of a sentence about a failure: who, ` (status)` or nothing, its end, `: What it says.` or a full stop, when the
 * service can be asked again, the field that is wrong, if one is, and what helps against a failure below HTTP.
 */
export type Said = Readonly<Record<"name" | "status" | "said" | "again" | "field" | "fix", string>>;

/** Parts of the sentences about a failure of a service of that name; `retryAfterMs` is the rest of the wait. */
export function saidOf(error: ClientError, name: string, retryAfterMs = error.retryAfterMs): Said {
	const { status, message, field = "" } = error;
	// That it was not reached, and the status, stand in front of it already.
	const own = /^The service could not be reached: |^The service answered with status \d+\.$| \(status \d+\)/g;
	const said = sentence(message.replaceAll(own, ""));
	return {
		name,
		status: status === undefined ? "" : ` (${status})`,
		said: said === "" ? "." : `: ${said}`,
		again: whenAgain(retryAfterMs),
		field,
		fix: failureOfError(error.cause).fix ?? "Check the address, the network and the proxy.",
	};
}

/** The words of a failure, or what to do where something else has answered in the service's place. */
export function gatewayWords<T extends Pick<FailureWords, "title" | "advice">>(
	words: T,
	{ code, status, isGateway }: ClientError,
	name: string,
): T {
	if (!isGateway) return words;
	const isRefused = code === "unauthorized" || code === "forbidden";
	const place =
		isRefused || code === "network" ? `Something else answered in place of ${name} (${status}).` : words.title;
	const own = isRefused ? " If it was the service itself, check the credential." : "";
	const advice = `A sign-in page or a gateway may be in the way: sign in there, or check the base URL and the proxy.${own}`;
	return { ...words, title: place, advice };
}

/** Words for a request whose connection was changed, signed out or removed meanwhile. */
export function letGoWords({ message }: ClientError): FailureWords {
	return { title: sentence(message), advice: "Repeat the action if you still need it.", remedy: "retry" };
}

/** The failures that are the same story at every service. */
export type Common =
	| "network"
	| "timeout"
	| "stalled"
	| "malformed"
	| "server"
	| "overloaded"
	| "interrupted"
	| "aborted";

/** Hint at Test Connection. */
export const TEST_HINT = "Run Test Connection to check each step.";

/** A failure in words that has to do with no service in particular; `api` is what its base URL should lead to. */
export function describeCommon(code: Common, parts: Said, api: string): FailureWords {
	const { name, status, said, again, field, fix } = parts;
	switch (code) {
		case "network":
			return {
				title: `${name} could not be reached${said}`,
				advice: `${fix} ${TEST_HINT}`,
				remedy: "retry",
			};
		case "timeout":
		case "stalled":
			return {
				title: `${name} did not answer in time.`,
				advice: "Try again, or test the connection.",
				remedy: "retry",
			};
		case "malformed":
			return {
				title: `${name} sent an unexpected response${status}${said}`,
				// What lacks but one field is hardly something else's answer.
				...(field === ""
					? { advice: `Check that the base URL points to ${api}.`, remedy: "edit" }
					: { advice: `Try again. If it persists, the service differs from ${api} here.`, remedy: "retry" }),
			};
		case "server":
		case "overloaded":
		case "interrupted":
			return { title: `${name} failed${status}${said}`, advice: `Try again ${again}.`, remedy: "retry" };
		case "aborted":
			return { title: "Stopped.", advice: "You can retry.", remedy: "retry" };
	}
}

/** When a service that named a time wants to be asked again, in words. */
export function whenAgain(retryAfterMs: number | undefined): string {
	if (retryAfterMs === undefined) return "in a little while";
	if (retryAfterMs <= 0) return "now";
	return `in ${inWords(retryAfterMs)}`;
}

/** A sentence with a full stop, and a capital unless it begins with a name that must stay as it is, such as a field's. */
export function sentence(text: string): string {
	const trimmed = text.trim();
	if (trimmed === "") return "";
	const [word = ""] = trimmed.split(/\s/, 1);
	const isName = /[^\p{L}'’,]|\p{Ll}\p{Lu}/u.test(word);
	const first = isName ? trimmed : trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
	return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** Words for a secret that is missing from the secret storage or cannot be read. */
export const MISSING_SECRET_WORDS = {
	lost: (name: string) => ({
		title: `The credential of ${name} is not in the editor's secret storage.`,
		advice: "It was lost, or never entered on this machine. Enter it again.",
	}),
	unreadable: (name: string) => ({
		title: `The stored credential of ${name} cannot be read.`,
		advice: "It was left where it is. Enter it again.",
	}),
};

/** Line that counts down a wait and says what it is for; it may be cut off at its end. `now` is in epoch milliseconds. */
export function describeWait({ why, until }: WaitNotice, { label, now }: { label: string; now: number }): string {
	const time = inWords(until - now);
	switch (why) {
		case "rate-limit":
			return `Resuming in ${time}: rate limit of ${label} reached.`;
		case "retry":
			return `Retrying in ${time}: ${label} failed.`;
		case "new-token":
			return `Retrying in ${time}: ${label} is still activating the new token.`;
	}
}
