import { isNotConfirmed } from "#api/petstore/fault.ts";
import type { HeldCredential } from "#app/petstore/clients.ts";
import { msInWords } from "#base/duration.ts";
import type { ClientError } from "#base/errors.ts";
import { saidOf } from "../kit/error-words.ts";
import { joinParts } from "../kit/text.ts";

/** Words for an unconfirmed write; `now` says what is there, if it is known. */
export function notConfirmedWords(label: string | undefined, now = "Refresh to see what is there."): string {
	return `Not confirmed: ${label ?? "the store"} did not answer. ${now}`;
}

/** A number of pets in words. */
export function countPets(pets: number): string {
	return `${pets} ${pets === 1 ? "pet" : "pets"}`;
}

/** Counts of the pets that failed to be, for example, `moved`, and of those without an answer. */
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

/** Credential of a connection in a few words; undefined until it is known. */
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
