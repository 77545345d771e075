import { strict as assert } from "node:assert";
import { test } from "node:test";
import { SALE_STATUSES } from "#sandbox/petstore/model.ts";
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
