import type { HeldCredential } from "#app/petstore/access.ts";
import type { ClientError } from "#base/errors.ts";
import { type FailureWords, inWords, sentence, whenAgain } from "../codehost/words.ts";

/** A failure of a pet store in words: what happened, what to do, and the button that does it. */
export function describePetstoreError(error: ClientError, label: string): FailureWords {
	const name = label === "" ? "The pet store" : label;
	const status = error.status === undefined ? "" : ` (${error.status})`;
	const said = error.message.trim() === "" ? "" : `: ${sentence(error.message)}`;
	switch (error.code) {
		case "unauthorized":
			return error.field === "key"
				? { title: `The credential of ${name} cannot be read.`, advice: "Enter it again.", remedy: "replace" }
				: {
						title: `${name} refused the credential${status}${said}`,
						advice: "Pets need an access token, a single pet and the inventory an API key. Replace what is wrong.",
						remedy: "replace",
					};
		case "forbidden":
			return {
				title: `${name} does not allow this${status}${said}`,
				advice: "The access token needs write:pets and read:pets.",
				remedy: "replace",
			};
		case "not-found":
			return {
				title: `${name} has no such thing${status}${said}`,
				advice: "Check the id or the name, and the base URL.",
				remedy: "edit",
			};
		case "rate-limited":
			return {
				title: `${name} asks for fewer requests${status}.`,
				advice: `Try again ${whenAgain(error.retryAfterMs)}.`,
				remedy: "retry",
			};
		case "network":
			return {
				title: `${name} could not be reached${said}`,
				advice: "Check the address, the network and the proxy.",
				remedy: "retry",
			};
		case "timeout":
		case "stalled":
			return { title: `${name} did not answer in time.`, advice: "Try again.", remedy: "retry" };
		case "malformed":
			return {
				title: `${name} answered with something else than its API promises${status}${said}`,
				advice: "Check that the base URL is that of a pet store.",
				remedy: "edit",
			};
		case "server":
		case "overloaded":
		case "interrupted":
			return { title: `${name} failed${status}${said}`, advice: "Try again in a little while.", remedy: "retry" };
		case "aborted":
			return { title: "Stopped.", advice: "Retry does it again.", remedy: "retry" };
		case "invalid":
			return {
				title: status === "" ? sentence(error.message) : `${name} refused the request${status}${said}`,
				advice: error.reason === "other-origin" ? "The credential was not sent." : "Change what it names.",
				remedy: error.reason === "other-origin" ? "replace" : "none",
			};
	}
}

/** What is held for a connection, in a few words; undefined where that is not known yet. */
export function heldWords(held: HeldCredential | undefined, now: number): string | undefined {
	if (held === undefined) return undefined;
	const { apiKey, token } = held;
	const names = [...(apiKey ? ["API key"] : []), ...(token === null ? [] : [`access token${endWords(token, now)}`])];
	return names.length === 0 ? "none: signed out, or not needed" : names.join(" and ");
}

function endWords({ scopes, expiresAt }: NonNullable<HeldCredential["token"]>, now: number): string {
	const end = expiresAt === null ? "" : expiresAt <= now ? "expired" : `ends in ${inWords(expiresAt - now)}`;
	const parts = [scopes === null ? "" : scopes.join(" "), end].filter((part) => part !== "");
	return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}
