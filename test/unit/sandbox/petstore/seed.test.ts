import { strict as assert } from "node:assert";
import { test } from "node:test";
import { imageSizeOf } from "#base/image.ts";
import { SALE_STATUSES } from "#sandbox/petstore/model.ts";
import data from "#sandbox/petstore/pets.json" with { type: "json" };
import { createSeed, PETS } from "#sandbox/petstore/seed.ts";

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
	assert.ok(plain.every(({ photoUrls: [first = ""] }) => /^http:\/\/a\.example\/pictures\/[a-z]+\.png$/.test(first)));
});

test("no two pets share a name, and those written by hand have tags and a picture", () => {
	const names = seed({ pets: 200, curious: false }).pets.map(({ name }) => name);
	assert.equal(new Set(names).size, 200);
	assert.equal(PETS.length, 12);
	assert.equal(new Set(Object.values(data.pictures)).size, 12);
	for (const { name, tags = [], photoUrls } of PETS) {
		assert.deepEqual(photoUrls, [`/${name.toLowerCase()}.png`]);
		const picture = new Map(Object.entries(data.pictures)).get(name.toLowerCase()) ?? "";
		assert.match(name, /^[A-Z][a-z]+$/);
		assert.ok(tags.length > 0, name);
		assert.deepEqual(imageSizeOf(Buffer.from(picture, "base64")), { width: 128, height: 128 }, name);
	}
});
