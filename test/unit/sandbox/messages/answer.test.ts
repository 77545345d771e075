import { strict as assert } from "node:assert";
import { test } from "node:test";
import { turnText } from "#app/chat/attachments.ts";
import { composeAnswer, composeThinking } from "#sandbox/messages/answer.ts";
import type { ReceivedTurn } from "#sandbox/messages/request.ts";

const user = (content: string): ReceivedTurn => ({ role: "user", content });
const assistant = (content: string): ReceivedTurn => ({ role: "assistant", content });
const answer = (...turns: ReceivedTurn[]) => composeAnswer(turns, undefined).join("\n\n");

test("every answer says that it comes from no model", () => {
	assert.match(answer(user("x")), /built-in sandbox\*\*, not a model/);
	assert.match(answer(user("x"), assistant("y"), user("z")), /not a model/);
});

test("the last turn is quoted line by line, whatever its line ends", () => {
	assert.match(answer(user("a\nb\r\n\nc")), /^> a\n> b\n>\n> c$/m);
});

test("a later answer counts the questions and names the first and all of them", () => {
	const text = answer(user("first one"), assistant("x"), user("second one"), assistant("y"), user("third"));
	assert.match(text, /You have asked 3 things/);
	assert.match(text, /The first was “first one”/);
	assert.match(text, /1\. “first one”\n2\. “second one”\n3\. “third”$/);
});

test("markdown in quoted words shows as itself inside a line", () => {
	const text = answer(user("[x](y) *a* `b` <c>\n# d"), assistant("x"), user("z"));
	assert.ok(text.includes("“\\[x\\]\\(y\\) \\*a\\* \\`b\\` \\<c\\> \\# d”"), text);
});

test("a long first question is shortened without splitting a character", () => {
	const text = answer(user("🔌".repeat(100)), assistant("x"), user("z"));
	assert.ok(text.includes(`“${"🔌".repeat(59)}…”`));
	assert.ok(text.isWellFormed());
});

test("the system prompt is mentioned when there is one", () => {
	assert.match(composeAnswer([user("x")], "Be brief.").join(), /system prompt begins with “Be brief\\\.”/);
	assert.doesNotMatch(answer(user("x")), /system prompt/);
});

test("a conversation that ends in or has only the assistant's words has an answer", () => {
	assert.match(answer(user("a question"), assistant("The answer is")), /> a question/);
	assert.match(answer(assistant("alone")), /not a model/);
});

test("the thinking speaks of the last turn", () => {
	assert.match(composeThinking([user("one two three")]), /Words in the last turn: 3\. Turns before it: 0\./);
});

test("attachments are not quoted", () => {
	const attached = turnText("What is this?\n```js\nmine\n```", [
		{ kind: "file", label: "a.ts", text: "let a;\n```\n" },
		{ kind: "selection", label: "b.ts", text: "let b;", language: "ts" },
	]);
	assert.match(answer(user(attached)), /^## You said\n\n> What is this\?\n> ```js\n> mine\n> ```\n\n/);
	assert.match(answer(user(turnText("", [{ kind: "file", label: "a.ts", text: "x" }]))), /^> \(only attachments\)$/m);
});
