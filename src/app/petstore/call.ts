import { isRecord } from "#api/http/json.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import type { Parameter } from "#api/petstore/operation.ts";
import { isOperationName, OPERATIONS, type OperationName } from "#api/petstore/operations.ts";
import { withSecretsAs } from "#api/petstore/secrets.ts";
import type { AnyShape } from "#api/petstore/shape.ts";
import { invalid } from "#base/errors.ts";
import { REDACTED } from "#base/redaction.ts";
import { base64 as base64Text, parse } from "#base/schema.ts";
import type { Pets } from "./pets.ts";
import { isSession, type Users } from "./users.ts";

/**
 * Calls any operation by wire names (contract section 4): `body` for a body; a file has `name`, `type`, and `base64` or
 * `bytes`. Results have decimal ids, masked passwords and ISO 8601 login times; `confirmed` is false if the reply
 * proves nothing. Rejects with ClientError: `invalid` before anything is sent, or the store's refusal.
 */
export async function callOperation(
	{ users, pets }: { readonly users: Users; readonly pets: Pets },
	{
		connection,
		operation,
		params,
	}: { readonly connection: string; readonly operation: string; readonly params: unknown },
	options: CallOptions = {},
) {
	if (!isOperationName(operation)) {
		const names = Object.keys(OPERATIONS).join(", ");
		throw invalid("petstore", "operation", `"${operation}" is not one of the pet store's; use one of ${names}`);
	}
	const { reply, anyReply, tag, writes } = OPERATIONS[operation];
	const answer = users.call(connection, operation, withBytes(params), options);
	const { status, data, ms } = await answer.finally(() => {
		if (tag === "pet" && writes) pets.refreshSoon(connection);
	});
	const shown =
		reply.kind === "session" ? sessionResult(data) : withSecretsAs(() => REDACTED, { shape: reply, value: data });
	const confirmed = !anyReply || (isRecord(data) && Object.keys(data).length > 0);
	return { status, data: shown, confirmed, ms: Math.round(ms) };
}

/** JSON with an empty value for each required parameter of an operation. */
export function templateOf(operation: OperationName): string {
	const all = Object.entries<Parameter<unknown>>(OPERATIONS[operation].parameters);
	const shown = all.filter(([, { required }]) => required || all.length === 1);
	return JSON.stringify(Object.fromEntries(shown.map(([name, { shape }]) => [name, blank(shape)])));
}

function blank(shape: AnyShape): unknown {
	return shape.kind === "list" ? [blank(shape.item)] : shape.kind === "record" ? {} : "";
}

/** Decodes the base64 of a file: JSON has no bytes. */
function withBytes(params: unknown): unknown {
	if (!isRecord(params) || !isRecord(params["file"])) return params;
	const { base64, ...file } = params["file"];
	if (base64 === undefined) return params;
	return { ...params, file: { ...file, bytes: parse(base64Text(), base64, "petstore", "file.base64") } };
}

function sessionResult(data: unknown): unknown {
	if (!isSession(data)) return null;
	return { ...data, expiresAt: data.expiresAt === null ? null : new Date(data.expiresAt).toISOString() };
}
