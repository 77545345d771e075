import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pet } from "#api/petstore/model.ts";
import { groupOf, groupPets, groupSize, NO_FILTER, passer } from "#app/petstore/pets.ts";
import { int64Of } from "#base/int64.ts";

function pet(id: string, fields: Omit<Pet, "id"> = {}): Pet {
	return { id: int64Of(id) ?? assert.fail(id), ...fields };
}

const grouped = (pets: readonly Pet[], inventory?: Record<string, number>, filter = NO_FILTER) =>
	groupPets(pets, { filter, inventory });
const names = (pets: readonly Pet[]) => pets.map(({ name }) => name);

test("a pet with an unknown status or none is among the others", () => {
	for (const status of ["available", "pending", "sold"] as const) assert.equal(groupOf({ status }), status);
	for (const pet of [{ status: "adopted" }, { status: "Available" }, { status: "" }, {}]) {
		assert.equal(groupOf(pet), "other");
	}
});

test("each status of the contract has a group, and so have the others, even if empty", () => {
	assert.deepEqual(
		grouped([]).map(({ name, known, pets }) => [name, known, pets.length]),
		[
			["available", 0, 0],
			["pending", 0, 0],
			["sold", 0, 0],
			["other", 0, 0],
		],
	);
});

test("pets sort by name, with numbers by value, then by id", () => {
	const all = [pet("10", { name: "Pip 10" }), pet("9007199254740993", { name: "Ada" }), pet("3", { name: "Ada" })];
	const [, , , others] = grouped([...all, pet("4", { name: "Pip 9" }), pet("5")]);
	assert.deepEqual(
		others?.pets.map(({ id }) => id),
		["5", "3", "9007199254740993", "4", "10"],
	);
});

test("pets that the store counts but does not list are in the size of their group", () => {
	const pets = [pet("1", { status: "sold" }), pet("2", { status: "adopted" }), pet("3")];
	const [available, , sold, other] = grouped(pets, { sold: 3, adopted: 1, lost: 2, constructor: 1 });
	assert.deepEqual(available?.unlisted, []);
	assert.deepEqual(sold?.unlisted, [{ status: "sold", count: 2 }]);
	assert.ok(sold && groupSize(sold) === 3);
	assert.deepEqual(other?.unlisted, [
		{ status: "lost", count: 2 },
		{ status: "constructor", count: 1 },
	]);
	assert.ok(other && other.known === 2 && groupSize(other) === 5);
});

test("pets without a status count as those of an empty one", () => {
	const [, , , other] = grouped([pet("1"), pet("2", { status: "toString" })], { "": 1 });
	assert.deepEqual(other?.unlisted, []);
	assert.ok(other && other.known === 2 && groupSize(other) === 2);
});

test("without an inventory a group has the size of what is listed", () => {
	const [available] = grouped([pet("1", { status: "available" })]);
	assert.ok(available && groupSize(available) === 1);
});

test("a filter takes nothing from what is known", () => {
	const pets = [pet("1", { name: "Ada", status: "sold" }), pet("2", { name: "Bo", status: "sold" })];
	const [, , sold] = grouped(pets, { sold: 2 }, { text: "ada", tags: [] });
	assert.deepEqual([names(sold?.pets ?? []), sold?.known, sold?.unlisted], [["Ada"], 2, []]);
});

test("every word must be in the name, id or category, but only one of the tags", () => {
	const ada = pet("9007199254740993", {
		name: "Ada the Dog",
		category: { name: "Dogs" },
		tags: [{ name: "Needs a garden" }, {}, { name: "senior" }],
	});
	const passes = (text: string, ...tags: readonly string[]) => passer({ text, tags })(ada);
	for (const text of ["", "ada", "DOG ada", "0993", "dogs 9007"]) assert.ok(passes(text), text);
	for (const text of ["bo", "ada cat", "9007199254740992"]) assert.ok(!passes(text), text);
	assert.ok(passes("", "needs a garden") && passes("ada", "friendly", "SENIOR"));
	assert.ok(!passes("", "garden") && !passes("bo", "senior"));
	assert.ok(!passer({ text: "", tags: ["senior"] })({}));
});
