import assert from "node:assert/strict";
import { test } from "node:test";
import { excerpt } from "#base/excerpt.ts";

test("an excerpt drops common markdown marks and keeps what only looks like them", () => {
	const said =
		"# You said\n\n> hello\n\nI am the **built-in `sandbox`**, _not_ a *model*: [see](https://x.example/a).\n```ts\nlet a";
	assert.equal(excerpt(said), "You said hello I am the built-in sandbox, not a model: see. let a");
	assert.equal(excerpt("snake_case_name, 2 * 3 * 4, a#b, x > y, [1]"), "snake_case_name, 2 * 3 * 4, a#b, x > y, [1]");
	assert.equal(excerpt("x".repeat(50), 10), "xxxxxxxxx…");
});
