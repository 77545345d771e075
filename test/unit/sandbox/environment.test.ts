import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SchemaFields } from "#base/schema.ts";
import { codehostFaults } from "#sandbox/codehost/faults.ts";
import { sandboxOptionsFrom } from "#sandbox/environment.ts";
import { messagesFaults } from "#sandbox/messages/faults.ts";
import { petstoreFaults } from "#sandbox/petstore/faults.ts";
import { ROOT } from "../../support/paths.ts";

/** Fields of the table of faults below a heading of the sandbox's page, each with its parts: `drop`, `fail status times`. */
function documentedFields(heading: string): string[] {
	const page = readFileSync(join(ROOT, "docs/sandbox.md"), "utf8");
	const start = page.indexOf("| Field | Effect |", page.indexOf(`\n## ${heading}\n`));
	const [table = ""] = page.slice(start).split("\n\n");
	const cells = table.split("\n").flatMap((row) => row.split(" | ")[0] ?? "");
	return cells
		.flatMap((cell) => [...cell.matchAll(/`(\w+)(?:: (?:\{([^}]*)\}|n))?`/g)])
		.map(([, field, parts]) => [field, ...(parts?.split(", ").sort() ?? [])].join(" "))
		.sort();
}

function fieldsOf(fields: SchemaFields): string[] {
	return Object.entries(fields)
		.map(([name, schema]) => [name, ...("fields" in schema ? Object.keys(Object(schema.fields)).sort() : [])].join(" "))
		.sort();
}

test("the docs name every fault that a service takes, and no other", () => {
	for (const [heading, { fields }] of [
		["Messages", messagesFaults],
		["Code host", codehostFaults],
		["Pet store", petstoreFaults],
	] as const) {
		assert.deepEqual(documentedFields(heading), fieldsOf(fields));
	}
});

test("an environment without our variables, or with empty ones, gives no options", () => {
	const empty = { SWITCHBOARD_SANDBOX_PORT: "", SWITCHBOARD_SANDBOX_FAULTS: "" };
	for (const environment of [{ PATH: "x" }, empty])
		assert.deepEqual(new Set(Object.values(sandboxOptionsFrom(environment))), new Set([undefined]));
});

test("the port, the faults of each service and the number of pets are read", () => {
	const faults = { fail: { status: 529, times: 2 }, wordDelayMs: 0 };
	const codehost = { limit: 50, on: ["user"] };
	const petstore = { changeAfterRead: true, tokenSeconds: 90 };
	assert.deepEqual(
		sandboxOptionsFrom({
			SWITCHBOARD_SANDBOX_PORT: "4711",
			SWITCHBOARD_SANDBOX_FAULTS: JSON.stringify(faults),
			SWITCHBOARD_SANDBOX_CODEHOST: JSON.stringify(codehost),
			SWITCHBOARD_SANDBOX_PETSTORE: JSON.stringify(petstore),
			SWITCHBOARD_SANDBOX_PETS: "2000",
		}),
		{ port: 4711, messages: faults, codehost, petstore, pets: 2000 },
	);
});

test("a wrong value is refused with the name of its variable", () => {
	const faults = ["{", "[]", "null", '{"fial":{}}', '{"fail":{"status":200}}'];
	for (const [name, values] of [
		["PORT", ["x", "-1", "65536", "1.5"]],
		["PETS", ["x", "-1", "1.5", "100001"]],
		["FAULTS", faults],
		["CODEHOST", faults],
		["PETSTORE", faults],
	] as const) {
		const variable = `SWITCHBOARD_SANDBOX_${name}`;
		for (const value of values) {
			assert.throws(() => sandboxOptionsFrom({ [variable]: value }), new RegExp(`^ClientError: ${variable}`));
		}
	}
});
