import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { accumulate, emptyReply } from "#api/messages/accumulator.ts";
import type { StreamEvent } from "#api/messages/events.ts";
import { Continuation } from "#app/chat/continuation.ts";
import { replyText } from "#app/chat/conversation.ts";

/** What is shown in the end when an answer comes in these pieces, and after each of them. */
function shown(before: string, pieces: readonly string[], start = false): { whole: string; steps: string[] } {
	const continuation = new Continuation(before);
	let reply = emptyReply;
	let panel = "";
	const steps: string[] = [];
	const events: StreamEvent[] = pieces.map((text) => ({
		kind: "content_block_delta",
		index: 0,
		blockType: "text",
		text,
	}));
	if (start) events.unshift({ kind: "content_block_start", index: 0, blockType: "text", text: "" });
	for (const event of events) {
		const step = accumulate(reply, event);
		reply = step.reply;
		if (step.change === null) continue;
		const { delta } = continuation.take(step.change, reply);
		panel = delta.appended === null ? delta.block.text : panel + delta.appended;
		assert.equal(panel, delta.block.text);
		steps.push(panel);
	}
	const end = continuation.end(reply);
	if (end.delta !== undefined) panel += end.delta.appended ?? "";
	assert.equal(panel, replyText(end.reply), "what was told in pieces is the whole");
	return { whole: replyText(end.reply), steps };
}

const inPieces = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];

test("the last message ends without blank space, for services refuse one that does", () => {
	assert.equal(new Continuation("Once upon \n\n").prefill, "Once upon");
});

test("an echo of what was said is not shown, however it is cut, and what goes on is shown as it comes", () => {
	for (const size of [1, 3, 7, 100]) {
		assert.equal(shown("Once upon", inPieces("Once upon a time", size)).whole, " a time", `${size}`);
	}
	assert.deepEqual(shown("Once upon", ["Once ", "upon", " a", " time"]).steps, ["", "", " a", " a time"]);
});

test("an echo of the last words alone is not shown, and none behind blank space", () => {
	const before = "Hello there. The quick brown fo";
	for (const size of [1, 3, 100]) {
		const whole = (answer: string) => shown(before, inPieces(answer, size)).whole;
		assert.equal(whole("The quick brown fox jumps."), "x jumps.");
		assert.equal(whole("there. The quick brown fox jumps."), "x jumps.");
		assert.equal(whole(" The quick brown fox jumps."), "x jumps.");
		assert.equal(whole(`\n${before}x jumps.`), "x jumps.");
		assert.equal(shown(`${before}x `, inPieces("The quick brown fox jumps.", size)).whole, "jumps.");
		assert.equal(shown("- one\n  - the second on", inPieces("  - the second one", size)).whole, "e");
	}
	assert.deepEqual(shown(before, ["The quick", " red", " fox"]).steps, ["", "The quick red", "The quick red fox"]);
});

/** A paragraph that was cut off within a word. */
const PARAGRAPH = "The quick brown fox jumps over the lazy dog, and the dog sleeps on as if nothing at all had happ";

test("an echo on a line of its own is not shown where the last lines, or a long last one, go on within their last word", () => {
	const before = "Hello there.\n\nSome animals:\n  - The quick brown fo";
	for (const size of [1, 3, 100]) {
		const whole = (text: string, answer: string) => shown(text, inPieces(answer, size)).whole;
		assert.equal(whole(before, "\nSome animals:\n  - The quick brown fox jumps."), "x jumps.");
		assert.equal(whole(before, "\n\nSome animals:\n  - The quick brown fox jumps."), "x jumps.");
		assert.equal(whole(`Hello there.\n\n${PARAGRAPH}`, `\n${PARAGRAPH}ened.`), "ened.");
	}
	const pieces = ["\nSome animals:\n", "  - The quick brown fo", "x jumps."];
	assert.deepEqual(shown(before, pieces).steps, ["", "", "x jumps."]);
});

