import type { CallOptions } from "#api/petstore/client.ts";
import type { Session } from "#api/petstore/model.ts";
import { isOperationName, OPERATIONS } from "#api/petstore/operations.ts";
import { withSecretsAs } from "#api/petstore/secrets.ts";
import { invalid } from "#base/errors.ts";
import { REDACTED } from "#base/redaction.ts";
import type { PetstoreClients } from "./clients.ts";

/** What `switchboard.petstore.call` resolves to. */
export interface CallResult {
	/** The HTTP status of the reply. */
	readonly status: number;
	/**
	 * What the operation brings, as in the contract, but: ids are decimal strings, passwords are masked, times of a login
	 * are ISO 8601. Null where a change was answered with nothing that can be read.
	 */
	readonly data: unknown;
	/** From the call to its end, waits included. Milliseconds. */
	readonly ms: number;
}

/** Which operation, with what: the names are those of the contract (section 4). */
export interface CallWish {
	readonly connection: string;
	readonly operation: string;
	/** By their names on the wire; a body's is `body`, and a file has `name`, `type` and `base64` or `bytes`. */
	readonly params: unknown;
}

/**
 * Calls any operation of a pet store. Rejects with ClientError: `invalid` for `connection`, `operation` or the parameter
 * that breaks a rule, before anything is sent; what the service refuses.
 */
export async function callOperation(
	clients: PetstoreClients,
	{ connection, operation, params }: CallWish,
	options: CallOptions = {},
): Promise<CallResult> {
	clients.parts.registry.require(connection, "petstore");
	if (!isOperationName(operation)) {
		const names = Object.keys(OPERATIONS).join(", ");
		throw invalid("petstore", "operation", `"${operation}" is not one of the pet store's; use one of ${names}`);
	}
	const { client } = await clients.open(connection);
	const { status, data, ms } = await client.callNamed(operation, withBytes(params), options);
	const { reply } = OPERATIONS[operation];
	const shown =
		reply.kind === "session" ? sessionResult(data) : withSecretsAs(() => REDACTED, { shape: reply, value: data });
	return { status, data: shown, ms: Math.round(ms) };
}

/** JSON has no bytes: a file comes as base64 there. */
function withBytes(params: unknown): unknown {
	if (!isObject(params) || !isObject(params["file"])) return params;
	const { base64, ...file } = params["file"];
	return base64 === undefined ? params : { ...params, file: { ...file, bytes: bytesOf(base64) } };
}

function bytesOf(base64: unknown): Uint8Array {
	try {
		if (typeof base64 === "string") return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
	} catch {
		// What is no base64 is refused below, as what is no text.
	}
	throw invalid("petstore", "file.base64", "must be the bytes of the file in base64");
}

function sessionResult(data: unknown): unknown {
	if (!isSession(data)) return null;
	return { ...data, expiresAt: data.expiresAt === null ? null : new Date(data.expiresAt).toISOString() };
}

function isSession(data: unknown): data is Session {
	return isObject(data) && "expiresAt" in data;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
