import assert from "node:assert/strict";
import { test } from "node:test";
import { type UndoStep, undoMemory } from "#app/petstore/pet-service.ts";
import { int64Of } from "#base/int64.ts";

const step = (connection: string, id: number, store: string | undefined = "somewhere"): UndoStep => ({
	connection,
	id: int64Of(id) ?? assert.fail(),
	store,
	before: {},
	after: undefined,
});

test("the last step is found by store and pet, by either, or overall", () => {
	const memory = undoMemory(() => "somewhere");
	const steps = [step("a", 1), step("b", 1), step("a", 2), step("a", 1), step("b", 2)];
	for (const each of steps) memory.add(each);
	assert.equal(memory.last(step("a", 1)), steps[3]);
	assert.equal(memory.last(step("b", 1)), steps[1]);
	assert.equal(memory.last(), steps[4]);
	assert.equal(memory.last({ connection: "a" }), steps[3]);
	assert.equal(memory.last({ id: step("a", 2).id }), steps[4]);
	memory.forget(steps[3] ?? assert.fail());
	assert.equal(memory.last(step("a", 1)), steps[0]);
	assert.equal(memory.last(step("c", 1)), undefined);
});

test("the oldest steps are evicted, and each change is announced", () => {
	const memory = undoMemory(() => "somewhere");
	let heard = 0;
	memory.onDidChange(() => {
		heard += 1;
	});
	for (let id = 1; id <= 60; id++) memory.add(step("a", id));
	assert.equal(heard, 60);
	assert.equal(memory.steps.length, 50);
	assert.equal(memory.steps[0]?.id, "11");
});

test("a batch counts as one change", () => {
	const memory = undoMemory(() => "somewhere");
	const batch = {};
	const steps = Array.from({ length: 80 }, (_, id) => ({ ...step("a", id), batch }));
	for (const each of steps) memory.add(each);
	for (let id = 1; id < 50; id++) memory.add(step("b", id));
	assert.deepEqual(memory.of(batch), steps);
	memory.add(step("b", 50));
	assert.deepEqual(memory.of(batch), []);
});

test("a step whose connection leads to another store is passed over", () => {
	let store: string | undefined = "somewhere";
	const memory = undoMemory(() => store);
	memory.add(step("a", 1));
	store = "elsewhere";
	assert.equal(memory.last(), undefined);
});
