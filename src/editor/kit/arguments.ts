import { invalid } from "#base/errors.ts";

/** The fields of a command's argument, still of unknown types. */
export type Fields = Readonly<Record<string, unknown>>;

/** A text that has to be there. */
export function requiredText(fields: Fields, name: string): string {
	const text = optionalText(fields, name);
	if (text === undefined) throw invalid("messages", name, "is missing");
	return text;
}

/** A text that may be absent; an empty one counts as a mistake. */
export function optionalText(fields: Fields, name: string): string | undefined {
	const value = fields[name];
	if (value === undefined || value === null) return undefined;
	if (typeof value !== "string" || value.trim() === "") throw invalid("messages", name, "must be a non-empty text");
	return value.trim();
}
