import { invalid, type Service } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";

/** Field of a tool's input: as much of JSON Schema as the manifest uses. */
export interface InputField {
	readonly type: "string" | "integer" | "array";
	readonly enum?: readonly string[];
	readonly minLength?: number;
	readonly maxLength?: number;
	readonly minimum?: number;
	readonly maximum?: number;
	readonly minItems?: number;
	readonly maxItems?: number;
	readonly items?: InputField;
}

/** The input of a tool, as the manifest describes it. Fields that it does not name are refused. */
export interface InputSchema {
	readonly properties: Readonly<Record<string, InputField>>;
	readonly required?: readonly string[];
}

/** An input that was found to be as described. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** Holds the input of a tool against its description: a model may well have made it up. Throws `invalid` naming the field. */
export function checkInput(input: unknown, { properties, required = [] }: InputSchema, service: Service): ToolInput {
	if (typeof input !== "object" || input === null || Array.isArray(input)) {
		throw invalid(service, "input", "must be an object");
	}
	const fields: ToolInput = Object.fromEntries(Object.entries(input));
	const missing = required.find((name) => fields[name] === undefined);
	if (missing !== undefined) throw invalid(service, missing, "is missing");
	for (const [name, value] of Object.entries(fields)) {
		const field = properties[name];
		if (field === undefined || !Object.hasOwn(properties, name)) {
			throw invalid(service, name, `is not known; use ${Object.keys(properties).join(", ")}`);
		}
		const mistake = mistakeIn(value, field);
		if (mistake !== undefined) throw invalid(service, name, mistake);
	}
	return fields;
}

/** Mistake in a value, completing "<field> ...". */
function mistakeIn(value: unknown, field: InputField): string | undefined {
	const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER, minLength = 0, minItems = 0 } = field;
	const { maxLength = LIMITS.toolTextCharacters, maxItems = LIMITS.tags } = field;
	if (field.type === "integer") {
		if (!Number.isSafeInteger(value)) return "must be a whole number";
		return Number(value) < minimum || Number(value) > maximum ? `must be from ${minimum} to ${maximum}` : undefined;
	}
	if (field.type === "array") {
		if (!Array.isArray(value)) return "must be a list";
		if (value.length < minItems) return "must not be empty";
		if (value.length > maxItems) return `must have at most ${maxItems} items`;
		const { items } = field;
		return items && value.map((each) => mistakeIn(each, items)).find((mistake) => mistake !== undefined);
	}
	if (typeof value !== "string") return "must be a text";
	if (value.length > maxLength) return `must have at most ${maxLength} characters`;
	if (field.enum !== undefined && !field.enum.includes(value)) return `must be one of ${field.enum.join(", ")}`;
	return value.trim().length < minLength ? "must not be empty" : undefined;
}
