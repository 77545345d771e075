import { parseBoundedJson, parseSourceJson } from "#base/exact-json.ts";

/** Parsed JSON; undefined if it is malformed or nested too deeply. */
export function parseJson(text: string, read = parseBoundedJson): unknown {
	try {
		return read(text);
	} catch {
		return undefined;
	}
}

/** The value of JSON text, in which a number of a call of a tool is written again as it came. */
export function parseCallJson(text: string): unknown {
	return parseJson(text, /\d{16}/.test(text) && text.includes('"tool_use"') ? parseSourceJson : undefined);
}

/** True if JSON ends inside a string or an open bracket. */
export function isCutJson(text: string): boolean {
	let depth = 0;
	for (const [token, end] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*("?)|[[\]{}]/gs)) {
		if (end === "") return true;
		if (token === "{" || token === "[") depth++;
		else if (token === "}" || token === "]") depth--;
	}
	return depth > 0;
}

/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is text, else null. */
export function textOf(value: unknown): string | null {
	return typeof value === "string" ? value : null;
}
