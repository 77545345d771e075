import { parseBoundedJson } from "#base/exact-json.ts";
import { oneLine } from "#base/one-line.ts";
import type { Outcome } from "#base/reply.ts";
import { isRecord, parseJson } from "../http/json.ts";
import type { Block, Reply, ToolDefinition } from "./model.ts";

/** Name of a tool that every service takes. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Characters of such a name at most. */
export const LONGEST_NAME = 64;

/**
 * Call of a tool as a reply makes it: with its input, or with the reason why it is never run, or with both where the input
 * is whole and does not fit the schema.
 */
export type ReceivedCall = {
	/** Key of its block. */
	readonly key: string;
	/** Id on the wire, unique in the reply; empty for a call that cannot be sent again because its input or name cannot be read. */
	readonly id: string;
	readonly name: string;
} & ({ readonly input: Input } | { readonly fault: string } | { readonly input: Input; readonly fault: string });

type Input = Readonly<Record<string, unknown>>;

const LONG_NUMBER = "Its input has a number with too many digits. Write long numbers as text.";

const NAMELESS = { id: "", name: "" };

/** Outcomes of replies that the service has ended as it meant to. */
const WHOLE: ReadonlySet<Outcome> = new Set<Outcome>(["complete", "stop-sequence", "refused"]);

/**
 * The calls of a reply that has ended, in the order of its blocks. A call is run only if its block was stopped, its JSON is
 * an object with the required fields of a tool that was offered, the reply waits for its calls, and all of it could be
 * read: any other has a `fault`, a sentence for the person and the model. `isOff` knows the tools that the person could turn
 * on.
 */
export function callsOf(
	reply: Reply,
	outcome: Outcome,
	tools: readonly ToolDefinition[],
	isOff: (name: string) => boolean = () => false,
): readonly ReceivedCall[] {
	const used = new Set<string>();
	const blocks = reply.blocks.filter(({ type }) => type === "tool_use");
	return blocks.map((block): ReceivedCall => {
		const { key, stopped = false, tool = NAMELESS } = block;
		const input = stopped ? inputOf(block) : undefined;
		const id = input !== undefined && TOOL_NAME.test(tool.name) ? uniqueId(tool.id, used) : "";
		const call = { key, id, name: tool.name };
		if (!stopped || !(outcome === "tool-use" || WHOLE.has(outcome))) {
			return { ...call, fault: "The call was cut off and was not run." };
		}
		if (outcome !== "tool-use") return { ...call, fault: "The reply did not wait for this call, and it was not run." };
		// A piece of the input may be among what could not be read, and the rest may be JSON all the same.
		if (reply.notes.malformed > 0)
			return { ...call, fault: "Part of the reply was unreadable, and the call was not run." };
		const offered = tools.find(({ name }) => name === tool.name);
		const name = oneLine(tool.name, 64) || '""';
		if (offered === undefined) {
			const off = `${name} is off in this conversation. Run Choose Tools to turn it on.`;
			return { ...call, fault: isOff(tool.name) ? off : `There is no tool named ${name}.` };
		}
		if (input === undefined) return { ...call, fault: "Its input is not a JSON object." };
		if (hasLongNumber(input)) return { ...call, fault: LONG_NUMBER };
		const fault = faultOfInput(input, offered.input_schema);
		return fault === undefined ? { ...call, input } : { ...call, input, fault };
	});
}

/** Input of the call in a block as `read` reads it: no text is `{}`; undefined for what is no JSON object. */
export function inputOf({ text }: Pick<Block, "text">, read = parseBoundedJson): Input | undefined {
	const value = text.trim() === "" ? {} : parseJson(text, read);
	return isRecord(value) ? value : undefined;
}

/** An id or a name with characters alone that every service takes. */
export function validId(id: string): string {
	return id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

/** An id or a name of at most so many characters, which is none of those `used`, and now is one of them. */
export function uniqueId(id: string, used: Set<string>, most = Number.POSITIVE_INFINITY): string {
	const valid = id.slice(0, most) || "call";
	let unique = valid;
	for (let number = 2; used.has(unique); number++) unique = `${valid.slice(0, most - 4)}_${number}`;
	used.add(unique);
	return unique;
}

/**
 * A sentence about the first part of an input that does not fit the schema of a tool, by its path, such as `items[2].id`.
 * Checked are required fields, types, enumerations and constants; null for an optional field, and whatever else a schema
 * says, such as `anyOf`, is the tool's own business.
 */
function faultOfInput(value: unknown, schema: unknown, path = ""): string | undefined {
	if (!isRecord(schema)) return undefined;
	const types = [schema["type"]].flat().filter((type) => typeof type === "string");
	if (types.length > 0 && !types.some((type) => isOfType(value, type)))
		return `Its field ${path} is not of type ${types.join(" or ")}.`;
	const firstOf = (faults: readonly (string | undefined)[]) => faults.find((fault) => fault !== undefined);
	if (Array.isArray(value)) {
		const items = "prefixItems" in schema ? undefined : schema["items"];
		return firstOf(value.map((item, at) => faultOfInput(item, items, `${path}[${at}]`)));
	}
	if (!isRecord(value)) {
		const values = "const" in schema ? [schema["const"]] : listOf(schema["enum"]);
		if (values.length === 0 || values.includes(value)) return undefined;
		return `Its field ${path} is none of ${values.map((each) => JSON.stringify(each)).join(", ")}.`;
	}
	const below = path === "" ? "" : `${path}.`;
	const required = listOf(schema["required"]);
	const lacking = required.find((name) => typeof name === "string" && !Object.hasOwn(value, name));
	if (lacking !== undefined) return `Its input lacks the field ${below}${lacking}.`;
	const fields = Object.entries(isRecord(schema["properties"]) ? schema["properties"] : {});
	const checked = fields.filter(
		([name]) => Object.hasOwn(value, name) && (value[name] !== null || required.includes(name)),
	);
	return firstOf(checked.map(([name, field]) => faultOfInput(value[name], field, below + name)));
}

/** True too for a type that JSON Schema does not know. */
function isOfType(value: unknown, type: string): boolean {
	switch (type) {
		case "object":
			return isRecord(value);
		case "array":
			return Array.isArray(value);
		case "null":
			return value === null;
		case "integer":
			return Number.isInteger(value);
		case "string":
		case "number":
		case "boolean":
			return typeof value === type;
		default:
			return true;
	}
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

/** True if a number in a value is so large that it may not be the one that was written. */
function hasLongNumber(value: unknown): boolean {
	if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER;
	return typeof value === "object" && value !== null && Object.values(value).some(hasLongNumber);
}
