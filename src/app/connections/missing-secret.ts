import { ClientError } from "#base/errors.ts";
import type { Connection } from "./connection.ts";
import type { Held } from "./vault.ts";

/**
 * Reason why a connection cannot be used: the person has signed out; the secret storage has lost its secret, which was
 * not removed here; the stored secret cannot be read.
 */
export type ClosedState = "signed-out" | "lost" | "unreadable";

/** Reason why the stored secret cannot be used; undefined where it can. */
export function closedBy(held: Held): ClosedState | undefined {
	if (held.state === "present") return undefined;
	if (held.state === "unreadable") return "unreadable";
	return held.signedOut ? "signed-out" : "lost";
}

/** Error of a missing secret; `field` is the secret's name. */
export function closedError(
	{ service, label }: Pick<Connection, "service" | "label">,
	field: string,
	closed: ClosedState,
): ClientError {
	const sentence = {
		"signed-out": `There is no ${field}`,
		lost: `The secret storage has no ${field}`,
		unreadable: `The stored ${field} cannot be read`,
	}[closed];
	const facts = closed === "signed-out" ? { field } : { field, reason: closed };
	return new ClientError(service, "unauthorized", `${sentence}: sign in to ${label} again`, facts);
}

/** An error as it was, but of a credential that a probe has missed: whether it was taken away, lost or cannot be read. */
export function withReason<E>(error: E, connection: Connection, held: Held): E | ClientError {
	const closed = closedBy(held);
	const isMissing = error instanceof ClientError && error.code === "unauthorized" && error.status === undefined;
	const field = isMissing ? error.field : undefined;
	return field === undefined || closed === undefined ? error : closedError(connection, field, closed);
}
