import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../support/paths.ts";

/**
 * Fields that the first table of faults below a heading of the sandbox's page names, each with its parts in order: `drop`,
 * `fail status times`. Sorted.
 */
export function documentedFields(heading: string): string[] {
	const page = readFileSync(join(ROOT, "docs/sandbox.md"), "utf8");
	const start = page.indexOf("| Field | Effect |", page.indexOf(`\n## ${heading}\n`));
	return page
		.slice(start, page.indexOf("\n\n", start))
		.split("\n")
		.slice(2)
		.map((row) => row.split(" | ")[0] ?? "")
		.flatMap((cell) => [...cell.matchAll(/`(\w+)(?:: (?:\{([^}]*)\}|n))?`/g)])
		.map(([, field = "", parts]) => [field, ...(parts?.split(", ").sort() ?? [])].join(" "))
		.sort();
}

/** Fields of an object that has every field there is, in the form of {@link documentedFields}. */
export function fieldsOf(everything: object): string[] {
	const partsOf = (value: unknown) =>
		typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value).sort() : [];
	return Object.entries(everything)
		.map(([field, value]) => [field, ...partsOf(value)].join(" "))
		.sort();
}

/** Every field of a failure that the sandbox was asked for. */
export const FAILURE = {
	status: 429,
	times: 1,
	message: "",
	body: "html",
	retryAfterSeconds: 0,
	retryAfterDateSeconds: 0,
	retryAfterMs: 0,
	shouldRetry: false,
	remaining: 0,
	resetSeconds: -1,
} as const;
