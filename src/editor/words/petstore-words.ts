import { isNotConfirmed } from "#api/petstore/fault.ts";
import type { ClientError } from "#base/errors.ts";
import { saidOf } from "../kit/error-words.ts";

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
