/** The services the product talks to. */
export type Service = "codehost" | "petstore" | "messages";

/** Every way a call can fail; the set is closed so that callers switch on it and the compiler sees a missing case. */
export const ERROR_CODES = [
	...(["aborted", "network", "proxy", "timeout", "stalled", "unauthorized", "forbidden", "not-found"] as const),
	...(["invalid", "rate-limited", "overloaded", "server", "malformed", "interrupted"] as const),
] as const;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * Detail of a code on which the next step depends; the set is closed as well.
 *
 * - `clock-skew`: the service does not take the times of what an app proves itself with, or its clock cannot be followed.
 * - `app-refused`: the service does not take what an app proves itself with, which is dated by the service's clock.
 * - `repository-refused`: the service takes the credential, but not for this repository.
 * - `suspended`: the app's installation is suspended by its owner.
 * - `not-installed`: the app has no installation there, or the installation lacks the permission.
 * - `moved`: the repository has another name now, under which it is to be read.
 * - `other-origin`: the service, or a changed address, points to where this credential must not go.
 * - `passphrase-needed`, `passphrase-wrong`: the private key is encrypted.
 * - `lost`, `unreadable`: the secret storage has lost the secret, which was not removed here, or cannot read it.
 * - `log-in-needed`: only a user who is logged in to the store may do this.
 * - `log-in-refused`: the store does not take this username with this password.
 * - `key-needed`: the store wants an API key where none was sent. `key-refused`: it does not take the one that was.
 * - `disposed`: the connection was changed, signed out or removed while something was done through it.
 * - `not-confirmed`: a write was sent and its answer was lost: it may have been done.
 * - `xml-needed`: the store does not take or give the JSON that the connection is set to.
 * - `absent`: the service has no such thing, which somebody may have deleted.
 * - `not-applied`: the service has accepted a save, and has the thing as before.
 * - `stopped`: the person has pressed Cancel beside what was under way; `aborted` without it is that they left.
 * - `sign-in-needed`: a sign-in in the browser is missing, has ended, was refused, or was given for too little.
 */
export type ErrorReason =
	| "clock-skew"
	| "disposed"
	| "app-refused"
	| "repository-refused"
	| "suspended"
	| "not-installed"
	| "moved"
	| "other-origin"
	| "passphrase-needed"
	| "passphrase-wrong"
	| "lost"
	| "unreadable"
	| "log-in-needed"
	| "log-in-refused"
	| "key-needed"
	| "key-refused"
	| "sign-in-needed"
	| "not-confirmed"
	| "not-applied"
	| "absent"
	| "xml-needed"
	| "stopped";

/** Facts of a failure beside its code. Times are milliseconds. */
export interface ErrorFacts {
	readonly reason?: ErrorReason | undefined;
	/** HTTP status of the reply, when there was one; of a `proxy` error that of the proxy, which is no word of the service. */
	readonly status?: number | undefined;
	/** Wait before the next try that the service asked for. */
	readonly retryAfterMs?: number | undefined;
	/** The service's own name for the request, for its support desk. */
	readonly requestId?: string | undefined;
	/** Page of the service itself on which a person can give what was refused. */
	readonly page?: string | undefined;
	/** The argument, header, or reply path at fault, such as `max_tokens` or `[3].title`. */
	readonly field?: string | undefined;
	/** Line at fault in a text that a person wrote, counted from 1. */
	readonly line?: number | undefined;
	/** True if something else has answered in the service's place, such as a sign-in page. */
	readonly isGateway?: boolean | undefined;
	readonly cause?: unknown;
}

/** The one error type of the clients. `message` is one plain sentence without secrets, markup or a raw body. */
export class ClientError extends Error {
	override readonly name = "ClientError";
	readonly service: Service;
	readonly code: ErrorCode;
	readonly reason: ErrorReason | undefined;
	readonly status: number | undefined;
	readonly retryAfterMs: number | undefined;
	readonly requestId: string | undefined;
	readonly page: string | undefined;
	readonly field: string | undefined;
	readonly line: number | undefined;
	readonly isGateway: boolean | undefined;

	constructor(service: Service, code: ErrorCode, message: string, facts: ErrorFacts = {}) {
		super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
		this.service = service;
		this.code = code;
		this.reason = facts.reason;
		this.status = facts.status;
		this.retryAfterMs = facts.retryAfterMs;
		this.requestId = facts.requestId;
		this.page = facts.page;
		this.field = facts.field;
		this.line = facts.line;
		this.isGateway = facts.isGateway;
	}
}

/**
 * Error of a refused argument: `field` is named as its owner knows it, `rule` completes "<field> ...". Of a text that has
 * lines, the field may be empty: all of the line.
 */
export function invalid(service: Service, field: string, rule: string, line?: number): ClientError {
	const place = line === undefined ? field : [`line ${line}`, field].filter(Boolean).join(", ");
	return new ClientError(service, "invalid", `${place} ${rule}`, { field, line });
}

/** Copy of an error with further facts, and another message if one is given. */
export function withFacts(error: ClientError, facts: ErrorFacts, message = error.message): ClientError {
	return new ClientError(error.service, error.code, message, { ...error, cause: error.cause, ...facts });
}
