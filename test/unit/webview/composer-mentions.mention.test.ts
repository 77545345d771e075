/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { mentionAt, without } from "#webview/composer-mentions.ts";

/** The mention at the `|` of a text. */
function at(marked: string) {
	const caret = marked.indexOf("|");
	return mentionAt(marked.replace("|", ""), caret);
}

test("a mention begins with @ at the start of a word and ends at the caret", () => {
	assert.deepEqual(at("@|"), { trigger: "@", query: "", from: 0, to: 1 });
	assert.deepEqual(at("look at @src/a|.ts"), { trigger: "@", query: "src/a", from: 8, to: 14 });
	assert.deepEqual(at("one\n@is|"), { trigger: "@", query: "is", from: 4, to: 7 });
	for (const none of ["mail@host|", "@home is|", "a @ b|", "|@file", "@one@two|"])
		assert.equal(at(none), undefined, none);
});

test("a search goes on over spaces, to the end of the line", () => {
	assert.equal(at("see @issue:bell rings|")?.query, "issue:bell rings");
	assert.equal(at("@pet:|")?.query, "pet:");
	assert.equal(at("@issue:bell\nrings|"), undefined);
	assert.equal(at("@other:bell rings|"), undefined);
	for (const word of ["file", "issue", "issues", "pet", "order"]) {
		assert.deepEqual(at(`see @${word} bell rings|`), {
			trigger: "@",
			query: `${word} bell rings`,
			from: 4,
			to: 16 + word.length,
		});
	}
	for (const none of ["@issue  24|", "@issue 24\n|", "@other 24|"]) assert.equal(at(none), undefined, none);
});

test("a prompt is meant only at the very start", () => {
	assert.deepEqual(at("/ex|"), { trigger: "/", query: "ex", from: 0, to: 3 });
	for (const none of ["a /ex|", "/ex and|", "/etc/passwd|", " /|"]) assert.equal(at(none), undefined, none);
});

test("a removed mention leaves the text around it, without a double space", () => {
	const left = (marked: string) => {
		const mention = at(marked) ?? assert.fail(marked);
		return without(marked.replace("|", ""), mention);
	};
	assert.equal(left("look at @file| closely"), "look at closely");
	assert.equal(left("@file| closely"), "closely");
	assert.equal(left("look at @file|, please"), "look at , please");
	assert.equal(left("@file|"), "");
});
