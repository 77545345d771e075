import { ClientError } from "#base/errors.ts";

/** Whether the answer to a change tells nothing at all: null where it could not be read. What sent it may be no store. */
export function saysNothing(said: object | null): boolean {
	return said === null || Object.keys(said).length === 0;
}

/** The error of a change after which a store is as before: what answers may be a proxy that passes nothing on. */
export function notDone(fact: string): ClientError {
	return new ClientError("petstore", "server", `It did not refuse the change, but ${fact}.`);
}

/** The error of a change of which the store said nothing, and at which nobody can look now. */
export function notSeen(what: string): ClientError {
	const sentence = `It did not refuse the change, but cannot be asked for it now: nobody knows whether ${what}.`;
	return new ClientError("petstore", "server", sentence);
}

/** The error of a form to which a store says yes without taking it. */
export function notTaken(field: string, wanted: string | undefined): ClientError {
	return new ClientError("petstore", "server", `It took the form, but the ${field} is not ${wanted}.`, { field });
}
