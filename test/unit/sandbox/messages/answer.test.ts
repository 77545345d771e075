import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { turnText } from "#app/chat/attachments.ts";
import { composeAnswer, escapedExcerpt, withoutAttachments } from "#sandbox/messages/answer.ts";
import type { ReceivedTurn } from "#sandbox/messages/request.ts";
import { parseBlocks, parseInline } from "#webview/markdown/parser.ts";

const user = (content: string): ReceivedTurn => ({ role: "user", content });
const assistant = (content: string): ReceivedTurn => ({ role: "assistant", content });
const answer = (...turns: ReceivedTurn[]) => composeAnswer(turns).join("\n\n");

test("an answer is short, and repeats no question", () => {
	const text = answer(user("a first question"), assistant("x"), user("a second question"));
	assert.ok(text.split(/\s+/).length < 30, text);
	assert.doesNotMatch(text, /first|second/);
});

test("what the sandbox can do is answered, and shown where markdown is asked for", () => {
	assert.match(answer(user("What can you do?")), /^I look things up in my own pet store/);
	assert.match(answer(user("Show me a table, a list and some code")), /^\| Pet .*^1\. Lists.*^```ts/ms);
});

test("a summary lists what was asked, each shortened without splitting a character", () => {
	const text = answer(user("🔌".repeat(100)), assistant("x"), user("z"), user("Summarize our conversation."));
	assert.match(text, new RegExp(`^1\\. “${"🔌".repeat(59)}…”\\n2\\. “z”$`, "m"));
	assert.ok(text.isWellFormed());
});

test("any line of others shows as itself where an answer quotes it", () => {
	const character = fc.constantFrom(..."ab1 .:;!?()[]{}<>*_`~|\\$&#+-='\"/");
	fc.assert(
		fc.property(fc.string({ unit: character, maxLength: 30 }), (text) => {
			const line = text.replace(/\s+/g, " ").trim();
			const shown = escapedExcerpt(text);
			if (line === "") return;
			const types = parseBlocks(`- ${shown}`, {}).map(({ type }) => type);
			const inside = ["list_item_open", "paragraph_open", "inline", "paragraph_close", "list_item_close"];
			assert.deepEqual(types, ["bullet_list_open", ...inside, "bullet_list_close"], shown);
			const parts = parseInline(shown, {});
			assert.ok(
				parts.every(({ type }) => type === "text" || type === "text_special"),
				shown,
			);
			assert.equal(parts.map(({ content }) => content).join(""), line);
		}),
	);
});

test("a conversation that ends in or has only the assistant's words has an answer", () => {
	assert.notEqual(answer(user("a question"), assistant("The answer is")), "");
	assert.notEqual(answer(assistant("alone")), "");
});

test("attachments are no part of a question", () => {
	const attached = turnText("What is this?\n```js\nmine\n```", [
		{ kind: "file", label: "a.ts", text: "let a;\n```\n" },
		{ kind: "selection", label: "b.ts", text: "let b;", language: "ts" },
	]);
	assert.equal(withoutAttachments(attached), "What is this?\n```js\nmine\n```");
	assert.equal(withoutAttachments(turnText("", [{ kind: "file", label: "a.ts", text: "x" }])), "(only attachments)");
});
