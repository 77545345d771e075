import assert from "node:assert/strict";
import { test } from "node:test";
import { expandPrompt, PROMPT_NAME, promptsOf, withPrompt } from "#app/chat/prompts.ts";

const placeholder = (name: string) => `$\{${name}}`.replace("\\", "");
const [SELECTION, FILE, OTHER] = ["selection", "file", "other"].map(placeholder);

test("prompts are texts under names without spaces, sorted by name", () => {
	const setting = { review: "Review", explain: "Explain", "two words": "x", "": "x", "a/b": "x" };
	assert.deepEqual(promptsOf(setting), [
		{ name: "explain", text: "Explain" },
		{ name: "review", text: "Review" },
	]);
});

test("a name of a prompt is a word of at most 50 characters without a slash", () => {
	for (const name of ["explain", "tests-for", "é", "x".repeat(50)]) assert.equal(PROMPT_NAME.test(name), true, name);
	for (const name of ["x".repeat(51), "", "two words", "a/b", "a\tb"])
		assert.equal(PROMPT_NAME.test(name), false, name);
});

test("saving a prompt keeps everything else in the setting", () => {
	const setting = { explain: "Explain", "code review": "Review", "a/b": "x", odd: 3 };
	assert.deepEqual(withPrompt(setting, { name: "new", text: "New" }), { ...setting, new: "New" });
	assert.deepEqual(withPrompt(setting, { name: "explain", text: "Anew" }), { ...setting, explain: "Anew" });
	for (const other of [null, undefined, [], "x"])
		assert.deepEqual(withPrompt(other, { name: "a", text: "b" }), { a: "b" });
});

test("a placeholder is replaced by its value, or an error says how to provide one", () => {
	const text = `Explain ${SELECTION} of ${FILE}; ${OTHER} stays`;
	const selection = `$& and ${FILE}`;
	assert.equal(expandPrompt(text, { selection, file: "src/a.ts" }), `Explain ${selection} of src/a.ts; ${OTHER} stays`);
	assert.throws(() => expandPrompt(text, { selection: "", file: "a.ts" }), {
		code: "invalid",
		field: "selection",
		message: /no text is selected\. Select some .* again\.$/,
	});
	assert.throws(() => expandPrompt(text, { selection }), { field: "file", message: /Open one .* again\.$/ });
	assert.equal(expandPrompt("No placeholder", {}), "No placeholder");
});
