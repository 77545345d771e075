import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, awaitShown, readTranscript, sendMessage } from "../support/chat-page.ts";
import { quickInput } from "../support/quick-input.ts";
import { until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 5 });
	driver = await openDriver({
		settings: {
			...{ "switchboard.silence.noticeSeconds": 1, "switchboard.silence.limitSeconds": 6 },
			"switchboard.chat.contextBudget": 5_000,
		},
	});
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

async function ask(argument: object): Promise<SendResult> {
	return (await driver.execute("switchboard.chat.send", { text: "Hello", connection, ...argument })) as SendResult;
}

const misbehave = (behaviour: object) => ask({ metadata: { sandbox: behaviour } });

/** The reply that a command has resolved to, as the panel shows it. */
const shownOf = (chat: Frame, { conversation }: SendResult) => awaitShown(chat, driver, conversation);

const asked = () => quickInput(driver.workbench.page);

/** The conversation on screen. */
async function onScreen(): Promise<string> {
	const { conversation } = (await driver.execute("switchboard.chat.listMessages", {})) as { conversation: string };
	return conversation;
}

test("without a connection Enter asks for one, and nothing typed is lost", async () => {
	const chat = await driver.openChat();
	await chat.locator("#welcome").waitFor();
	await sendMessage(chat, "precious words");
	await asked().asked("Add Connection");
	await asked().leave();
	assert.equal(await chat.locator("#composer").inputValue(), "precious words");
	connection = await addMessages(driver, sandbox);
	await chat.locator("#target", { hasText: "Sandbox" }).waitFor();
	await chat.locator("#composer").press("Enter");
	assert.match((await awaitOutcome(chat)).text, /precious words/);
});

test("Retry asks the same again and takes the place of the error", async () => {
	const chat = await driver.openChat();
	const result = await misbehave({ fail: { status: 400, times: 1 } });
	assert.equal(result.outcome, "failed");
	await shownOf(chat, result);
	await chat.locator('.card [data-action="retry"]').click();
	await chat.locator('article[data-outcome="complete"]').waitFor();
	assert.deepEqual(
		(await readTranscript(chat)).map(({ role }) => role),
		["user", "assistant"],
	);
	await chat.locator(".card").waitFor({ state: "detached" });
});

test("Send Without It asks again without what the model refuses, and later requests leave it out", async () => {
	const chat = await driver.openChat();
	const result = await ask({ temperature: 3 });
	assert.deepEqual([result.outcome, result.error?.field], ["failed", "temperature"]);
	await shownOf(chat, result);
	await chat.locator('.card [data-action="send-without"]').click();
	await chat.locator('article[data-outcome="complete"]').waitFor();
	assert.equal((await ask({ temperature: 3 })).outcome, "complete");
});

test("a wait for another try counts down and can be cancelled at once", async () => {
	const chat = await driver.openChat();
	const reply = misbehave({ fail: { status: 429, times: 3, retryAfterSeconds: 20 } });
	const line = chat.locator('article[data-phase="retrying"] .phase');
	await line.waitFor();
	const seconds = async () => Number(/in (\d+) s \(429\)/.exec(await line.innerText())?.[1]);
	const first = await seconds();
	assert.ok(first <= 20 && first > 0);
	await until(async () => (await seconds()) < first, "the next second");
	const cancelled = Date.now();
	await line.getByRole("button", { name: "Cancel" }).click();
	const result = await reply;
	assert.ok(Date.now() - cancelled < 10_000);
	assert.equal(result.outcome, "stopped");
	assert.equal(result.requests, 1);
});

test("a service that asks for a longer wait than the limit is not asked again, and the card says when", async () => {
	const chat = await driver.openChat();
	const result = await misbehave({ fail: { status: 429, times: 9, retryAfterSeconds: 600 } });
	assert.equal(result.outcome, "failed");
	assert.equal(result.requests, 1);
	assert.match((await shownOf(chat, result)).card ?? "", /10 min/);
});

test("silence is told, and ends as stalled with the text kept", async () => {
	const chat = await driver.openChat();
	const reply = misbehave({ say: ["some words before the silence"], cut: { afterDeltas: 4, how: "silence" } });
	await chat.locator(".phase", { hasText: /No data for \d s/ }).waitFor();
	const result = await reply;
	assert.equal(result.outcome, "stalled");
	const shown = await shownOf(chat, result);
	assert.match(shown.text, /some words/);
	assert.match(shown.card ?? "", /silent/);
});

test("a stream that breaks off is interrupted, never complete, and keeps its text", async () => {
	const chat = await driver.openChat();
	for (const how of ["reset", "end"] as const) {
		const result = await misbehave({ say: ["one two three four five six"], cut: { afterDeltas: 3, how } });
		assert.equal(result.outcome, "interrupted");
		const shown = await shownOf(chat, result);
		assert.match(shown.text, /one two three/);
	}
});

