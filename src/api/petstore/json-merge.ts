import { jsonDigits, parseExactJson, parseSourceJson } from "#base/exact-json.ts";
import { isRecord } from "../http/json.ts";
import { readable } from "./decode.ts";
import type { AnyShape } from "./shape.ts";

/** JSON reply that an object was read from, and its place where the reply is a list. */
interface Origin {
	/** Shared by all objects of a reply, which is parsed when the first of them is sent back. */
	readonly reply: { readonly text: string; whole?: Raw };
	readonly index: number | undefined;
}

/** Two views of one part of a reply: numbers with all their digits to send, and values to compare. */
interface Raw {
	readonly sent: unknown;
	readonly read: unknown;
}

const origins = new WeakMap<object, Origin>();

/** Remembers the reply that an object was read from, so that an edit of it keeps unknown fields where it is JSON. */
export function rememberOrigin(read: object, reply: Origin["reply"], index?: number): void {
	if (!reply.text.startsWith("<")) origins.set(read, { reply, index });
}

/** Marks a copy so that it keeps the unknown fields of the reply, too. */
export function withOriginOf<T extends object>(read: object, copy: T): T {
	const origin = origins.get(read);
	if (origin !== undefined) origins.set(copy, origin);
	return copy;
}

/** JSON of a checked value, merged into the reply that `onto` was read from: what that has beside the value is kept. */
export function writeMergedJson(shape: AnyShape, value: unknown, onto: object | undefined): string {
	const origin = onto && origins.get(onto);
	if (origin === undefined) return writeJson(shape, value);
	const { reply, index } = origin;
	reply.whole ??= { sent: parseSourceJson(reply.text), read: parseExactJson(reply.text) };
	return JSON.stringify(merged(shape, value, index === undefined ? reply.whole : below(reply.whole, index)));
}

function merged(shape: AnyShape, value: unknown, raw: Raw | undefined): unknown {
	if (raw === undefined) return wireJson(shape, value);
	// An untouched part goes back as it came, also where not all of it could be read.
	if (isSame(readable(shape, raw.read), value)) return raw.sent;
	if (shape.kind === "list" && Array.isArray(value) && Array.isArray(raw.read)) {
		const left = raw.read.map((_, index) => below(raw, index));
		return value.map((item: unknown) => {
			const at = left.findIndex((each) => each !== undefined && isSameItem(readable(shape.item, each.read), item));
			return merged(shape.item, item, at === -1 ? undefined : left.splice(at, 1)[0]);
		});
	}
	if (shape.kind !== "record" || !isRecord(value) || !isRecord(raw.read) || !isRecord(raw.sent)) {
		return wireJson(shape, value);
	}
	const result: Record<string, unknown> = { ...raw.sent };
	for (const [name, field] of Object.entries(shape.fields)) {
		const part = below(raw, name);
		if (value[name] !== undefined) result[name] = merged(field, value[name], part);
		else if (part !== undefined && readable(field, part.read) !== undefined) delete result[name];
	}
	return result;
}

function below({ sent, read }: Raw, name: string | number): Raw | undefined {
	if (!isObject(sent) || !isObject(read) || !Object.hasOwn(read, name)) return undefined;
	return { sent: Reflect.get(sent, name), read: Reflect.get(read, name) };
}

function isObject(value: unknown): value is object {
	return typeof value === "object" && value !== null;
}

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

function isSameItem(one: unknown, other: unknown): boolean {
	if (isSame(one, other)) return true;
	return isRecord(one) && isRecord(other) && one["id"] !== undefined && one["id"] === other["id"];
}

/** A checked value as JSON: ids of 64 bits are numbers with all their digits. Indented by so many spaces, if any. */
export function writeJson(shape: AnyShape, value: unknown, { indent = 0 } = {}): string {
	return JSON.stringify(wireJson(shape, value), null, indent);
}

/** Value that `JSON.stringify` writes as the service expects it. */
function wireJson(shape: AnyShape, value: unknown): unknown {
	if (shape.kind === "int64" && typeof value === "string") return jsonDigits(value);
	if (shape.kind === "list" && Array.isArray(value)) return value.map((item: unknown) => wireJson(shape.item, item));
	if (shape.kind !== "record" || !isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(shape.fields)
			.filter(([name]) => value[name] !== undefined)
			.map(([name, field]) => [name, wireJson(field, value[name])]),
	);
}
