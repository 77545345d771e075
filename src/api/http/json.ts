import { LIMITS } from "#base/limits.ts";

/** The value of JSON text, or undefined when it is not JSON or nested too deep to be walked through or written again. */
export function parseJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		// A level takes two characters: the short events of a stream are not walked through.
		return text.length > 2 * LIMITS.jsonDepth && isDeeper(value, LIMITS.jsonDepth) ? undefined : value;
	} catch {
		return undefined;
	}
}

function isDeeper(value: unknown, depth: number): boolean {
	if (typeof value !== "object" || value === null) return false;
	return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** Whether JSON text ends inside a string or before its brackets are closed. */
export function isCutJson(text: string): boolean {
	let depth = 0;
	for (const [token, end] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*("?)|[[\]{}]/gs)) {
		if (end === "") return true;
		if (token === "{" || token === "[") depth++;
		else if (token === "}" || token === "]") depth--;
	}
	return depth > 0;
}

/** Whether a JSON value is an object (not an array, not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is text, else null. */
export function textOf(value: unknown): string | null {
	return typeof value === "string" ? value : null;
}
