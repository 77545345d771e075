import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, awaitShown, readTranscript, sendMessage } from "../support/chat-page.ts";
import { quickInput } from "../support/quick-input.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 5 });
	driver = await openDriver({
		settings: {
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

test("Raise max_tokens changes the conversation's own limit, and not that of the settings", async () => {
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
