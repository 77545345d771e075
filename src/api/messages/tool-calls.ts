import { parseBoundedJson } from "#base/exact-json.ts";
import { oneLine } from "#base/one-line.ts";
import type { Outcome } from "#base/reply.ts";
import { isRecord, parseJson } from "../http/json.ts";
import type { Block, Reply, ToolDefinition } from "./model.ts";

/** Name of a tool that every service takes. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Maximum length of a tool's name, in characters. */
export const LONGEST_NAME = 64;

/** Tool call of a reply: its input, the reason why it is not run, or both if a complete input does not fit the schema. */
export type ReceivedCall = {
	/** Key of its block. */
	readonly key: string;
	/** Id on the wire, unique in the reply; empty for a call with an unreadable input or name, which is not replayed. */
	readonly id: string;
	readonly name: string;
} & ({ readonly input: Input } | { readonly fault: string } | { readonly input: Input; readonly fault: string });

type Input = Readonly<Record<string, unknown>>;

/** Outcomes of replies that the service ended normally. */
const WHOLE: ReadonlySet<Outcome> = new Set<Outcome>(["complete", "stop-sequence", "refused"]);

/**
 * Reads the calls of an ended reply, in block order. A call may run only if its block was stopped, its input fits an offered
 * tool, the reply waits for results, and no event was malformed. Any other has a `fault`, a sentence for the person and the
 * model. `isOff` is true for tools that exist but are turned off.
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
		const { key, stopped = false, tool = { id: "", name: "" } } = block;
		const input = stopped ? inputOf(block) : undefined;
		const id = input !== undefined && TOOL_NAME.test(tool.name) ? uniqueId(tool.id, used) : "";
		const call = { key, id, name: tool.name };
		const not = (fault: string) => ({ ...call, fault });
		if (!stopped || !(outcome === "tool-use" || WHOLE.has(outcome)))
			return not("The call was cut off and was not run.");
		if (outcome !== "tool-use") return not("The reply did not wait for this call, and it was not run.");
		// The unreadable event may have held a piece of the input, even if the rest is valid JSON.
		if (reply.notes.malformed > 0) return not("Part of the reply was unreadable, and the call was not run.");
		const offered = tools.find(({ name }) => name === tool.name);
		const name = oneLine(tool.name, 64) || '""';
		if (offered === undefined && isOff(tool.name))
			return not(`${name} is off in this conversation. Run Choose Tools to turn it on.`);
		if (offered === undefined) return not(`There is no tool named ${name}.`);
		if (input === undefined) return not("Its input is not a JSON object.");
		if (hasLongNumber(input)) return not("Its input has a number with too many digits. Write long numbers as text.");
		const fault = faultOfInput(input, offered.input_schema);
		return fault === undefined ? { ...call, input } : { ...call, input, fault };
	});
}

/** Parses the input of a call with `read`. No text is `{}`; undefined for anything but a JSON object. */
export function inputOf({ text }: Pick<Block, "text">, read = parseBoundedJson): Input | undefined {
	const value = text.trim() === "" ? {} : parseJson(text, read);
	return isRecord(value) ? value : undefined;
}

/** Replaces the characters of an id or a name that some services refuse. */
export function validId(id: string): string {
	return id.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
}

/** Makes an id or a name of at most `most` characters unique among those `used`, and adds it to them. */
export function uniqueId(id: string, used: Set<string>, most = Number.POSITIVE_INFINITY): string {
	const valid = id.slice(0, most) || "call";
	let unique = valid;
	for (let number = 2; used.has(unique); number++) unique = `${valid.slice(0, most - 4)}_${number}`;
	used.add(unique);
	return unique;
}

const JSON_TYPES: ReadonlySet<unknown> = new Set("object array string number integer boolean null".split(" "));

/** Describes the first field that is missing, or has a wrong type or value. The tool checks what is deeper by itself. */
function faultOfInput(input: Input, schema: Input): string | undefined {
	const required = listOf(schema["required"]);
	const lacking = required.find((name) => typeof name === "string" && !Object.hasOwn(input, name));
	if (lacking !== undefined) return `Its input lacks the field ${lacking}.`;
	for (const [name, field] of Object.entries(isRecord(schema["properties"]) ? schema["properties"] : {})) {
		const value = input[name];
		// Models write null for an optional field that they leave out.
		if (!isRecord(field) || value === undefined || (value === null && !required.includes(name))) continue;
		const types = [field["type"]].flat();
		const own = typesOf(value);
		if (types.every((type) => JSON_TYPES.has(type) && !own.includes(type)))
			return `Its field ${name} is not of type ${types.join(" or ")}.`;
		const values = listOf(field["enum"]);
		if (values.length > 0 && !values.includes(value))
			return `Its field ${name} is none of ${values.map((each) => JSON.stringify(each)).join(", ")}.`;
	}
	return undefined;
}

function typesOf(value: unknown): readonly unknown[] {
	if (value === null) return ["null"];
	if (Array.isArray(value)) return ["array"];
	return Number.isInteger(value) ? ["integer", "number"] : [typeof value];
}

function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

function hasLongNumber(value: unknown): boolean {
	if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER;
	return typeof value === "object" && value !== null && Object.values(value).some(hasLongNumber);
}
