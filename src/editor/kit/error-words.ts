import { failureOfError } from "#api/http/failure.ts";
import type { WaitNotice } from "#api/http/notice.ts";
import { msInWords } from "#base/duration.ts";
import type { ClientError } from "#base/errors.ts";
import type { NextStep } from "./prompts.ts";

/** Remedy for a failure: another credential, a sign-in in the browser, another try, or another connection. */
export type Remedy = "replace" | "sign-in" | "retry" | "edit" | "none";

/** Commands that fix a connection, by the remedy of a failure. */
export const FIXES: Readonly<Partial<Record<Remedy, NextStep>>> = {
	replace: { label: "Replace Key or Token", command: "switchboard.replaceKey" },
	edit: { label: "Edit Connection", command: "switchboard.editConnection" },
};

/** A failure in words: what happened, what to do, and the button that does it. */
export interface FailureWords {
	readonly title: string;
	readonly advice: string;
	readonly remedy: Remedy;
	/** Command of the service itself that fixes it, in place of that of the remedy. */
	readonly fix?: NextStep;
}

/**
 * The parts of a sentence about a failure: who, ` (status)` or nothing, its end, `: What it says.` or a full stop, when the
 * service can be asked again, the field that is wrong, if one is, what helps against a failure below HTTP, and what the
 * error says as a sentence of its own.
 */
type Said = Readonly<Record<"name" | "status" | "said" | "own" | "again" | "field" | "fix", string>>;

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
		own: sentence(message),
		again: whenAgain(retryAfterMs),
		field,
		fix: fixOf(error) ?? "Check the address, the network and the proxy.",
	};
}

/** Next step against a failure below HTTP, where there is a special one. */
export function fixOf({ code, status, cause }: ClientError): string | undefined {
	if (code !== "proxy") return failureOfError(cause).fix;
	if (status === undefined) return "Check http.proxy, or HTTP_PROXY, HTTPS_PROXY and ALL_PROXY in the environment.";
	return status === 407
		? "Put the user and password into http.proxy, or the header into http.proxyAuthorization."
		: "Check that the proxy may reach this host, or add the host to http.noProxy.";
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

/** Hint at Test Connection. */
export const TEST_HINT = "Run Test Connection to check each step.";

/** Templates of the title and the advice for a failure, with the names of parts in braces, and what helps against it. */
export type WordsEntry<T> = readonly [title: string, advice: string, help: T];

/** Fills parts of a sentence into a template. */
export function fillTemplate(template: string, parts: Readonly<Record<string, string>>): string {
	return template.replaceAll(/\{(\w+)\}/g, (whole, part: string) => parts[part] ?? whole);
}

/** Time of the retry in words, from the wait that the service has named. */
export function whenAgain(retryAfterMs: number | undefined): string {
	if (retryAfterMs === undefined) return "in a little while";
	if (retryAfterMs <= 0) return "now";
	return `in ${msInWords(retryAfterMs)}`;
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

/** Line that counts down a wait and says what it is for; it may be cut off at its end. `now` is in epoch milliseconds. */
export function describeWait({ why, until }: WaitNotice, { label, now }: { label: string; now: number }): string {
	const time = msInWords(until - now);
	switch (why) {
		case "rate-limit":
			return `Resuming in ${time}: rate limit of ${label} reached.`;
		case "retry":
			return `Retrying in ${time}: ${label} failed.`;
		case "new-token":
			return `Retrying in ${time}: ${label} is still activating the new token.`;
	}
}
