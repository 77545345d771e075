import { strict as assert } from "node:assert";
import { test } from "node:test";

const MAX_INT64 = 2n ** 63n - 1n;

import { Store } from "#sandbox/petstore/store.ts";

const pet = (id: bigint) => ({ id, name: `${id}`, photoUrls: [] });
const storeOf = (...ids: bigint[]) => new Store({ pets: ids.map(pet), orders: [], users: [] });

test("a pet without an id gets a free one even where the highest is taken", () => {
	const store = storeOf(1n, MAX_INT64, 20_001n);
	assert.equal(store.addPet({ name: "x", photoUrls: [] }).id, 20_002n);
	assert.equal(store.addPet({ id: 0n, name: "y", photoUrls: [] }).id, 20_003n);
	assert.equal(store.pets.get(MAX_INT64)?.name, `${MAX_INT64}`);
});

test("each change by another client changes the pet, and leaves one trace", () => {
	const store = storeOf(1n);
	for (const times of [1n, 2n]) {
		store.changePet(store.pets.get(1n) ?? pet(1n));
		assert.deepEqual(store.pets.get(1n)?.tags, [{ id: times, name: "changed elsewhere" }]);
	}
});
