import { isRecord } from "../http/json.ts";
import type { AnyShape } from "./shape.ts";

/** Secrets in a value. */
export function secretsOf(shape: AnyShape | undefined, value: unknown): string[] {
	if (shape?.kind === "text") return shape.secret === true && typeof value === "string" && value !== "" ? [value] : [];
	if (shape?.kind === "list" && Array.isArray(value)) return value.flatMap((item) => secretsOf(shape.item, item));
	if (shape?.kind !== "record" || !isRecord(value)) return [];
	return Object.entries(shape.fields).flatMap(([name, field]) => secretsOf(field, value[name]));
}

/** True if a value of the shape can hold a secret. */
export function holdsSecret(shape: AnyShape): boolean {
	if (shape.kind === "record") return Object.values(shape.fields).some(holdsSecret);
	if (shape.kind === "list") return holdsSecret(shape.item);
	return shape.kind === "session" || (shape.kind === "text" && shape.secret === true);
}

/** Value with placeholders for its secrets, made from the names of their fields. */
export function withSecretsAs(
	placeholder: (name: string) => string,
	{ shape, value, name = "" }: { readonly shape: AnyShape; readonly value: unknown; readonly name?: string },
): unknown {
	if (shape.kind === "text" && shape.secret === true && typeof value === "string") return placeholder(name);
	if (shape.kind === "list" && Array.isArray(value)) {
		return value.map((item: unknown) => withSecretsAs(placeholder, { shape: shape.item, value: item }));
	}
	if (shape.kind !== "record" || !isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([field, part]) => [
			field,
			withSecretsAs(placeholder, { shape: shape.fields[field] ?? shape, value: part, name: field }),
		]),
	);
}
