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

/** Parts of sentences about a failure of the service `name`: its {@link WordsEntry} names them in braces. */
export function saidOf(error: ClientError, name: string, retryAfterMs = error.retryAfterMs) {
	const { status, message, field = "" } = error;
	const said = sentence(error.said ?? message);
	return {
		name,
		/** In brackets after a space, or nothing. */
		status: status === undefined ? "" : ` (${status})`,
		/** After a colon, or only a full stop. */
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

/** Words for a reply that did not come from the service but from a gateway in its place. */
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

/** Templates of title and advice, with parts in braces, and what helps. */
export type WordsEntry<T> = readonly [title: string, advice: string, help: T];

/** Entries by cause: a code, with `/` and a reason, `#` and a field, or `@` and a status; the reason or field alone, too. */
export type WordsTable<T> = Readonly<Record<string, WordsEntry<T>>>;

/** Entry of the most special cause of an error that is in one of the tables. */
export function entryFor<T>(error: ClientError, ...tables: readonly WordsTable<T>[]): WordsEntry<T> | undefined {
	for (const cause of causesOf(error)) {
		const entry = tables.map((table) => table[cause]).find((each) => each !== undefined);
		if (entry !== undefined) return entry;
	}
	return undefined;
}

/** Causes of an error, from the special to the general. */
function causesOf({ code, reason, field, status }: ClientError): readonly string[] {
	const of = (cause: string) => (status === undefined ? [cause] : [`${cause}@${status}`, `${cause}@`, cause]);
	return [
		...(reason === undefined ? [] : [...of(`${code}/${reason}`), reason]),
		...(field === undefined ? [] : [...of(`${code}#${field}`), `#${field}`, `${code}#`]),
		...of(code),
	];
}

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

/** Sentence with a full stop and a capital, unless it begins with an identifier such as a field. */
export function sentence(text: string): string {
	const trimmed = text.trim();
	if (trimmed === "") return "";
	const [word = ""] = trimmed.split(/\s/, 1);
	const isName = /[^\p{L}'’,]|\p{Ll}\p{Lu}/u.test(word);
	const first = isName ? trimmed : trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
	return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** Countdown of a wait and its cause; may be cut off at the end. `now` is in epoch milliseconds. */
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
