import { invalid } from "#base/errors.ts";

/** The fields of a command's argument, still of unknown types. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * The plain-object argument of a command, or undefined when there is none and the person is to be asked. Throws
 * `invalid` for anything else and for fields the command does not know. `fields` are named as in `ARGUMENTS`.
 */
export function fieldsOf(argument: unknown, fields: readonly string[]): Fields | undefined {
	if (argument === undefined || argument === null) return undefined;
	if (typeof argument !== "object" || Array.isArray(argument))
		throw invalid("messages", "argument", "must be an object");
	for (const name of Object.keys(argument)) {
		if (!fields.includes(name) && !fields.includes(`${name}?`))
			throw invalid("messages", name, "is not an argument of this command");
	}
	return argument as Fields;
}

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

/** A key that may be absent; an empty one says that there is none. */
export function optionalKey(fields: Fields): string | undefined {
	return fields["key"] === "" ? undefined : optionalText(fields, "key");
}
