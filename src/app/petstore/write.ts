import { isAbsent } from "#api/http/fault.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import { ClientError } from "#base/errors.ts";

/** Outcome of a write: the reply, or the error of a lost answer and the state read since. */
export interface WriteOutcome<T, N = never> {
	readonly said?: T;
	readonly lost?: ClientError;
	/** State after a lost answer; null for nothing, undefined if it could not be read. */
	readonly now?: N | null | undefined;
}

/** Confirmation of a write, as part of the result of a command. */
export interface Confirmation<N> {
	/** False if the answer was lost. */
	readonly confirmed: boolean;
	/** State after a lost answer; null for nothing, absent if it could not be read. */
	readonly now?: N | null;
}

/** Sends a write once. A lost answer is not a failure. Rejects with the store's refusal. */
export async function send<T>(call: () => Promise<T>): Promise<WriteOutcome<T>> {
	try {
		return { said: await call() };
	} catch (error) {
		if (!isNotConfirmed(error)) throw error;
		return { lost: error };
	}
}

/** Error of a save that was accepted and changed nothing: to show the old state would discard what was typed. */
export function notAppliedError(): ClientError {
	const sentence = "The store accepted the save but changed nothing.";
	return new ClientError("petstore", "server", sentence, { reason: "not-applied" });
}

/** Result of a read; undefined if the store has no such thing. */
export async function ifThere<T>(read: Promise<T>): Promise<T | undefined> {
	try {
		return await read;
	} catch (error) {
		if (isAbsent(error)) return undefined;
		throw error;
	}
}

/** Options of a read after a write; it is read even if the write was aborted. */
export function stillWaiting({ signal }: CallOptions = {}): CallOptions {
	return signal?.aborted ? {} : { signal };
}

/** Sends a write once and reads the state if the answer was lost. Rejects as {@link send}. */
export async function write<T, N>(
	call: () => Promise<T>,
	read: (options: CallOptions) => Promise<N>,
	options?: CallOptions,
): Promise<WriteOutcome<T, N>> {
	const sent = await send(call);
	if (sent.lost === undefined) return sent;
	return {
		...sent,
		now: await read(stillWaiting(options)).catch((error: unknown) => (isAbsent(error) ? null : undefined)),
	};
}

/** Confirmation of a write as plain JSON; `tell` formats the state. */
export function confirmationOf<N, P>(
	{ lost, now }: Pick<WriteOutcome<unknown, N>, "lost" | "now">,
	tell: (now: N) => P,
): Confirmation<P> {
	return { confirmed: lost === undefined, ...(now === undefined ? {} : { now: now === null ? null : tell(now) }) };
}
