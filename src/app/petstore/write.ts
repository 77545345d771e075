import { isAbsent } from "#api/http/fault.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import { ClientError } from "#base/errors.ts";

/** Outcome of a write: what the store said, or why that was lost and what is there. */
export interface WriteOutcome<T, N = never> {
	readonly said?: T;
	readonly lost?: ClientError;
	/** Read again after a lost answer; null where there is nothing, undefined where it could not be read. */
	readonly now?: N | null | undefined;
}

/** Confirmation of a write, as part of the result of a command. */
export interface Confirmation<N> {
	/** False where the answer was lost. */
	readonly confirmed: boolean;
	/** State after a lost answer; null for nothing, absent where it could not be read. */
	readonly now?: N | null;
}

/** Sends a write once; a lost answer is no failure of it. Rejects with what the store refuses. */
export async function send<T>(call: () => Promise<T>): Promise<WriteOutcome<T>> {
	try {
		return { said: await call() };
	} catch (error) {
		if (!isNotConfirmed(error)) throw error;
		return { lost: error };
	}
}

/**
 * Error of a save that the store has accepted, after which it has the thing as before. To show that would take away
 * without a word what was typed.
 */
export function notAppliedError(): ClientError {
	const sentence = "The store accepted the save but changed nothing.";
	return new ClientError("petstore", "server", sentence, { reason: "not-applied" });
}

/** Result of a read; undefined where the store says that there is no such thing. */
export async function ifThere<T>(read: Promise<T>): Promise<T | undefined> {
	try {
		return await read;
	} catch (error) {
		if (isAbsent(error)) return undefined;
		throw error;
	}
}

/** Options of a read after a write: its signal, unless that has cut the write off, which is read all the same. */
export function stillWaiting({ signal }: CallOptions = {}): CallOptions {
	return signal?.aborted ? {} : { signal };
}

/** Sends a write once and, where its answer is lost, reads again at once what it was about. Rejects as {@link send}. */
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

/** Confirmation of a write as plain JSON; `tell` formats the present state. */
export function confirmationOf<N, P>(
	{ lost, now }: Pick<WriteOutcome<unknown, N>, "lost" | "now">,
	tell: (now: N) => P,
): Confirmation<P> {
	return { confirmed: lost === undefined, ...(now === undefined ? {} : { now: now === null ? null : tell(now) }) };
}