test("Retry of a reply that was cut short keeps what had arrived, as the version before", async () => {
	const chat = await driver.openChat();
	const result = await misbehave({ say: ["one two three four five six"], cut: { afterDeltas: 3, how: "end" } });
	assert.match((await shownOf(chat, result)).card ?? "", /Retry asks for the whole reply again/);
	await chat.locator('.card [data-action="retry"]').click();
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	assert.match((await awaitOutcome(chat)).text, /one two three/);
	assert.equal((await readTranscript(chat)).length, 2);
	await driver.workbench.screenshot("chat-retried");
	await chat.getByRole("button", { name: "Previous Version" }).click();
	await chat.locator(".versions", { hasText: "1/2" }).waitFor();
	assert.match((await awaitOutcome(chat)).text, /one two three/);
});

test("an error inside the stream becomes a card under the text that had arrived", async () => {
	const chat = await driver.openChat();
	const result = await misbehave({ say: ["one two three four"], cut: { afterDeltas: 2, how: "error" } });
	assert.equal(result.outcome, "failed");
	assert.equal(result.error?.code, "overloaded");
	const shown = await shownOf(chat, result);
	assert.match(shown.text, /one two/);
	assert.match(shown.card ?? "", /overloaded/);
});

test("a reply cut off at max_tokens says so and offers to raise them", async () => {
	const chat = await driver.openChat();
	const result = await ask({ maxTokens: 3 });
	assert.equal(result.outcome, "truncated");
	const shown = await shownOf(chat, result);
	assert.equal(shown.outcome, "truncated");
	await chat.locator('[data-action="raise-max-tokens"]').last().waitFor();
	await chat.evaluate('document.getElementById("app").style.width = "170px"');
	// As many lines as the name of the parameter has: a button breaks between words only.
	const lines = await chat.evaluate<number>(`(() => {
		const [text] = [...document.querySelectorAll('[data-action="raise-max-tokens"]')].at(-1).childNodes;
		const range = document.createRange();
		range.setStart(text, text.data.indexOf("max_tokens"));
		range.setEnd(text, range.startOffset + "max_tokens".length);
		return range.getClientRects().length;
	})()`);
	await driver.workbench.screenshot("card-narrow");
	await chat.evaluate('document.getElementById("app").style.width = ""');
	assert.equal(lines, 1);
});

test("a raised limit is kept and the question is asked again with it", async () => {
	const chat = await driver.openChat();
	const result = await ask({ text: "More of this", maxTokens: 3 });
	assert.equal(result.outcome, "truncated");
	await shownOf(chat, result);
	await chat.locator('[data-action="raise-max-tokens"]').click();
	await asked().asked("Raise max_tokens");
	await asked().answer("9000");
	await chat.locator('article[data-outcome="complete"]').waitFor();
});

test("a limit of the conversation's own is raised there, above what it was, and that of the settings stays", async () => {
	const chat = await driver.openChat();
	const limitOf = async (argument: object) => {
		const shown = (await driver.execute("switchboard.chat.showRequest", argument)) as { body: { max_tokens: number } };
		return shown.body.max_tokens;
	};
	await driver.execute("switchboard.chat.new", {});
	const conversation = await onScreen();
	await driver.execute("switchboard.chat.setConversation", { parameters: { maxTokens: 3 } });
	const result = await ask({ text: "More of this", conversation });
	assert.equal(result.outcome, "truncated");
	await shownOf(chat, result);
	await chat.locator('[data-action="raise-max-tokens"]').click();
	await asked().asked("Raise max_tokens");
	await asked().enter("3");
	await asked().message.filter({ hasText: "from 4 to" }).waitFor();
	await asked().answer("3000");
	await chat.locator('article[data-outcome="complete"]').waitFor();
	assert.equal(await limitOf({ conversation, text: "And now?" }), 3_000);
	await driver.execute("switchboard.chat.new", {});
	assert.equal(await limitOf({ text: "And now?" }), 4_096);
});

