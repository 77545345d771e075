import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../../support/paths.ts";

/**
 * The fields that the README's first table of trouble behind a word names, each with its parts in order: `drop`,
 * `fail status times`. Sorted.
 */
export function fieldsInReadme(word: string): string[] {
	const readme = readFileSync(join(ROOT, "README.md"), "utf8");
	const start = readme.indexOf("| Field | Effect |", readme.indexOf(word));
	return readme
		.slice(start, readme.indexOf("\n\n", start))
		.split("\n")
		.slice(2)
		.map((row) => row.split(" | ")[0] ?? "")
		.flatMap((cell) => [...cell.matchAll(/`(\w+)(?:: (?:\{([^}]*)\}|n))?`/g)])
		.map(([, field = "", parts]) => [field, ...(parts?.split(", ").sort() ?? [])].join(" "))
		.sort();
}

/** The same of an object that has every field there is. */
export function fieldsOf(everything: object): string[] {
	const partsOf = (value: unknown) =>
		typeof value === "object" && value !== null && !Array.isArray(value) ? Object.keys(value).sort() : [];
	return Object.entries(everything)
		.map(([field, value]) => [field, ...partsOf(value)].join(" "))
		.sort();
}
