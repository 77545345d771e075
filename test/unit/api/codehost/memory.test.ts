import { strict as assert } from "node:assert";
import { test } from "node:test";
import { ReplyMemory } from "#api/codehost/memory.ts";

const url = (name: string) => new URL(`https://host.test/${name}`);
const reply = (value: string, { etag = '"e"' as string | undefined, size = 1 } = {}) => ({
	etag,
	value,
	link: undefined,
	size,
});

test("a reply is remembered for its address and credential, and for no other", () => {
	const memory = new ReplyMemory<string>({ entries: 10, size: 10 });
	memory.keep(url("a?x=1"), "ada", reply("A"));
	assert.equal(memory.recall(url("a?x=1"), "ada")?.value, "A");
	assert.equal(memory.recall(url("a?x=2"), "ada"), undefined);
	assert.equal(memory.recall(url("a?x=1"), "lin"), undefined);
});

test("only an ETag that can be sent back as it came is remembered", () => {
	const memory = new ReplyMemory<string>({ entries: 10, size: 10 });
	for (const etag of ['"abc"', 'W/"abc"', '""', "abc"]) {
		memory.keep(url("a"), "ada", reply("A", { etag }));
		assert.equal(memory.recall(url("a"), "ada")?.etag, etag);
	}
	for (const etag of [undefined, "", 'W/"a"b"', '"a\nb"', '"a", "b"']) {
		memory.keep(url("a"), "ada", { etag, value: "A", link: undefined, size: 1 });
		assert.equal(memory.recall(url("a"), "ada"), undefined, String(etag));
	}
});

test("beyond the limit of entries, the least recently used reply is evicted", () => {
	const memory = new ReplyMemory<string>({ entries: 2, size: 100 });
	memory.keep(url("a"), "ada", reply("A"));
	memory.keep(url("b"), "ada", reply("B"));
	memory.recall(url("a"), "ada");
	memory.keep(url("c"), "ada", reply("C"));
	assert.deepEqual(
		["a", "b", "c"].map((name) => memory.recall(url(name), "ada")?.value),
		["A", undefined, "C"],
	);
});

test("beyond the limit of size, replies are evicted and an oversized one is not kept", () => {
	const memory = new ReplyMemory<string>({ entries: 100, size: 10 });
	memory.keep(url("a"), "ada", reply("A", { size: 4 }));
	memory.keep(url("b"), "ada", reply("B", { size: 4 }));
	memory.keep(url("c"), "ada", reply("C", { size: 4 }));
	memory.keep(url("d"), "ada", reply("D", { size: 11 }));
	assert.deepEqual(
		["a", "b", "c", "d"].map((name) => memory.recall(url(name), "ada")?.value),
		[undefined, "B", "C", undefined],
	);
	for (let round = 0; round < 10; round++) memory.keep(url("c"), "ada", reply("C", { size: 6 }));
	assert.equal(memory.recall(url("b"), "ada")?.value, "B", "a reply that is replaced takes its size along");
});