test("the beginning of the word that was cut off is not shown twice, alone or with the words before it", () => {
	for (const [before, answer, rest] of [
		["The answ", "answer is 42.", "er is 42."],
		["The answer. The answ", "answer is 42.", "er is 42."],
		["It is the capital of Fra", "France is Paris.", "nce is Paris."],
		["It is the capital of Fra", "of France.", "nce."],
		["It is the capital of France", "of France is Paris.", " is Paris."],
		["1. one\n2. two\n3. thr", "3. three\n4. four", "ee\n4. four"],
		["| 0 | zero |\n| 1 | on", "| 1 | one |", "e |"],
		["The quick brown fo", "brown fox jumps.", "x jumps."],
	] as const) {
		for (const size of [1, 3, 100]) assert.equal(shown(before, inPieces(answer, size)).whole, rest, answer);
	}
	for (const [before, answer] of [
		["A gentle mur", "mur of bees"],
		["A gentle mur", "mur"],
		["They said no", "no more"],
		["They can", " cannot"],
		["They said tar", "tAR"],
		["Once tar ", "tart"],
		["| zero\n| 1 | on", "| 1 | "],
	] as const) {
		for (const size of [1, 3, 100]) {
			assert.equal(shown(before, inPieces(answer, size)).whole, answer, `${answer} may be meant`);
		}
	}
});

test("what may be the next line is shown in full, much as it may be like the last one", () => {
	const list = "You can:\n- Copy the selected row\n- Delete the selected row";
	for (const [before, answer] of [
		[list, "\n- Delete the selected rows"],
		[list, "\n- Copy the selected row\n- Delete the selected row and more"],
		[list, "\n- Copy the selected row\n- Delete the selected row\n- Paste"],
		[list, "\n- Copy the selected row\n- Delete the selected row"],
		[`${list}\n`, "\n- Copy the selected row\n- Delete the selected rows"],
		[`${list} ${list}`, "\n- Copy the selected row\n- Delete the selected rows"],
		["all:\n- kind: step\n  retries: 1", "\n- kind: step\n  retries: 10"],
		["all:\n- kind: step\n  with: getElement", "\n- kind: step\n  with: getElementById"],
		[`Hello there. ${PARAGRAPH}`, `\n${PARAGRAPH}ened.`],
	] as const) {
		assert.equal(shown(before, inPieces(answer, 3)).whole.trimStart(), answer.trimStart());
	}
});

test("what the last words only resemble is shown in full", () => {
	const before = "Hello there. The quick brown fo";
	for (const answer of ["fox jumps.", "he quick brown fox.", "The quick brown f", "\nThe quick red"]) {
		assert.equal(shown(before, inPieces(answer, 2)).whole, answer);
	}
	for (const [text, answer] of [
		["Example:\n\nstack.push(1);", "\nstack.push(1);\nstack.pop();"],
		["| a | b |\n|------------", "--------------|------|"],
	] as const) {
		assert.equal(shown(text, inPieces(answer, 3)).whole, answer);
	}
	assert.equal(shown("No. Row your boat. Row your boat.", ["Row your boat. Gently"]).whole, "Row your boat. Gently");
});

test("blank space that was left off is not doubled", () => {
	assert.equal(shown("Once upon ", [" a time"]).whole, "a time");
	assert.equal(shown("Once upon ", ["a time"]).whole, "a time");
	assert.equal(shown("- one\n\n", ["\n", "\n", "- two"]).whole, "- two");
	assert.equal(shown("- one\n\n", ["\n- two"]).whole, "- two");
	assert.equal(shown("Once upon\n", ["Once upon", "\n", "a time"]).whole, "a time");
});

test("what only begins like an echo is shown in full", () => {
	assert.equal(shown("Once upon", ["Once ", "more"]).whole, "Once more");
	assert.equal(shown("Once upon", ["Once"]).whole, "Once");
	assert.equal(shown("ha", ["ha", "ha"]).whole, "haha", "two letters may be the same by chance");
	assert.equal(shown("", ["text"]).whole, "text");
});

test("in whatever pieces an answer comes, it is shown without its echo and the blank space, and nothing else is lost", () => {
	const words = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "a long word"), maxLength: 12 });
	fc.assert(
		fc.property(
			words,
			words,
			fc.record({
				blank: fc.constantFrom("", "\n", " \n"),
				echo: fc.nat(30),
				start: fc.boolean(),
				size: fc.integer({ min: 1, max: 5 }),
			}),
			(before, after, { blank, echo: from, start, size }) => {
				const prefill = before.trimEnd();
				const answer = blank + prefill.slice(from) + after;
				const { whole } = shown(before, inPieces(answer, size), start);
				assert.equal(answer.slice(answer.length - whole.length), whole);
				const lost = answer.slice(0, answer.length - whole.length);
				const rest = before.slice(prefill.length);
				const all = prefill.trim();
				const ends = [...all].map((_, at) => all.slice(at));
				const isEcho = (end: string) =>
					lost.trimStart().startsWith(end) &&
					(end === all
						? end.length >= 4
						: end.length >= (rest === "" && all.length >= 4 ? 3 : 12) &&
							!/[\p{L}\p{N}]$/u.test(all.slice(0, -end.length)));
				const echo = ends.find(isEcho);
				const beyond = echo === undefined ? lost : lost.trimStart().slice(echo.length);
				assert.ok(rest.startsWith(beyond), JSON.stringify({ lost, rest, echo }));
				if (from === 0 && all.length >= 4) assert.equal(echo, all);
			},
		),
		{ numRuns: 500 },
	);
});

