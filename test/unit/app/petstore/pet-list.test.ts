import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Pet } from "#api/petstore/model.ts";
import { petFields, petListText, readPetList } from "#app/petstore/pet-list.ts";
import { int64Of } from "#base/int64.ts";

/** Fields that a list in CSV has of a pet. */
function throughCsv(pet: Pet) {
	const text = petListText([pet], "csv").slice(0, -2);
	// An editor gives all lines of a document one ending.
	return [text, text.replaceAll("\r\n", "\n"), text.replaceAll(/\r?\n/g, "\r\n")].map((each) => {
		const [{ value } = assert.fail()] = readPetList(each);
		return JSON.parse(JSON.stringify(petFields(Object(value))));
	});
}

test("a pet is read from CSV as it was written, odd names and line breaks included", () => {
	const special = fc.constantFrom(
		"",
		" ",
		" x",
		"x ",
		"(5)",
		"x ()",
		"a\nb",
		"a\r\nb",
		"\r",
		"a\\nb",
		"C:\\",
		"=1",
		'"',
	);
	const text = fc.oneof(special, fc.string());
	const id = fc.constantFrom("0", "5", "-1", "9223372036854775807").map((digits) => int64Of(digits) ?? assert.fail());
	const named = fc.record({ id, name: text }, { requiredKeys: [] });
	const pets = fc.record(
		{ id, name: text, status: fc.constant("sold"), category: named, tags: fc.array(named), photoUrls: fc.array(text) },
		{ requiredKeys: ["id", "name", "tags", "photoUrls"] },
	);
	fc.assert(
		fc.property(pets, (pet) => {
			for (const read of throughCsv(pet)) assert.deepEqual(read, JSON.parse(JSON.stringify(pet)));
		}),
		{ numRuns: 1000 },
	);
});

test("a name and its id are told apart in CSV, where one of them may be missing", () => {
	const tags = [{ id: int64Of("5") ?? assert.fail() }, { id: int64Of("0") ?? assert.fail(), name: "" }, {}];
	assert.match(petListText([{ tags }], "csv"), /"\(5\)\n \(0\)\n\(\)"/);
	const [{ value } = assert.fail()] = readPetList('name,tags,\nRex,"Dogs (1)\r\nfriendly\r\n\r\n"\n');
	assert.deepEqual(petFields(Object(value))["tags"], [
		{ id: "1", name: "Dogs" },
		{ id: undefined, name: "friendly" },
	]);
});
