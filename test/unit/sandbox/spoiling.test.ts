import { strict as assert } from "node:assert";
import { test } from "node:test";
import { spoil } from "#sandbox/spoiling.ts";

test("a field is replaced, added or left out, and everything else stays", () => {
	const body = { a: 1, b: 2 };
	assert.deepEqual(spoil(body, { field: "a", value: "x" }, 0), { a: "x", b: 2 });
	assert.deepEqual(spoil(body, { field: "a", value: null }, 0), { a: null, b: 2 });
	assert.deepEqual(spoil(body, { field: "c", value: [] }, 0), { a: 1, b: 2, c: [] });
	assert.deepEqual(spoil(body, { field: "a" }, 0), { b: 2 });
	assert.deepEqual(body, { a: 1, b: 2 });
});

test("of a list one item is put wrong, counted over all pages, or every one", () => {
	const list = [{ a: 1 }, { a: 2 }, { a: 3 }];
	assert.deepEqual(spoil(list, { at: 11, field: "a" }, 10), [{ a: 1 }, {}, { a: 3 }]);
	assert.deepEqual(spoil(list, { at: 1, field: "a" }, 10), list);
	assert.deepEqual(spoil(list, { field: "a" }, 10), [{}, {}, {}]);
});
