import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { AnyOperation } from "#api/petstore/operation.ts";
import { OPERATIONS, type OperationName } from "#api/petstore/operations.ts";

/** One operation of the OpenAPI document, as far as the table has it too. */
interface Documented {
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly consumes?: readonly string[];
	readonly produces: readonly string[];
	readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
	readonly responses: Readonly<Record<string, { readonly description: string }>>;
	readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
	readonly deprecated?: boolean;
}

const DOCUMENT: { readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>> } = JSON.parse(
	readFileSync(new URL("petstore-v2.json", import.meta.url), "utf8"),
);

const TYPES: Readonly<Record<string, readonly string[]>> = {
	json: ["application/json"],
	"json or xml": ["application/json", "application/xml"],
	form: ["application/x-www-form-urlencoded"],
	multipart: ["multipart/form-data"],
};

const documented = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
);

test("the table has the operations of the document, and no other", () => {
	assert.deepEqual(Object.keys(OPERATIONS).sort(), documented.map(({ operationId }) => operationId).sort());
});

for (const wanted of documented) {
	test(`${wanted.operationId} is in the table what the document says of it`, () => {
		const own: AnyOperation = OPERATIONS[wanted.operationId as OperationName];
		const { method, path, tag, security, deprecated, errors, takes, gives, parameters } = own;
		assert.deepEqual(
			[method, path, [tag], deprecated],
			[wanted.method, wanted.path, wanted.tags, wanted.deprecated ?? false],
		);
		assert.deepEqual(security === null ? [] : [security], (wanted.security ?? []).flatMap(Object.keys));
		assert.deepEqual(takes === undefined ? [] : TYPES[takes], wanted.consumes ?? []);
		assert.deepEqual(TYPES[gives], wanted.produces);
		const failures = Object.entries(wanted.responses).filter(([status]) => /^[45]/.test(status));
		assert.deepEqual(
			errors,
			Object.fromEntries(failures.map(([status, { description }]) => [status, description])),
			"the listed errors",
		);
		const places = wanted.parameters.map(({ name, in: place, required }) => [
			name,
			{ in: place === "formData" ? "form" : place, required },
		]);
		assert.deepEqual(
			Object.fromEntries(
				Object.entries(parameters).map(([name, { in: place, required }]) => [name, { in: place, required }]),
			),
			Object.fromEntries(places),
			"the parameters",
		);
	});
}
