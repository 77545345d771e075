import { strict as assert } from "node:assert";
import { test } from "node:test";
import { decodePetstoreReply } from "#api/petstore/decode.ts";
import { inventoryShape } from "#api/petstore/model.ts";

test("an inventory with a value that is no count is refused by the first such field", () => {
	for (const [said, field] of [
		[{ code: 500, type: "error", message: "database down" }, "type"],
		[{ message: "maintenance" }, "message"],
		[{ sold: null }, "sold"],
		[{ available: 1.5 }, "available"],
	] as const) {
		assert.throws(() => decodePetstoreReply(inventoryShape, said), { code: "malformed", field });
	}
	assert.deepEqual(decodePetstoreReply(inventoryShape, {}), {});
	assert.deepEqual(decodePetstoreReply(inventoryShape, { available: "3", adopted: 0 }), { available: 3, adopted: 0 });
});

test("a count that cannot be used is left out of an inventory that has others", () => {
	const said = { available: 5, sold: null, pending: "", lost: 1.5 };
	const inventory = decodePetstoreReply(inventoryShape, said);
	assert.deepEqual(inventory, { available: 5 });
});
