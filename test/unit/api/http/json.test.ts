import { strict as assert } from "node:assert";
import { test } from "node:test";
import { parseJson } from "#api/http/json.ts";

test("JSON nested more than 100 deep is none, however deep it is", () => {
	const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${"1,".repeat(200)}1${"]}".repeat(depth / 2)}`;
	assert.notEqual(parseJson(nested(100)), undefined);
	for (const depth of [102, 5_000, 1_000_000]) assert.equal(parseJson(nested(depth)), undefined, `${depth}`);
});
