import { pastedSecret } from "#app/connections/fields.ts";
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

/** The passphrase of a key, just as it is: blank space is a part of it. It may be absent. */
export function optionalPassphrase(fields: Fields): string | undefined {
	const value = fields["passphrase"];
	if (value === undefined || value === null) return undefined;
	if (typeof value !== "string" || value === "") throw invalid("messages", "passphrase", "must be a non-empty text");
	return value;
}

/** A key or token that may be absent, as it is meant: {@link pastedSecret}. An empty one counts as a mistake. */
export function givenSecret(fields: Fields, name: string, meant = pastedSecret): string | undefined {
	const text = optionalText(fields, name);
	return text === undefined ? undefined : meant(text);
}

/** Key or token that may be absent; an empty one says that there is none. */
export function optionalSecret(fields: Fields, name: string, meant = pastedSecret): string | undefined {
	return fields[name] === "" ? undefined : givenSecret(fields, name, meant);
}
