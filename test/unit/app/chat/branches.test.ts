import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Branches } from "#app/chat/branches.ts";
import type { Entry, Turn } from "#app/chat/conversation.ts";

const entry = (id: string, parent: string | null, text = id): Turn => ({
	role: "user",
	id,
	parent,
	text,
	attachments: [],
	at: 0,
});
const ids = (entries: readonly Entry[]) => entries.map(({ id }) => id);

/** A tree in which `b` and `c` follow `a`, and one each follows them. */
const fork = () =>
	new Branches({
		entries: [entry("a", null), entry("b", "a"), entry("b1", "b"), entry("c", "a"), entry("c1", "c")],
		chosen: [],
	});

test("the newest version is on screen, with its continuation, until another is chosen", () => {
	const tree = fork();
	assert.deepEqual(ids(tree.path), ["a", "c", "c1"]);
	assert.equal(tree.choose("b"), true);
	assert.deepEqual(ids(tree.path), ["a", "b", "b1"]);
	assert.deepEqual(tree.versions("b"), { index: 0, count: 2, ids: ["b", "c"] });
	assert.equal(tree.choose("b1"), false, "what is on screen need not be chosen");
	tree.choose("c1");
	assert.deepEqual(ids(tree.path), ["a", "c", "c1"], "what it follows comes with it");
});

test("an entry whose parent was lost follows what stood before it, with its versions", () => {
	const tree = new Branches({
		entries: [entry("a", null), entry("b", "a"), entry("c", "lost"), entry("d", "lost"), entry("e", "d")],
		chosen: [],
	});
	assert.deepEqual(ids(tree.path), ["a", "b", "d", "e"]);
	assert.deepEqual(tree.versions("c").ids, ["c", "d"]);
});

const step = fc.oneof(
	{ weight: 5, arbitrary: fc.record({ do: fc.constant("add" as const), to: fc.nat(12) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("choose" as const), to: fc.nat(12) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("drop" as const), to: fc.nat(12) }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("replace" as const), to: fc.nat(12) }) },
);

test("any sequence of changes leaves one path, given by the entries and the choices", () => {
	fc.assert(
		fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
			const tree = new Branches();
			const there = new Map<string, string | null>();
			let count = 0;
			for (const { do: what, to } of steps) {
				const known = [...there.keys()];
				const target = known[to % Math.max(1, known.length)];
				if (what === "add") {
					const id = `e${count++}`;
					// Now and then a first one, beside those there are.
					const parent = to === 12 ? null : (target ?? null);
					tree.add(entry(id, parent));
					there.set(id, parent);
				} else if (target !== undefined && what === "choose") {
					tree.choose(target);
					assert.ok(ids(tree.path).includes(target));
					assert.deepEqual(ids(tree.lineage(target)), ids(tree.path).slice(0, tree.lineage(target).length));
				} else if (target !== undefined && what === "drop") {
					const isLeaf = ![...there.values()].includes(target);
					assert.equal(tree.drop(target), isLeaf);
					if (isLeaf) there.delete(target);
				} else if (target !== undefined) {
					const changed = entry(target, there.get(target) ?? null, "changed");
					tree.add(changed);
					assert.equal(tree.get(target), changed);
				}
				const path = ids(tree.path);
				path.forEach((id, at) => {
					assert.equal(there.get(id), path[at - 1] ?? null);
					assert.equal(tree.path[at], tree.get(id));
				});
				const last = path.at(-1) ?? null;
				assert.ok(![...there.values()].includes(last) || there.size === 0, "nothing follows the last");
				assert.deepEqual(ids(tree.all).sort(), [...there.keys()].sort());
				for (const id of there.keys()) {
					const { ids: versions, index } = tree.versions(id);
					assert.equal(versions[index], id);
					assert.deepEqual(
						versions,
						[...there.keys()].filter((each) => there.get(each) === there.get(id)),
					);
				}
				const again = new Branches({ entries: tree.all, chosen: tree.chosen });
				assert.deepEqual(ids(again.path), path);
			}
		}),
	);
});
