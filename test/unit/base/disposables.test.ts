import { strict as assert } from "node:assert";
import { test } from "node:test";
import { DisposableStore, toDisposable } from "#base/disposables.ts";

test("a release runs once however often it is disposed", () => {
	let released = 0;
	const disposable = toDisposable(() => released++);
	disposable.dispose();
	disposable.dispose();
	assert.equal(released, 1);
});

test("a store disposes in reverse order of adding", () => {
	const order: number[] = [];
	const store = new DisposableStore();
	for (const n of [1, 2, 3]) store.add(toDisposable(() => order.push(n)));
	store.dispose();
	assert.deepEqual(order, [3, 2, 1]);
});

test("a disposable added to a disposed store is disposed at once", () => {
	const store = new DisposableStore();
	assert.equal(store.disposed, false);
	store.dispose();
	assert.equal(store.disposed, true);
	let released = false;
	store.add(
		toDisposable(() => {
			released = true;
		}),
	);
	assert.ok(released);
});

test("every disposable is disposed though others throw", () => {
	const store = new DisposableStore();
	const order: number[] = [];
	for (const n of [1, 2, 3]) {
		store.add({
			dispose() {
				order.push(n);
				if (n !== 1) throw new Error(`error ${n}`);
			},
		});
	}
	assert.throws(() => store.dispose(), /error 3/);
	assert.deepEqual(order, [3, 2, 1]);
});
