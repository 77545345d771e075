import { isAbsent } from "#api/http/fault.ts";
import { SIGN_IN_FIELD } from "#api/petstore/authorization.ts";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import type { HeldCredential } from "#app/petstore/clients.ts";
import { msInWords } from "#base/duration.ts";
import type { ClientError, ErrorCode, ErrorReason } from "#base/errors.ts";
import {
	commonEntry,
	type FailureWords,
	gatewayWords,
	REASONS,
	type Remedy,
	saidOf,
	type WordsEntry,
	wordsOf,
} from "../kit/error-words.ts";
import { joinParts } from "../kit/text.ts";

const SIGN_IN = { label: "Sign In Again", command: "switchboard.petstore.signIn" };

/** Failures with one cause, whatever their status. */
const REFUSALS: Readonly<Partial<Record<ErrorReason, WordsEntry<Remedy>>>> = {
	...REASONS,
	"log-in-needed": ["{name} requires a login for this{status}{said}", "Log in, then try again.", "none"],
	"log-in-refused": ["{name} refused the login{status}{said}", "Check the username and password.", "none"],
	"key-needed": ["{name} requires an API key{status}{said}", "Enter the key.", "replace"],
	"key-refused": ["{name} refused the API key{status}{said}", "Replace it with one that may do this.", "replace"],
	"sign-in-needed": [
		"{name} requires a sign-in{status}{said}",
		"Sign in, and approve both write:pets and read:pets.",
		"sign-in",
	],
	"not-confirmed": ["Not confirmed by {name}{status}{said}", "Check what is there before you try again.", "none"],
	absent: ["Not found on {name}{status}{said}", "Someone may have deleted it: it is no longer listed.", "none"],
	"xml-needed": ["{name} does not speak JSON here{status}{said}", "Edit its connection, and choose XML.", "edit"],
	"not-applied": [
		"{name} accepted the save but changed nothing.",
		"Your text is kept. Check which fields the store lets you change.",
		"none",
	],
};

/** A failure of a pet store in words: what happened, what to do, and the button that does it. */
export function describePetstoreError(error: ClientError, label: string): FailureWords {
	const name = label === "" ? "The pet store" : label;
	const words = wordsOf(entryOf(error), { ...saidOf(error, name), api: "a pet store" });
	return gatewayWords(words.remedy === "sign-in" ? { ...words, fix: SIGN_IN } : words, error, name);
}

function entryOf(error: ClientError): WordsEntry<Remedy> {
	const { code, reason, field, status } = error;
	const refusal = reason && REFUSALS[reason];
	if (refusal !== undefined) return refusal;
	if (field === SIGN_IN_FIELD) return signInEntry(code);
	const isElsewhere = reason === "other-origin";
	switch (code) {
		case "unauthorized":
		case "forbidden":
			return ["{name} refused this{status}{said}", "Check the base URL, or log in to the store.", "none"];
		case "not-found": {
			const title = `${isAbsent(error) ? "Not found on {name}" : "{name} does not support this operation"}{status}{said}`;
			return [title, isElsewhere ? "Check the base URL." : "Check the id or the name, and the base URL.", "edit"];
		}
		case "invalid": {
			const title = status === undefined ? "{own}" : "{name} refused the request{status}{said}";
			if (isElsewhere) return [title, "The credential was not sent.", "replace"];
			// An error without a status was found here, and its message is complete.
			const advice = status === undefined ? "" : "Check what was entered, or the preset and format of the connection.";
			return [title, advice, "none"];
		}
		default:
			return commonEntry(code, field);
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

/** Reason why a typed access token was refused, for the prompt that asks for another. */
export function describeTokenRefusal(error: ClientError, label: string): string {
	const { name, status, said } = saidOf(error, label);
	const wanted = error.code === "forbidden" ? "one that was given write:pets and read:pets" : "another one";
	return `${name} refused the access token${status}${said} Enter ${wanted}.`;
}

/** Entry for a sign-in that came to nothing: the store itself was not asked anything yet. */
function signInEntry(code: ErrorCode): WordsEntry<Remedy> {
	const title = "The sign-in to {name} was not completed: {own}";
	if (code === "invalid") return [title, "Check the sign-in's address and client ID in its connection.", "edit"];
	const advice = code === "malformed" ? "Check the sign-in's address in its connection." : "Sign in again.";
	return [title, advice, "sign-in"];
}

/** Describes a connection's credential in a few words; undefined where it is not known yet. */
export function heldWords(held: HeldCredential | undefined, now: number): string | undefined {
	if (held === undefined) return undefined;
	const { apiKey, token } = held;
	const names = [...(apiKey ? ["API key"] : []), ...(token === null ? [] : [`access token${endWords(token, now)}`])];
	return names.length === 0 ? "none: signed out, or not needed" : names.join(" and ");
}

function endWords({ scopes, expiresAt }: NonNullable<HeldCredential["token"]>, now: number): string {
	const end = expiresAt === null ? "" : expiresAt <= now ? "expired" : `ends in ${msInWords(expiresAt - now)}`;
	const words = joinParts([scopes?.join(" "), end], ", ");
	return words && ` (${words})`;
}
