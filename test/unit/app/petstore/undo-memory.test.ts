import assert from "node:assert/strict";
import { test } from "node:test";
import { UndoMemory, type UndoStep } from "#app/petstore/undo-memory.ts";
import { int64Of } from "#base/int64.ts";

const step = (connection: string, id: number, store: string | undefined = "somewhere"): UndoStep => ({
	...{ connection, id: int64Of(id) ?? assert.fail(), store, before: {}, after: undefined },
});

test("the last step of a pet is found by its store and its id, and the last of all without them", () => {
	const memory = new UndoMemory(() => "somewhere");
	const steps = [step("a", 1), step("b", 1), step("a", 2), step("a", 1), step("b", 2)];
	for (const each of steps) memory.add(each);
	assert.equal(memory.last(step("a", 1)), steps[3]);
	assert.equal(memory.last(step("b", 1)), steps[1]);
	assert.equal(memory.last(), steps[4]);
	assert.equal(memory.last({ connection: "a" }), steps[3]);
	assert.equal(memory.last({ id: step("a", 2).id }), steps[4]);
	memory.forget(steps[3]);
	assert.equal(memory.last(step("a", 1)), steps[0]);
	assert.equal(memory.last(step("c", 1)), undefined);
});

test("the oldest steps go when there are many, and whoever shows them hears of each change", () => {
	const memory = new UndoMemory(() => "somewhere");
	let heard = 0;
	memory.onDidChange(() => {
		heard += 1;
	});
	for (let id = 1; id <= 60; id++) memory.add(step("a", id));
	assert.equal(heard, 60);
	assert.equal(memory.list().length, 50);
	assert.equal(memory.list()[0]?.id, "11");
});

test("a move of many pets counts as one change, and goes as one", () => {
	const memory = new UndoMemory(() => "somewhere");
	let heard = 0;
	memory.onDidChange(() => {
		heard += 1;
	});
	const move = Symbol("move");
	const steps = Array.from({ length: 80 }, (_, id) => ({ ...step("a", id), move }));
	memory.add(...steps);
	assert.equal(heard, 1);
	for (let id = 1; id < 50; id++) memory.add(step("b", id));
	assert.deepEqual(memory.ofMove(move), steps);
	memory.forget(steps[3], steps[4]);
	assert.equal(memory.ofMove(move).length, 78);
	memory.add(step("b", 50));
	assert.deepEqual(memory.ofMove(move), []);
	assert.equal(memory.list().length, 50);
});

test("a change is none where its connection leads elsewhere, and one again where it leads back", () => {
	const stores = new Map([["a", "here"]]);
	const memory = new UndoMemory((connection) => stores.get(connection));
	const steps = [step("a", 1, "here"), step("gone", 1, "here"), step("a", 2, undefined)];
	memory.add(...steps);
	assert.deepEqual(memory.list(), [steps[0]]);
	stores.set("a", "elsewhere");
	assert.deepEqual([memory.list(), memory.last()], [[], undefined]);
	stores.set("a", "here");
	assert.equal(memory.last(), steps[0]);
	stores.clear();
	assert.equal(memory.last(), undefined);
});

test("a change whose answer comes after its connection was led elsewhere is none of the store there", () => {
	const memory = new UndoMemory(() => "there");
	memory.add(step("a", 1, "here"));
	assert.deepEqual(memory.list(), []);
});
