import { isAbsent } from "#api/http/fault.ts";
import { SIGN_IN_FIELD } from "#api/petstore/authorization.ts";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import type { HeldCredential } from "#app/petstore/clients.ts";
import { inWords } from "#base/duration.ts";
import type { ClientError, ErrorReason } from "#base/errors.ts";
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

/** Refusals with one cause, whatever their status; the title follows the name of the store. */
const REFUSALS = new Map<ErrorReason | undefined, FailureWords>([
	["log-in-needed", { title: "lets only a logged-in user do this", advice: "Log in, then try again.", remedy: "none" }],
	["log-in-refused", { title: "refused the login", advice: "Check the username and password.", remedy: "none" }],
	["key-needed", { title: "requires an API key", advice: "Enter one.", remedy: "replace" }],
	["key-refused", { title: "refused the API key", advice: "Replace it with one that may do this.", remedy: "replace" }],
	[
		"sign-in-needed",
		{ title: "requires a sign-in", advice: "Sign in, and approve both write:pets and read:pets.", remedy: "sign-in" },
	],
]);

/** A failure of a pet store in words: what happened, what to do, and the button that does it. */
export function describePetstoreError(error: ClientError, label: string): FailureWords {
	const name = label === "" ? "The pet store" : label;
	return gatewayWords(wordsOfCode(error, saidOf(error, name)), error, name);
}

function wordsOfCode(error: ClientError, parts: Said): FailureWords {
	const { name, status, said } = parts;
	const refusal = REFUSALS.get(error.reason);
	if (refusal !== undefined) return { ...refusal, title: `${name} ${refusal.title}${status}${said}` };
	if (error.field === SIGN_IN_FIELD) return signInWords(error, name);
	if (error.reason === "not-confirmed") {
		const title = `Not confirmed by ${name}${status}${said}`;
		return { title, advice: "Look at what is there before you try again.", remedy: "none" };
	}
	const isElsewhere = error.reason === "other-origin";
	switch (error.code) {
		case "unauthorized":
		case "forbidden":
			if (error.reason === "let-go") return letGoWords(error);
			if (error.reason === "lost" || error.reason === "unreadable") {
				return { ...MISSING_SECRET_WORDS[error.reason](name), remedy: "replace" };
			}
			return {
				title: `${name} refused this${status}${said}`,
				advice: "Check the base URL, or log in to the store.",
				remedy: "none",
			};
		case "not-found":
			return {
				title: `${name} ${isAbsent(error) ? "has no such thing" : "does not do that"}${status}${said}`,
				advice: isElsewhere ? "Check the base URL." : "Check the id or the name, and the base URL.",
				remedy: "edit",
			};
		case "rate-limited":
			return {
				title: `${name} asks for fewer requests${status}.`,
				advice: `Try again ${parts.again}.`,
				remedy: "retry",
			};
		case "invalid":
			return {
				title: status === "" ? sentence(error.message) : `${name} refused the request${status}${said}`,
				// What was refused here says itself what is wrong.
				advice: isElsewhere
					? "The credential was not sent."
					: status === ""
						? ""
						: "Check what was entered, or the preset and format of the connection.",
				remedy: isElsewhere ? "replace" : "none",
			};
		default:
			return describeCommon(error.code, parts, "a pet store");
	}
}

/** Words for a write whose answer was lost: a sentence says what is there now, or is undefined where that is not known. */
export function notConfirmedWords(label: string | undefined, now = "Refresh to see what is there."): string {
	return `Not confirmed: ${label ?? "the store"} did not answer. ${now}`;
}

/** A number of pets in words. */
export function countPets(pets: number): string {
	return `${pets} ${pets === 1 ? "pet" : "pets"}`;
}

/** Sentences about pets to which something could not be done, such as `moved`, and those of which no answer came. */
export function failedWords(failed: readonly { readonly error: ClientError }[], verb: string): readonly string[] {
	const lost = failed.filter(({ error }) => isNotConfirmed(error)).length;
	const refused = failed.length - lost;
	return [
		...(refused === 0 ? [] : [`${countPets(refused)} could not be ${verb}.`]),
		...(lost === 0 ? [] : [`${countPets(lost)} ${lost === 1 ? "is" : "are"} not confirmed: no answer came.`]),
	];
}

/** Why an access token that was typed is not taken, in the words for who is about to type another. */
export function describeTokenRefusal(error: ClientError, label: string): string {
	const { name, status, said } = saidOf(error, label);
	const wanted = error.code === "forbidden" ? "one that was given write:pets and read:pets" : "another one";
	return `${name} refused the access token${status}${said} Enter ${wanted}.`;
}

/** A sign-in that came to nothing: the store itself was not asked anything yet. */
function signInWords({ code, message }: ClientError, name: string): FailureWords {
	const title = `The sign-in to ${name} was not completed: ${sentence(message)}`;
	if (code === "invalid") {
		const advice = "Check the sign-in's address and client ID in its connection.";
		return { title, advice, remedy: "edit" };
	}
	const advice = code === "malformed" ? "Check the sign-in's address in its connection." : "Sign in again.";
	return { title, advice, remedy: "sign-in" };
}

/** Describes a connection's credential in a few words; undefined where it is not known yet. */
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
