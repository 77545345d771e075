import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pet } from "#api/petstore/model.ts";
import { groupPets } from "#app/petstore/pets.ts";
import { int64Of } from "#base/int64.ts";
import { chunkLook, leftOutLook, noteLooks, petFilterWords, petGroupLook, petLook } from "#editor/petstore/pet-look.ts";

const id = int64Of("9223372036854775807") ?? assert.fail("an id");
const bell: Pet = {
	id,
	name: "Bell",
	category: { name: "Dogs" },
	tags: [{ name: "loud" }, {}],
	photoUrls: ["https://pets.example/1.png"],
	status: "sold",
};
const look = (pet: Pet) => petLook(pet, "");

test("the accessible label has the name, the category, the status and the tags", () => {
	assert.equal(look(bell).spoken, "Pet Bell, Dogs, sold, loud");
	assert.equal(look({ id }).spoken, "Pet (no name), no status");
	assert.equal(look({ id, name: "A\r\nB\u202e", status: "in quarantine" }).spoken, "Pet A B, in quarantine");
});

test("a row has its id where its name repeats, and every status its own icon", () => {
	const pets = ["available", "pending", "sold", "lost"].map((status, at): Pet => {
		return { id: int64Of(at + 1) ?? id, name: at === 0 ? "Bo" : "Rex", status };
	});
	const groups = groupPets(pets, { filter: { text: "", tags: [] }, inventory: undefined });
	const looks = groups.flatMap(({ pets, namesakes }) =>
		pets.map((pet) => petLook(pet, "", namesakes.has(pet.name ?? ""))),
	);
	assert.deepEqual(
		looks.map(({ description }) => description),
		["", "2", "3", "4"],
	);
	assert.match(looks[1]?.spoken ?? "", /^Pet Rex, 2, pending$/);
	assert.equal(new Set(looks.map(({ icon }) => icon)).size, 4);
});

test("a pet offers its photo only if it has a web photo, and commands only with an id", () => {
	assert.equal(look(bell).context, "pet.photo");
	for (const photoUrls of [[], ["javascript:alert(1)"], [" "], ["file:///etc/passwd"], ["https://a:b@c.example/"]]) {
		assert.equal(look({ ...bell, photoUrls }).context, "pet", photoUrls.join());
	}
	const { id: _, ...stray } = bell;
	assert.equal(look(stray).context, "stray.photo");
});

test("a group shows its size, with what is only counted, and its filtered size", () => {
	const pets = [bell, { ...bell, id: int64Of("1") ?? id, name: "Bo" }];
	const sold = (inventory: Record<string, number> | undefined, text = "") =>
		groupPets(pets, { filter: { text, tags: [] }, inventory })[2] ?? assert.fail("a group");
	assert.equal(petGroupLook(sold({ sold: 2 }), false).description, "2");
	assert.equal(petGroupLook(sold(undefined), false).spoken, "Sold, 2 pets");
	assert.equal(petGroupLook(sold({ sold: 2 }, "bell"), true).description, "1 of 2");
	assert.equal(petGroupLook(sold({ sold: 5 }), false).description, "5");
	assert.equal(petGroupLook(sold({}), false).context, "group.sold");
});

test("below a group stands what is only counted, or why there is nothing", () => {
	const groups = (inventory: Record<string, number>, text = "") =>
		groupPets([bell], { filter: { text, tags: [] }, inventory });
	const notes = (at: number, inventory: Record<string, number> = {}, text = "") => {
		const group = groups(inventory, text)[at] ?? assert.fail("a group");
		return noteLooks(group).map(({ label, description }) => [label, description]);
	};
	assert.deepEqual(notes(2), []);
	assert.deepEqual(notes(2, {}, "nobody"), [["No pet matches the filter", undefined]]);
	assert.deepEqual(notes(0), [["No pets", undefined]]);
	assert.deepEqual(notes(3, { lost: 2, "": 1 }), [
		["lost", "2 counted by the store, not listed"],
		["(no status)", "1 counted by the store, not listed"],
	]);
});

test("items of a list that are no pets are counted in words", () => {
	assert.equal(leftOutLook(1).spoken, "1 left out: an item of the store's list is no pet");
	assert.equal(leftOutLook(6).spoken, "6 left out: items of the store's list are no pets");
});

test("a part of a large group says which ones and from whom to whom", () => {
	const { label, description, spoken } = chunkLook(200, [bell, { ...bell, name: "Bo" }]);
	assert.deepEqual([label, description, spoken], ["201-202", "Bell to Bo", "Pets 201-202, Bell to Bo"]);
});

test("the head of the view says what is filtered, and nothing where all is shown", () => {
	assert.equal(petFilterWords({ text: "", tags: [] }), "");
	assert.equal(petFilterWords({ text: "big dog", tags: ["a", "b c"] }), '"big dog" · tag a or b c');
});
