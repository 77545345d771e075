import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockChanges } from "#protocol/block-changes.ts";
import type { BlockChange } from "#protocol/panel.ts";

function change(key: string, text: string, rest: Partial<BlockChange> = {}): BlockChange {
	return { key, index: 0, type: "text", mode: "append", text, open: true, ...rest };
}

test("several appends to one block are one change, and the last open state counts", () => {
	const changes = new BlockChanges();
	changes.add("r", change("0", "a"));
	changes.add("r", change("1", "x"));
	changes.add("r", change("0", "b", { open: false }));
	assert.deepEqual(changes.take(), [{ message: "r", changes: [change("0", "ab", { open: false }), change("1", "x")] }]);
});

test("a replacement forgets what waited before it and keeps what follows", () => {
	const changes = new BlockChanges();
	changes.add("r", change("0", "lost"));
	changes.add("r", change("0", "whole", { mode: "replace" }));
	changes.add("r", change("0", "+"));
	assert.deepEqual(changes.take(), [{ message: "r", changes: [change("0", "whole+", { mode: "replace" })] }]);
});