test("the buttons of a card ask about the budget before anything is sent", async () => {
	const chat = await driver.openChat();
	const result = await ask({
		...{ text: "word ".repeat(8_000), maxTokens: 3 },
		metadata: { sandbox: { say: ["one two three four five six"] } },
	});
	const { conversation } = result;
	const dialog = driver.workbench.page.getByRole("dialog").filter({ hasText: "your budget is 5,000" });
	const shown = await shownOf(chat, result);
	await chat.locator('.card [data-action="continue"]').click();
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await dialog.waitFor({ state: "hidden" });
	await chat.locator('.card [data-action="raise-max-tokens"]').click();
	await asked().asked("Raise max_tokens");
	await asked().accept();
	await dialog.waitFor();
	assert.deepEqual((await readTranscript(chat)).at(-1), shown);
	const { messages } = (await driver.execute("switchboard.chat.listMessages", { conversation })) as {
		messages: object[];
	};
	assert.equal(messages.length, 2, "nothing was asked until then");
	await dialog.getByRole("button", { name: "Send Anyway" }).click();
	await chat.locator('article[data-outcome="complete"]').waitFor();
});

test("a refused key leads to the box for a new one, and the question is asked again with it", async () => {
	const bad = await startSandbox({ wordDelayMs: 5 });
	const port = bad.port;
	const changing = await addMessages(driver, bad, "Changing");
	await bad.close();
	// The same address after a restart: the old key is not known any more.
	const restarted = await startSandbox({ wordDelayMs: 5, port });
	try {
		const chat = await driver.openChat();
		const result = await ask({ connection: changing });
		assert.equal(result.error?.code, "unauthorized");
		await shownOf(chat, result);
		await chat.locator('.card [data-action="set-key"]').click();
		await asked().asked("Replace the Key of Changing");
		assert.equal(await asked().box.getAttribute("type"), "password");
		await asked().answer("not-the-key-either");
		await asked().message.filter({ hasText: "refused the key" }).waitFor();
		await asked().answer(restarted.keys.messages);
		await chat.locator('article[data-outcome="complete"]').waitFor();
	} finally {
		await restarted.close();
	}
});

test("a connection that is changed from a card is asked again for the model that was entered", async () => {
	const chat = await driver.openChat();
	const changing = await addMessages(driver, sandbox, "Changed");
	// What was asked here before would be asked again, had the person not entered another for this reply.
	const { conversation } = await ask({ connection: changing });
	// Each request is refused once, and one for another model is another request.
	const refusal = { fail: { status: 404, times: 1 } };
	const result = await ask({ connection: changing, conversation, metadata: { sandbox: refusal } });
	assert.equal(result.error?.code, "not-found");
	await shownOf(chat, result);
	await chat.locator('.card [data-action="edit-connection"]').click();
	await asked().asked("Edit Changed");
	await asked().choose("Model");
	await asked().answer("edited-model");
	await chat.locator(".card", { hasText: "(edited-model)" }).waitFor();
	await chat.locator('.card [data-action="retry"]').click();
	await chat.locator('article[data-outcome="complete"]').nth(1).waitFor();
	await chat.locator(".reply-model", { hasText: "edited-model" }).waitFor();
});

test("a service that is not there is named with what to do", async () => {
	const gone = await startSandbox();
	const added = await driver.execute("switchboard.addConnection", {
		service: "messages",
		label: "Gone",
		baseUrl: gone.baseUrls.messages,
		key: gone.keys.messages,
	});
	await gone.close();
	const chat = await driver.openChat();
	const reply = ask({ connection: (added as { id: string }).id });
	await chat.locator('article[data-phase="retrying"]').waitFor();
	const result = await reply;
	assert.equal(result.outcome, "failed");
	assert.equal(result.error?.code, "network");
	assert.match((await shownOf(chat, result)).card ?? "", /Gone could not be reached/);
});

test("a 200 that is not a reply is said to be one that is not a reply", async () => {
	const result = await misbehave({ answerWith: "html" });
	assert.equal(result.outcome, "failed");
	assert.equal(result.error?.code, "malformed");
});

/** Says nothing of what it found: a failed test must not print a key. */
function holdsKey(text: string): boolean {
	return text.includes(sandbox.keys.messages);
}

test("a key that the service repeats is blanked out wherever it would appear", async () => {
	const chat = await driver.openChat();
	const result = await misbehave({ say: [`your key is ${sandbox.keys.messages}, is it not`] });
	await chat.locator("article .block", { hasText: "your key is [redacted]" }).waitFor();
	assert.match(JSON.stringify(result), /your key is \[redacted\]/);
	assert.ok(!holdsKey(JSON.stringify(result)));
});

test("no secret is in the panel's document or in any command's result", async () => {
	const chat = await driver.openChat();
	assert.ok(!holdsKey(String(await chat.evaluate("document.documentElement.outerHTML"))));
	for (const [command, argument] of [
		["switchboard.testConnection", { connection }],
		["switchboard.chat.send", { text: "Hello", connection }],
		["switchboard.editConnection", { connection, label: "Renamed" }],
	] as const) {
		assert.ok(!holdsKey(JSON.stringify(await driver.execute(command, argument))), command);
	}
});
