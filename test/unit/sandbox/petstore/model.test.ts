import { strict as assert } from "node:assert";
import { test } from "node:test";
import {
	dateTime,
	exactInt64,
	idInPath,
	MAX_INT64,
	orderDraft,
	petWith,
	SALE_STATUSES,
	userDraft,
	username,
} from "#sandbox/petstore/model.ts";
import { strictly } from "#sandbox/strict.ts";

test("an int64 is read to both its ends and no further", () => {
	for (const good of [MAX_INT64, -MAX_INT64 - 1n, 0n]) assert.equal(strictly(exactInt64, good, "id"), good);
	for (const bad of [MAX_INT64 + 1n, -MAX_INT64 - 2n, 7, "7", null])
		assert.throws(() => strictly(exactInt64, bad, "id"), /^ClientError: id/);
});

test("an id in a path is digits with at most a minus", () => {
	assert.equal(idInPath("9223372036854775807", "petId"), MAX_INT64);
	assert.equal(idInPath("-1", "petId"), -1n);
	for (const bad of ["", "+1", " 1", "1.0", "1e3", "0x1", "9223372036854775808", "1".repeat(1000)]) {
		assert.throws(() => idInPath(bad, "petId"), /^ClientError: petId/, bad);
	}
});

test("a date-time has a day that exists, a time and a zone", () => {
	assert.equal(strictly(dateTime, "2026-11-21T10:18:27.678Z", "d"), Date.UTC(2026, 10, 21, 10, 18, 27, 678));
	assert.equal(strictly(dateTime, "2024-02-29T23:00:00-01:00", "d"), Date.UTC(2024, 2, 1));
	for (const bad of ["2026-11-21", "2026-11-21T10:18:27", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "x", 1]) {
		assert.throws(() => strictly(dateTime, bad, "d"), /^ClientError: d/, String(bad));
	}
});

test("a username fits into a path and does not vanish from it", () => {
	for (const good of ["ada", "max integer", "Łódź", "a.b", "...", "x".repeat(100)])
		assert.equal(strictly(username, good, "u"), good);
	for (const bad of ["", ".", "..", "a/b", "a\\b", "a\nb", "x".repeat(101), 7]) {
		assert.throws(() => strictly(username, bad, "u"), /^ClientError: u/, String(bad));
	}
});

test("every field of the contract is read, and no other", () => {
	const readPet = petWith(SALE_STATUSES);
	const pet = { id: 1n, category: { id: 2n, name: "c" }, name: "", photoUrls: [], tags: [{}], status: "sold" };
	assert.deepEqual(strictly(readPet, pet), pet);
	assert.throws(() => strictly(readPet, { ...pet, status: "lost" }), /^ClientError: status/);
	assert.equal(strictly(petWith(["lost"]), { ...pet, status: "lost" }).status, "lost");
	assert.deepEqual(
		strictly(orderDraft, { id: 1n, petId: 2n, quantity: 3n, shipDate: "1970-01-01T00:00:00Z", complete: true }),
		{
			id: 1n,
			petId: 2n,
			quantity: 3,
			shipDate: 0,
			complete: true,
		},
	);
	assert.deepEqual(strictly(userDraft, { username: "a", userStatus: -1n }), { username: "a", userStatus: -1 });
	for (const schema of [orderDraft, userDraft])
		assert.throws(() => strictly<object>(schema, { extra: 1n }), /^ClientError: extra/);
	assert.throws(() => strictly(readPet, { ...pet, extra: 1n }), /^ClientError: extra/);
});
