import { type ClientError, invalid } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import { pathPart } from "../http/address.ts";
import { isRecord } from "../http/json.ts";
import { wireTime } from "./date-time.ts";
import type { AnyShape, Int64Shape, ListShape, RecordShape, Shape, TextShape } from "./shape.ts";

const INT32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/**
 * An argument as it will be sent: ids are decimal digits, fields without a value are absent. Throws ClientError
 * `invalid`; its `field` is where, such as `tags[1].id`, below the name that is given.
 */
export function checked<T>(shape: Shape<T>, value: unknown, field: string): T {
	// Each branch below gives back only what its shape describes.
	return checkAny(shape, value, field) as T;
}

function checkAny(shape: AnyShape, value: unknown, field: string): unknown {
	switch (shape.kind) {
		case "int64":
			return checkInt64(shape, value, field);
		case "int32":
			if (!Number.isInteger(value)) throw refuse(field, "must be a whole number");
			if (Number(value) < INT32.least || Number(value) > INT32.most) throw refuse(field, "must fit into 32 bits");
			return value;
		case "text":
			return checkText(shape, value, field);
		case "flag":
			if (typeof value !== "boolean") throw refuse(field, "must be true or false");
			return value;
		case "time":
			return checkTime(value, field);
		case "list":
			return checkList(shape, value, field);
		case "record":
			return checkRecord(shape, value, field);
		case "file":
			return checkFile(value, field);
		default:
			throw refuse(field, "cannot be sent");
	}
}

function checkInt64({ min, max }: Int64Shape, value: unknown, field: string): string {
	if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)) {
		throw refuse(field, "has lost its last digits as a number: write it as text");
	}
	const id = int64Of(value);
	if (id === null) throw refuse(field, "must be a whole number of 64 bits");
	const exact = BigInt(id);
	if (min !== undefined && max !== undefined && (exact < min || exact > max)) {
		throw refuse(field, `must be from ${min} to ${max}`);
	}
	if (min !== undefined && exact < min) throw refuse(field, `must be ${min} or more`);
	return id;
}

function checkText({ values, isName }: TextShape, value: unknown, field: string): string {
	if (typeof value !== "string") throw refuse(field, "must be text");
	if (!value.isWellFormed()) throw refuse(field, "has half a character");
	if (values !== undefined && !values.includes(value)) {
		throw refuse(field, `must be ${values.slice(0, -1).join(", ")} or ${values.at(-1)}`);
	}
	if (isName) pathPart("petstore", [field, value]);
	return value;
}

function checkTime(value: unknown, field: string): string {
	const time = typeof value === "string" ? wireTime(value) : null;
	if (time === null) throw refuse(field, "must be a time such as 2026-11-21T10:18:27.678Z");
	return time;
}

function checkList({ item, min = 0 }: ListShape, value: unknown, field: string): unknown[] {
	if (!Array.isArray(value)) throw refuse(field, "must be a list");
	if (value.length < min) throw refuse(field, min === 1 ? "must not be empty" : `must hold at least ${min}`);
	return value.map((each: unknown, index) => checkAny(item, each, `${field}[${index}]`));
}

function checkRecord({ name, fields, required }: RecordShape, value: unknown, field: string): unknown {
	if (!isRecord(value)) throw refuse(field, `must be an object: a ${name}`);
	const below = (part: string) => (field === "body" ? part : `${field.replace(/^body\[/, "[")}.${part}`);
	const known = new Map(Object.entries(fields));
	for (const part of Object.keys(value)) {
		if (!known.has(part)) throw refuse(below(part), `is not a field of a ${name}`);
	}
	const entries: [string, unknown][] = [];
	for (const [part, shape] of known) {
		const given = Object.hasOwn(value, part) ? value[part] : undefined;
		if (given !== undefined && given !== null) entries.push([part, checkAny(shape, given, below(part))]);
		else if (required.includes(part)) throw refuse(below(part), "is missing");
	}
	return Object.fromEntries(entries);
}

function checkFile(value: unknown, field: string): unknown {
	if (!isRecord(value)) throw refuse(field, "must be a file");
	const { name, type, bytes } = value;
	if (!(bytes instanceof Uint8Array)) throw refuse(`${field}.bytes`, "must be bytes");
	if (typeof name !== "string") throw refuse(`${field}.name`, "must be text");
	if (typeof type !== "string" || !/^[\w.+-]+\/[\w.+-]+$/.test(type)) {
		throw refuse(`${field}.type`, "must be a media type such as image/png");
	}
	return { name, type, bytes };
}

function refuse(field: string, rule: string): ClientError {
	return invalid("petstore", field.replace(/^body(?=\[)/, ""), rule);
}