test("a fence that is open already is not opened again, and nothing else that comes within one is left out", () => {
	const before = "Here:\n\n```js\nfirst();\n";
	for (const size of [1, 3, 100]) {
		const whole = (text: string, answer: string) => shown(text, inPieces(answer, size)).whole;
		assert.equal(whole(before, "```js\nsecond();\n```"), "second();\n```");
		assert.equal(whole(before, "\n\n```javascript\nsecond();"), "second();");
		assert.equal(whole(before.trimEnd(), "\n```js\nsecond();"), "\nsecond();");
		assert.equal(whole("Here:\n~~~~js\nfirst();\n", "~~~~js\nsecond();"), "second();");
		for (const [text, answer] of [
			[before, "```\nThat is all."],
			[before, "```js"],
			[before, "~~~js\nsecond();"],
			[before, "```js `x`\nsecond();"],
			[before, "``js\nsecond();"],
			["Here:\n\n````md\nfirst\n", "```js\nsecond();"],
			["Here:\n\n```js\nfirst();\n```\n", "```js\nsecond();"],
			["Here:\n\n```js\nfirst();\n```", "\n```js\nsecond();"],
			["Here it is:\n", "```js\nsecond();"],
			["Here:\n```", "js\nsecond();"],
		] as const) {
			assert.equal(whole(text, answer), answer, JSON.stringify([text, answer]));
		}
	}
	assert.deepEqual(shown(before, ["``", "`js", "\n", "second();"]).steps, ["", "", "", "second();"]);
});

test("code ends before a line of words behind which the service opens its fence again, and nothing that came is lost", () => {
	const before = "Here:\n\n```js\nfirst();\n";
	for (const size of [1, 3, 100]) {
		const whole = (text: string, answer: string) => shown(text, inPieces(answer, size)).whole;
		for (const words of ["Here is the rest:", "Sure, here's the rest of the code.", "Weiter geht’s …"]) {
			const answer = `${words}\n\n\`\`\`js\nsecond();\n\`\`\``;
			assert.equal(whole(before, answer), `\`\`\`\n\n${answer}`);
			assert.equal(whole(before, `\n\n${answer}`), `\`\`\`\n\n${answer}`);
			assert.equal(whole(before.trimEnd(), answer), `\n\`\`\`\n\n${answer}`);
			assert.equal(whole(`${before}    `, answer), `\n\`\`\`\n\n${answer}`);
		}
		assert.equal(whole("~~~~js\nfirst();\n", "Rest:\n~~~~js\nb"), "~~~~\n\nRest:\n~~~~js\nb");
		for (const [text, answer] of [
			[before, "Here is the rest:\n```ts\nsecond();"],
			[before, "Here is the rest:\n```\nsecond();"],
			[before, "Here is the rest:\nsecond();\n```js\n"],
			[before, "Here is the rest:\n```js"],
			[before, "Here is the rest"],
			[before, "Here is the rest:"],
			[before, "second();\n```js\n"],
			[before, "second\n```js\n"],
			[before, `${"so ".repeat(30)}on:\n\`\`\`js\nsecond();`],
			["- one\n  ```js\n  first();\n", "Here is the rest:\n```js\nsecond();"],
			["```\nfirst();\n", "Here is the rest:\n```\nsecond();"],
			["```js\nfirst();\n```\n", "Here is the rest:\n```js\nsecond();"],
		] as const) {
			assert.equal(whole(text, answer), answer, JSON.stringify([text, answer]));
		}
	}
	assert.deepEqual(
		shown(before, ["second", "(", ")"]).steps,
		["", "second(", "second()"],
		"code does not wait for its line",
	);
});
