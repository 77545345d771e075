import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeIssues } from "#api/codehost/decode.ts";
import type { Issue } from "#api/codehost/model.ts";
import { DEFAULT_VIEW } from "#app/codehost/issue-view.ts";
import { LoadedIssues } from "#app/codehost/loaded-issues.ts";
import { measured } from "../../../support/cpu-time.ts";

const issues = (...numbers: readonly number[]): readonly Issue[] =>
	decodeIssues(numbers.map((number) => ({ number, title: `T${number}`, comments: number % 7, state: "open" })));
const numbers = (loaded: LoadedIssues) => loaded.shown.map(({ number }) => number);

test("a page comes after those before it, and no issue twice", () => {
	const loaded = new LoadedIssues(DEFAULT_VIEW);
	assert.deepEqual(loaded.append(issues(3, 2)), { type: "appended", from: 0 });
	assert.deepEqual(loaded.append(issues(2, 1, 1)), { type: "appended", from: 2 });
	assert.equal(loaded.append(issues(1)), null);
	assert.deepEqual(numbers(loaded), [3, 2, 1]);
});

test("in an order of our own a page goes where it belongs, and the equal stay in the service's order", () => {
	const loaded = new LoadedIssues({ ...DEFAULT_VIEW, sort: "comments" });
	loaded.append(issues(1, 6, 13));
	assert.deepEqual(numbers(loaded), [6, 13, 1]);
	assert.deepEqual(loaded.append(issues(20, 2)), { type: "replaced", from: 2 });
	assert.deepEqual(numbers(loaded), [6, 13, 20, 2, 1]);
	assert.deepEqual(loaded.append(issues(7)), { type: "appended", from: 5 });
});

test("what is not of the wanted state or lacks a word is loaded but not shown", () => {
	const loaded = new LoadedIssues({ ...DEFAULT_VIEW, text: "t1" });
	assert.deepEqual(loaded.append(issues(1, 2, 10)), { type: "appended", from: 0 });
	assert.deepEqual([numbers(loaded), loaded.size], [[1, 10], 3]);
	assert.equal(loaded.append(issues(5)), null);
	assert.deepEqual(loaded.show(DEFAULT_VIEW), { type: "replaced", from: 1 });
	assert.deepEqual(numbers(loaded), [1, 2, 10, 5]);
	assert.equal(loaded.show({ ...DEFAULT_VIEW, state: "all" }), null);
});

test("a replacement tells exactly what it does to those shown", () => {
	const loaded = new LoadedIssues(DEFAULT_VIEW);
	const first = issues(3, 2, 1);
	loaded.append(first);
	assert.equal(loaded.replace([...first]), null);
	const [two] = issues(2);
	const [three, , one] = first;
	assert.ok(one !== undefined && two !== undefined && three !== undefined);
	assert.deepEqual(loaded.replace([three, two, one]), { type: "changed", numbers: [2] });
	const [zero] = issues(0);
	assert.ok(zero !== undefined);
	assert.deepEqual(loaded.replace([three, two, one, zero]), { type: "appended", from: 3 });
	const [renamed] = issues(2);
	assert.ok(renamed !== undefined);
	assert.deepEqual(loaded.replace([three, renamed, zero, one]), { type: "replaced", from: 1 }, "the renamed one too");
	assert.deepEqual(loaded.replace([three, renamed]), { type: "replaced", from: 2 });
	assert.deepEqual(loaded.replace([]), { type: "replaced", from: 0 });
	assert.equal(loaded.replace([]), null);
});

test("an issue of which the service says nothing new stays the same object", () => {
	const loaded = new LoadedIssues(DEFAULT_VIEW);
	const [first] = issues(1);
	assert.ok(first !== undefined);
	loaded.append([first]);
	const [again] = issues(1);
	const [renamed] = decodeIssues([{ number: 1, title: "another" }]);
	assert.ok(again !== undefined && renamed !== undefined);
	assert.equal(loaded.same(again), first);
	assert.equal(loaded.same(renamed), renamed);
});

for (const sort of ["service", "comments", "title"] as const) {
	test(`the last page of ten thousand issues costs no more than a frame: ${sort}`, () => {
		const loaded = new LoadedIssues({ ...DEFAULT_VIEW, sort, text: "t" });
		let longest = 0;
		for (let page = 0; page < 100; page++) {
			const next = issues(...Array.from({ length: 100 }, (_, index) => page * 100 + index));
			const { cpuMs } = measured(() => loaded.append(next));
			if (page > 0) longest = Math.max(longest, cpuMs);
		}
		assert.equal(loaded.shown.length, 10_000);
		assert.ok(longest < 250, `${longest} ms`);
	});
}
