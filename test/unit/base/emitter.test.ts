import { strict as assert } from "node:assert";
import { test } from "node:test";
import { Emitter } from "#base/emitter.ts";

test("every listener hears every value, in the order of subscription", () => {
	const emitter = new Emitter<number>();
	const heard: string[] = [];
	emitter.event((value) => heard.push(`a${value}`));
	emitter.event((value) => heard.push(`b${value}`));
	emitter.fire(1);
	emitter.fire(2);
	assert.deepEqual(heard, ["a1", "b1", "a2", "b2"]);
});

test("the same function subscribed twice hears each value twice", () => {
	const emitter = new Emitter<number>();
	const heard: number[] = [];
	const listener = (value: number) => heard.push(value);
	const first = emitter.event(listener);
	emitter.event(listener);
	emitter.fire(1);
	first.dispose();
	emitter.fire(2);
	assert.deepEqual(heard, [1, 1, 2]);
});

test("a listener that throws keeps no other from hearing", (t) => {
	const errors: unknown[] = [];
	const later = t.mock.method(globalThis, "queueMicrotask", (report: () => void) => {
		assert.throws(report, (error) => errors.push(error) > 0);
	});
	const emitter = new Emitter<number>();
	const heard: number[] = [];
	const failure = new Error("deaf");
	emitter.event(() => {
		throw failure;
	});
	emitter.event((value) => heard.push(value));
	emitter.fire(1);
	later.mock.restore();
	assert.deepEqual(heard, [1]);
	assert.deepEqual(errors, [failure]);
});

test("a listener that was disposed during a value does not hear it any more", () => {
	const emitter = new Emitter<number>();
	const heard: number[] = [];
	emitter.event(() => second.dispose());
	const second = emitter.event((value) => heard.push(value));
	emitter.fire(1);
	assert.deepEqual(heard, []);
});

test("a disposed emitter is silent, even to later listeners and during a value", () => {
	const emitter = new Emitter<number>();
	const heard: number[] = [];
	emitter.event(() => emitter.dispose());
	emitter.event((value) => heard.push(value));
	emitter.fire(1);
	emitter.event((value) => heard.push(value));
	emitter.fire(2);
	assert.deepEqual(heard, []);
});
