import assert from "node:assert/strict";
import { test } from "node:test";
import { oneLine } from "#base/one-line.ts";

test("any text becomes one line that cannot break, hide or reorder its row", () => {
	assert.equal(oneLine(" a\r\n\u2028b\u0000 c\t"), "a b c");
	assert.equal(oneLine("safe\u202egnp.exe\u2066\u200f!"), "safe gnp.exe !");
	assert.equal(oneLine("\u202e\n"), "");
	assert.equal(oneLine(`${" ".repeat(10_000)}late`), "late");
});

test("a line ends at its limit and cuts no character in two", () => {
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

test("a line keeps the joiners of emoji and words, but is never made only of them", () => {
	const joined = "\u{1f469}\u200d\u{1f467} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645";
	assert.equal(oneLine(joined), joined);
	assert.equal(oneLine("\u200d a\u200d\u202eb \u200c"), "a\u200d b");
	assert.equal(oneLine("\u200d \u200c"), "");
});

test("no tables are loaded to split characters between two Latin letters", (context) => {
	context.mock.method(Intl, "Segmenter", function load() {
		assert.fail("tables are loaded");
	});
	assert.equal(oneLine("na\u00efve ".repeat(40), 20), "na\u00efve na\u00efve na\u00efve n…");
	assert.equal(oneLine(`\u{1f50c}${"x".repeat(40)}`, 20), `\u{1f50c}${"x".repeat(17)}…`);
	assert.throws(() => oneLine("\u{1f50c}".repeat(40), 20), /tables are loaded/);
});
