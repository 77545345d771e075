import assert from "node:assert/strict";
import { test } from "node:test";
import { checkInput, type InputSchema } from "#app/chat/tool-input.ts";
import { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";

const schema: InputSchema = {
	properties: {
		name: { type: "string", minLength: 1 },
		state: { type: "string", enum: ["open", "closed"] },
		limit: { type: "integer", minimum: 1, maximum: 100 },
		tags: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", minLength: 1, maxLength: 3 } },
		others: { type: "array" },
	},
	required: ["name"],
};
const check = (input: unknown) => checkInput(input, schema, "codehost");

test("an input as described is passed on as it is", () => {
	const input = { name: "a", state: "open", limit: 100, tags: ["x"] };
	assert.deepEqual(check(input), input);
	assert.deepEqual(check({ name: "a" }), { name: "a" });
});

test("what breaks the description is refused by the name of its field", () => {
	for (const [input, field, rule] of [
		[undefined, "input", /must be an object/],
		[["a"], "input", /must be an object/],
		[{}, "name", /is missing/],
		[{ name: 5 }, "name", /must be a text/],
		[{ name: " " }, "name", /must not be empty/],
		[{ name: "a", state: "shut" }, "state", /one of open, closed/],
		[{ name: "a", limit: 0 }, "limit", /from 1 to 100/],
		[{ name: "a", limit: 101 }, "limit", /from 1 to 100/],
		[{ name: "a", limit: 1.5 }, "limit", /whole number/],
		[{ name: "a", limit: "5" }, "limit", /whole number/],
		[{ name: "a", tags: "x" }, "tags", /must be a list/],
		[{ name: "a", tags: [] }, "tags", /must not be empty/],
		[{ name: "a", tags: ["x", ""] }, "tags", /must not be empty/],
		[{ name: "a", tags: [5] }, "tags", /must be a text/],
		[{ name: "a", tags: ["x", "y", "z"] }, "tags", /at most 2 items/],
		[{ name: "a", tags: ["long"] }, "tags", /at most 3 characters/],
		[{ name: "a", others: Array(LIMITS.tags + 1).fill("x") }, "others", /at most 10 items/],
		[{ name: "a".repeat(LIMITS.toolTextCharacters + 1) }, "name", /at most 1000 characters/],
		[{ name: "a", page: 1 }, "page", /is not known; use name, state, limit, tags, others/],
		[{ name: "a", toString: "x" }, "toString", /is not known/],
		[{ name: "a", state: null }, "state", /must be a text/],
	] as const) {
		assert.throws(
			() => check(input),
			(error) =>
				error instanceof ClientError && error.code === "invalid" && error.field === field && rule.test(error.message),
			JSON.stringify(input),
		);
	}
});
