import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Schema } from "#base/schema.ts";
import { strictly } from "#sandbox/strict.ts";
import { ROOT } from "../../../support/paths.ts";

/**
 * Fields that the first table of faults below a heading of the sandbox's page names, each with its parts in order: `drop`,
 * `fail status times`. Sorted.
 */
function documentedFields(heading: string): string[] {
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
function fieldsOf(everything: object): string[] {
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

/** Laws of each schema of faults; `everything` has every field there is, and the page tells of them below `heading`. */
export function testFaults(heading: string, schema: Schema<object>, everything: object): void {
	test("every field is documented, and every documented field is read", () => {
		assert.deepEqual(documentedFields(heading), fieldsOf(everything));
		assert.deepEqual(strictly(schema, everything), everything);
		assert.deepEqual(strictly(schema, {}), {});
	});

	test("every field refuses a value of another type, by name", () => {
		for (const name of Object.keys(everything)) {
			for (const wrong of [{ wrong: true }, null]) {
				assert.throws(() => strictly(schema, { [name]: wrong }, "b"), new RegExp(`^ClientError: b\\.${name}\\b`), name);
			}
		}
	});
}
