import { strict as assert } from "node:assert";
import { test } from "node:test";
import { MAX_INT64, SALE_STATUSES } from "#sandbox/petstore/model.ts";
import { createSeed } from "#sandbox/petstore/seed.ts";

const options = { curious: true, pets: 60, password: "p" };
const seed = (more = {}) => createSeed({ ...options, ...more }, "http://a.example/pictures");

test("plain pets have every status, mixed kinds and a picture, the same at each start", () => {
	const { pets } = seed();
	assert.deepEqual(pets, seed().pets);
	const plain = pets.slice(0, 60);
	for (const status of SALE_STATUSES) {
		const of = plain.filter((pet) => pet.status === status);
		assert.ok(of.length >= 15, status);
		assert.ok(new Set(of.map(({ category }) => category?.name)).size > 2, status);
	}
	assert.ok(
		plain.every(({ photoUrls: [first = ""] }) => /^http:\/\/a\.example\/pictures\/[a-z]+-\d+\.png$/.test(first)),
	);
	assert.ok(plain.some(({ photoUrls }) => photoUrls.length === 2));
});

test("the curious pets include both ends of int64 and undocumented statuses", () => {
	const { pets } = seed({ pets: 2000 });
	const known: ReadonlySet<string | undefined> = new Set(SALE_STATUSES);
	assert.equal(new Set(pets.map(({ id }) => id)).size, pets.length);
	assert.ok(pets.length > 2000);
	for (const id of [2n ** 53n, 2n ** 53n + 1n, MAX_INT64]) assert.ok(pets.some((pet) => pet.id === id));
	assert.equal(pets.filter(({ status }) => !known.has(status)).length, 3);
});

test("two of the ten orders that can be looked up are free", () => {
	const ids = seed().orders.map(({ id }) => Number(id));
	assert.deepEqual(ids, [1, 2, 3, 5, 6, 7, 8, 10]);
});
