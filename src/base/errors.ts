/** Services that Switchboard talks to. */
export type Service = "codehost" | "petstore" | "messages";

/** Closed set of failures, so that a `switch` on a code misses none. */
export const ERROR_CODES = [
	"aborted",
	"network",
	"proxy",
	"timeout",
	"stalled",
	"unauthorized",
	"forbidden",
	"not-found",
	"invalid",
	"rate-limited",
	"overloaded",
	"server",
	"malformed",
	"interrupted",
] as const;

/** One of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/**
 * Closed set of details of a code on which the next step depends; those that their names do not explain:
 *
 * - `clock-skew`: the service rejects the time in an app's JWT, or its clock cannot be followed.
 * - `app-refused`: the service rejects an app's JWT, although it is dated by the service's clock.
 * - `repository-refused`: the service accepts the credential, but not for this repository.
 * - `not-installed`: the app has no installation there, or the installation lacks the permission.
 * - `moved`: the repository was renamed and must be read under its new name.
 * - `other-origin`: a redirect or changed address leads to another origin than the credential's.
 * - `lost`, `unreadable`: the secret storage has lost the secret, or cannot read it.
 * - `disposed`: the connection was changed, signed out or removed during the call.
 * - `not-confirmed`: a write was sent and its answer was lost; it may have been done.
 * - `xml-needed`: the store does not support JSON, which the connection is set to.
 * - `not-applied`: the service accepted a save, but nothing changed.
 * - `stopped`: the person pressed Cancel; `aborted` without it means that they left.
 * - `over-budget`: the request could pass a limit that the person has set for the connection, and was not sent.
 * - `sign-in-needed`: a browser sign-in is missing, has ended, was refused, or grants too little.
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
	| "over-budget"
	| "stopped";

/** Facts of a failure beside its code. Times in milliseconds. */
export interface ErrorFacts {
	readonly reason?: ErrorReason | undefined;
	/** HTTP status of the reply; for a `proxy` error, that of the proxy. */
	readonly status?: number | undefined;
	/** Wait before a retry that the service asked for. */
	readonly retryAfterMs?: number | undefined;
	/** Id of the request at the service, for its support. */
	readonly requestId?: string | undefined;
	/** Page of the service on which a person can grant what was refused. */
	readonly page?: string | undefined;
	/** Argument, header or reply path at fault, such as `max_tokens` or `[3].title`. */
	readonly field?: string | undefined;
	/** Line at fault in a text that a person wrote, counted from 1. */
	readonly line?: number | undefined;
	/** True if something answered in the service's place, such as a sign-in page. */
	readonly isGateway?: boolean | undefined;
	/** Part of the message that its code and status do not say; the whole message by default. */
	readonly said?: string | undefined;
	readonly cause?: unknown;
}

/** `Error` as a base whose facts are fields of its own. */
const ErrorWithFacts: new (message: string, options?: ErrorOptions) => Error & Omit<ErrorFacts, "cause"> = Error;

/** The only error type of the clients. Its message is one plain sentence without secrets, markup or raw body. */
export class ClientError extends ErrorWithFacts {
	override readonly name = "ClientError";
	readonly service: Service;
	readonly code: ErrorCode;

	constructor(service: Service, code: ErrorCode, message: string, { cause, ...facts }: ErrorFacts = {}) {
		super(message, cause === undefined ? undefined : { cause });
		Object.assign(this, facts);
		this.service = service;
		this.code = code;
	}
}

/** Error of a refused argument: `rule` completes "<field> ...". The field may be empty for a whole `line`. */
export function invalid(service: Service, field: string, rule: string, line?: number): ClientError {
	const place = line === undefined ? field : [`line ${line}`, field].filter(Boolean).join(", ");
	return new ClientError(service, "invalid", `${place} ${rule}`, { field, line });
}

/** Copy of an error with more facts, and another message if given. */
export function withFacts(error: ClientError, facts: ErrorFacts, message = error.message): ClientError {
	const said = message === error.message ? error.said : undefined;
	return new ClientError(error.service, error.code, message, { ...error, said, cause: error.cause, ...facts });
}
