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
 * Calls any operation of a pet store with parameters by their names on the wire (contract section 4): a body's is
 * `body`, and a file has `name`, `type` and `base64` or `bytes`. Resolves to the status, the data and the milliseconds
 * from the call to its end: ids are decimal strings, passwords are masked, times of a login are ISO 8601. It is not
 * `confirmed` where the answer to a change proves nothing: only another read does. Rejects with ClientError: `invalid`
 * for `connection`, `operation` or the parameter that breaks a rule, before anything is sent; the store's refusal.
 * Facts about users are recorded.
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

/** A place for a secret, which is asked for by itself and put there. */
export interface SecretPlace {
	/** Name such as `api_key` or `body[0].password`. */
	readonly name: string;
	readonly required: boolean;
	readonly holder: Record<string, unknown>;
	readonly field: string;
}

/**
 * JSON with an empty place for each parameter of an operation that is required; what is typed there can be read over the
 * shoulder, so that there is none for a secret.
 */
export function templateOf(operation: OperationName): string {
	const all = parametersOf(operation);
	const shown = all.filter(([, { shape, required }]) => !isSecret(shape) && (required || all.length === 1));
	return JSON.stringify(Object.fromEntries(shown.map(([name, { shape }]) => [name, blank(shape)])));
}

/** Places for secrets in the parameters of an operation. Each may hold one already. */
export function secretPlaces(operation: OperationName, params: unknown): readonly SecretPlace[] {
	if (!isRecord(params)) return [];
	return parametersOf(operation).flatMap(([field, { shape, required }]) =>
		placesAt({ name: field, required, holder: params, field }, shape),
	);
}

function placesAt(place: SecretPlace, shape: AnyShape): readonly SecretPlace[] {
	const { name, holder } = place;
	const value = holder[place.field];
	if (isSecret(shape)) return [place];
	if (shape.kind === "list" && Array.isArray(value)) {
		return value.flatMap((item: unknown, at) =>
			placesAt({ name: `${name}[${at}]`, required: true, holder: { item }, field: "item" }, shape.item),
		);
	}
	if (shape.kind !== "record" || !isRecord(value)) return [];
	return Object.entries(shape.fields).flatMap(([field, part]) =>
		placesAt({ name: `${name}.${field}`, required: shape.required.includes(field), holder: value, field }, part),
	);
}

function parametersOf(operation: OperationName): readonly (readonly [string, Parameter<unknown>])[] {
	return Object.entries(OPERATIONS[operation].parameters);
}

function isSecret(shape: AnyShape): boolean {
	return shape.kind === "text" && shape.secret === true;
}

function blank(shape: AnyShape): unknown {
	return shape.kind === "list" ? [blank(shape.item)] : shape.kind === "record" ? {} : "";
}

/** JSON has no bytes: a file comes as base64 there. */
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
