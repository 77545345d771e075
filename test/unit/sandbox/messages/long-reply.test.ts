import { strict as assert } from "node:assert";
import { test } from "node:test";
import { generateReply } from "#sandbox/messages/long-reply.ts";

const shapes = ["mixed", "table", "list", "fence", "prose"] as const;

test("every shape has the asked length and at most one unit more", () => {
	for (const shape of shapes) {
		for (const kilobytes of [0, 0.1, 1, 200]) {
			const { length } = generateReply({ kilobytes, shape });
			assert.ok(length >= kilobytes * 1024 && length < kilobytes * 1024 + 1024, `${shape} ${kilobytes}: ${length}`);
		}
	}
});

test("the same numbers give the same text, another seed another", () => {
	assert.equal(generateReply({ kilobytes: 5 }), generateReply({ kilobytes: 5, seed: 1, shape: "mixed" }));
	assert.notEqual(generateReply({ kilobytes: 5, seed: 2 }), generateReply({ kilobytes: 5, seed: 3 }));
});

test("the mixed shape has every kind of block, also characters of two, three and four bytes", () => {
	const text = generateReply({ kilobytes: 50 });
	for (const sign of [
		/^## /m,
		/^ {4}- /m,
		/^\| --- \|/m,
		/^```ts$/m,
		/^> /m,
		/\]\(https:/,
		/\*\*/,
		/`\w+\(\)`/,
		/ç/,
		/電/,
		/🔌/,
	]) {
		assert.match(text, sign);
	}
	assert.equal((text.match(/^```/gm) ?? []).length % 2, 0);
});

test("a single table, list or fence is single", () => {
	const table = generateReply({ kilobytes: 20, shape: "table" });
	assert.ok(
		table
			.trimEnd()
			.split("\n")
			.every((line) => line.startsWith("| ")),
	);
	const list = generateReply({ kilobytes: 20, shape: "list" });
	assert.ok(
		list
			.trimEnd()
			.split("\n")
			.every((line) => /^ *- /.test(line)),
	);
	const fence = generateReply({ kilobytes: 20, shape: "fence" });
	assert.match(fence, /^```ts\n[^`]+\n```\n$/);
	assert.ok(!generateReply({ kilobytes: 20, shape: "prose" }).includes("\n"));
});
