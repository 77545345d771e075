import assert from "node:assert/strict";
import { test } from "node:test";
import { excerpt, oneLine } from "#app/chat/one-line.ts";

test("a text of anybody is one line without what breaks, hides or turns round the rest of its row", () => {
	assert.equal(oneLine(" a\r\n\u2028b\u0000 c\t"), "a b c");
	assert.equal(oneLine("safe\u202egnp.exe\u2066\u200f!"), "safe gnp.exe !");
	assert.equal(oneLine("\u202e\n"), "");
	assert.equal(oneLine(`${" ".repeat(10_000)}late`), "late");
});

test("it ends at its limit and cuts no character in two, those that are made of several included", () => {
	const family = "👨‍👩‍👧‍👦";
	assert.equal(oneLine(`${family} and 🏳️‍🌈`), `${family} and 🏳️‍🌈`);
	for (const character of ["🔌", family, "é", "🇩🇪"]) {
		for (let most = 20; most < 40; most++) {
			const line = oneLine(character.repeat(100), most);
			assert.ok(line.length <= most, `${line.length} of ${most}`);
			assert.equal(line.replaceAll(character, ""), "…");
		}
	}
	assert.ok(oneLine(`e${"\u0301".repeat(1_000)}`).length <= 200);
	assert.equal(oneLine("x".repeat(200)).length, 200);
});

test("an excerpt is without the commonest marks of markdown, and leaves alone what only looks like them", () => {
	const said =
		"# You said\n\n> hello\n\nI am the **built-in `sandbox`**, _not_ a *model*: [see](https://x.example/a).\n```ts\nlet a";
	assert.equal(excerpt(said), "You said hello I am the built-in sandbox, not a model: see. let a");
	assert.equal(excerpt("snake_case_name, 2 * 3 * 4, a#b, x > y, [1]"), "snake_case_name, 2 * 3 * 4, a#b, x > y, [1]");
	assert.equal(excerpt("x".repeat(50), 10), "xxxxxxxxx…");
});
