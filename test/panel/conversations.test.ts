import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Frame } from "playwright-core";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitIdle, awaitOutcome, awaitShown, beginAnew, readTranscript, sendMessage } from "../support/chat-page.ts";
import { quickInput } from "../support/quick-input.ts";
import { until } from "../support/until.ts";
import { addMessages, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox({ wordDelayMs: 5 });
	driver = await openDriver();
	await addMessages(driver, sandbox);
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

/** Asks in a new conversation on screen. */
async function ask(behaviour: object, rest: object = {}): Promise<SendResult> {
	const metadata = { sandbox: behaviour };
	return (await driver.execute("switchboard.chat.send", { text: "Hello", metadata, ...rest })) as SendResult;
}

/** Asks so, and waits until the panel shows the whole reply. */
async function answered(chat: Frame, behaviour: object, rest: object = {}): Promise<SendResult> {
	const result = await ask(behaviour, rest);
	await awaitShown(chat, driver, result.conversation);
	return result;
}

/** A reply that goes on until it is stopped, however slow the machine is. */
const endless = (word: string) => ({
	say: [Array.from({ length: 4_000 }, (_, n) => `${word}${n}`).join(" ")],
	wordDelayMs: 20,
});

const press = (chat: Frame, message: string, name: string) =>
	chat.locator(message).getByRole("button", { name, exact: true }).click();

const texts = async (chat: Frame) => (await readTranscript(chat)).map(({ text }) => text);

/** Waits until the transcript reads so. */
async function reads(chat: Frame, expected: readonly RegExp[]): Promise<void> {
	await until(
		async () => {
			const shown = await texts(chat);
			return shown.length === expected.length && expected.every((each, at) => each.test(shown[at] ?? ""));
		},
		`the transcript reads ${expected.join(", ")}`,
	);
}

test("a regenerated reply comes in place of the first, and both can be shown", async () => {
	const chat = await driver.openChat();
	await answered(chat, { say: ["the very same"] });
	await press(chat, "article.reply", "Regenerate");
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	await chat.locator('article[data-outcome="complete"]').waitFor();
	await driver.workbench.screenshot("chat-versions");
	await press(chat, "article.reply", "Previous Version");
	await chat.locator(".versions", { hasText: "1/2" }).waitFor();
	await reads(chat, [/^Hello$/, /^the very same$/]);
	assert.equal(await chat.getByRole("button", { name: "Previous Version" }).isDisabled(), true);
});

test("versions, copy and fork by keyboard keep the focus, and typed text is not sent", async () => {
	const chat = await driver.openChat();
	const { page } = driver.workbench;
	await answered(chat, { say: ["one and the same"] });
	await press(chat, "article.reply", "Regenerate");
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	await awaitOutcome(chat);
	await chat.locator("#composer").fill("not yet");
	await chat.locator("#composer").press("Alt+ArrowUp");
	const focused = () => chat.evaluate<string>("document.activeElement.getAttribute('aria-label')");
	const tabTo = async (name: string) => {
		for (let presses = 0; presses < 12 && (await focused()) !== name; presses++) await page.keyboard.press("Tab");
	};
	for (const [name, version, next] of [
		["Previous Version", "1/2", "Next Version"],
		["Next Version", "2/2", "Previous Version"],
	] as const) {
		await tabTo(name);
		await page.keyboard.press("Enter");
		await chat.locator(".versions", { hasText: version }).waitFor();
		await until(async () => (await focused()) === next, `the keyboard on ${next}`);
	}
	await tabTo("Copy as Markdown");
	await page.keyboard.press("Enter");
	await until(async () => (await page.evaluate("navigator.clipboard.readText()")) === "one and the same", "the copy");
	assert.equal(await focused(), "Copy as Markdown");
	await tabTo("Fork from Here");
	await page.keyboard.press("Enter");
	await chat.locator("h1").getByText("Fork of").waitFor();
	await chat.locator("#composer:focus").waitFor();
	assert.equal(await chat.locator("#composer").inputValue(), "");
});

test("leaving or answering the questions of a button returns the focus to the composer", async () => {
	const chat = await driver.openChat();
	const { page } = driver.workbench;
	const input = quickInput(page);
	const isBack = async (typed: string) => {
		await until(() => chat.evaluate<boolean>("document.hasFocus()"), "the keyboard in the chat");
		await chat.locator("#composer:focus").waitFor();
		await page.keyboard.type(typed);
		await until(async () => (await chat.locator("#composer").inputValue()) === typed, "what is typed");
		await chat.locator("#composer").fill("");
	};
	await chat.locator("#target").click();
	await input.box.waitFor();
	await page.keyboard.press("Escape");
	await isBack("left");
	await answered(chat, { say: ["asked again"] });
	await press(chat, "article.reply", "Regenerate With...");
	await input.asked("Regenerate With");
	for (let step = 1; step <= 3; step++) await input.accept();
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	await isBack("answered");
});

test("a turn edited in its place is asked anew, and what was said before is one step away", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	await sendMessage(chat, "an owl");
	await awaitOutcome(chat);
	await awaitIdle(chat);
	await chat.locator("#composer").press("ArrowUp");
	const editor = chat.locator(".turn-editor textarea");
	assert.equal(await editor.inputValue(), "an owl");
	await editor.fill("a lark");
	await driver.workbench.screenshot("chat-edit");
	await editor.press("Enter");
	await reads(chat, [/^a lark$/, /a lark/]);
	await awaitOutcome(chat);
	await press(chat, "article.turn", "Previous Version");
	await reads(chat, [/^an owl$/, /an owl/]);
});

test("an edit of a turn outlives the hidden panel and a reply, and is sent after it", async () => {
	const { conversation } = await answered(await driver.openChat(), { say: ["the answer"] });
	await press(await driver.openChat(), "article.turn", "Edit and Resend");
	await (await driver.openChat()).locator(".turn-editor textarea").fill("half a thought");
	await driver.execute("workbench.action.closeAuxiliaryBar");
	const chat = await driver.openChat();
	const editor = chat.locator(".turn-editor textarea");
	await editor.waitFor();
	assert.equal(await editor.inputValue(), "half a thought");
	const under = ask(endless("slow"), { conversation });
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "slow5" }).waitFor();
	await editor.press("Enter");
	await chat.locator(".turn-note", { hasText: "A reply is under way." }).waitFor();
	assert.equal(await editor.inputValue(), "half a thought");
	await driver.workbench.screenshot("chat-edit-busy");
	await chat.locator("#stop").click();
	assert.equal((await under).outcome, "stopped");
	await awaitIdle(chat);
	await editor.press("Enter");
	await editor.waitFor({ state: "detached" });
	await reads(chat, [/^half a thought$/, /half a thought/]);
	await awaitOutcome(chat);
});

test("Continue extends a cut-off reply in its article, and removes the card", async () => {
	const chat = await driver.openChat();
	const lines = Array.from({ length: 60 }, (_, n) => `word${n}`);
	const whole = ["```", ...lines, "```"].join("\n");
	const code = chat.locator("article.reply pre");
	const grown = async (before: string) => {
		// Once there is more of it, its end is that of the rest.
		await until(async () => (await code.innerText()).length > before.length + 20, "the rest");
		await awaitOutcome(chat);
		return code.innerText();
	};
	// What comes on screen is built in steps.
	const says = (text: string) => until(async () => (await code.allInnerTexts()).join() === text, "the whole of it");
	// Its model goes on with the beginning of its own reply.
	const connection = await addMessages(driver, sandbox, "Prefilled", "sandbox");
	const { conversation } = await answered(chat, { say: [whole] }, { maxTokens: 25, connection });
	const cut = await code.innerText();
	await chat.locator('.card [data-action="continue"]').click();
	const more = await grown(cut);
	assert.equal(await chat.locator("article.reply").count(), 1);
	assert.equal(await code.count(), 1);
	const listed = (await driver.execute("switchboard.chat.listMessages", { conversation })) as {
		messages: { role: string; text: string; outcome?: string }[];
	};
	const said = listed.messages.filter(({ role }) => role === "assistant");
	assert.ok(whole.startsWith(said.map(({ text }) => text).join("")));
	assert.ok(said.length === 2 && (said[1]?.text.length ?? 0) > 20);
	await driver.workbench.screenshot("chat-continued");
	// What is asked of the one reply is asked of its end.
	await chat.locator('.card [data-action="continue"]').click();
	const most = await grown(more);
	assert.ok(lines.join("\n").startsWith(most.trim()));
	await press(chat, "article.reply", "Fork from Here");
	await chat.locator("h1", { hasText: "Fork of Hello" }).waitFor();
	await says(most);
	await press(chat, "article.reply", "Regenerate");
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	await awaitOutcome(chat);
	assert.ok((await code.innerText()).length < most.length);
	await press(chat, "article.reply", "Previous Version");
	await chat.locator(".versions", { hasText: "1/2" }).waitFor();
	await says(most);
	await driver.execute("switchboard.removeConnection", { connection });
});

test("the panel shows the name of the conversation, also a forked, imported or renamed one", async () => {
	const chat = await driver.openChat();
	const named = (title: string) => chat.locator("h1").getByText(title, { exact: true }).waitFor();
	const { conversation } = await answered(chat, { say: ["yes"] });
	await named("Hello");
	await press(chat, "article.reply", "Fork from Here");
	await named("Fork of Hello");
	const exported = await driver.execute("switchboard.chat.export", { conversation, format: "json" });
	const { text } = exported as { text: string };
	const imported = await driver.execute("switchboard.chat.import", { text: text.replaceAll("Hello", "Greetings") });
	await driver.execute("switchboard.chat.showConversation", imported as { conversation: string });
	await named("Greetings");
	await driver.execute("switchboard.chat.rename", { ...(imported as object), title: "Salutations" });
	await named("Salutations");
	await driver.execute("switchboard.chat.new", {});
	await chat.locator("h1.visually-hidden", { hasText: "Chat" }).waitFor({ state: "attached" });
});

test("a message sent during a reply is queued above the box, editable, and held after Stop", async () => {
	const chat = await driver.openChat();
	const first = ask(endless("slow"));
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "slow5" }).waitFor();
	await sendMessage(chat, "queued one");
	await sendMessage(chat, "queued two");
	await sendMessage(chat, "queued three");
	await chat.locator(".queue li", { hasText: "queued three" }).waitFor();
	assert.equal(await chat.locator(".queue li").count(), 3);
	await driver.workbench.screenshot("chat-queue");
	const composer = chat.locator("#composer");
	const edited = async (text: string) => {
		await until(async () => (await composer.inputValue()) === text, `the box says ${text}`);
		await chat.locator(".queue li", { hasText: text }).waitFor({ state: "hidden" });
		await composer.fill("");
	};
	await composer.press("ArrowUp");
	await edited("queued three");
	await chat.locator("#stop").click();
	assert.equal((await first).outcome, "stopped");
	await press(chat, ".queue li >> nth=1", "Edit");
	await edited("queued two");
	await press(chat, ".queue li >> nth=0", "Send Now");
	await chat.locator(".queue").waitFor({ state: "hidden" });
	await reads(chat, [/Hello/, /slow5/, /^queued one$/, /queued one/]);
	await awaitOutcome(chat, 1);
});

test("a conversation goes on receiving while another is on screen, and is stopped by its name", async () => {
	const chat = await driver.openChat();
	const far = ask(endless("far"), { conversation: "far away" });
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "far5" }).waitFor();
	await beginAnew(chat, driver);
	await sendMessage(chat, "near");
	await awaitOutcome(chat);
	const item = driver.workbench.page.locator('.statusbar-item[id$="switchboard.status"]:visible');
	await item.filter({ hasText: "1 reply arriving" }).waitFor();
	await driver.execute("switchboard.chat.showConversation", { conversation: "far away" });
	await item.waitFor({ state: "hidden" });
	await chat.locator('article[data-phase="streaming"] .block', { hasText: "far50" }).waitFor();
	await driver.execute("switchboard.chat.new", {});
	assert.deepEqual(await driver.execute("switchboard.chat.stop", { conversation: "far away" }), { stopped: true });
	assert.equal((await far).outcome, "stopped");
});

test("a conversation can be given, and lose, its own model, temperature and prompt", async () => {
	const { conversation } = await ask({ say: ["yes"] });
	const { page, runCommand } = driver.workbench;
	const asked = quickInput(page);
	const own = async () => {
		const set = await driver.execute("switchboard.chat.setConversation", { conversation });
		return (set as { parameters: object }).parameters;
	};
	await runCommand("Switchboard: Conversation Settings...");
	await asked.asked("Conversation Settings");
	await asked.choose("Temperature");
	await asked.asked("Temperature of the Conversation");
	await asked.box.fill("warm");
	await asked.message.filter({ hasText: "Enter a number" }).waitFor();
	await asked.answer("0.3");
	await asked.choices("0.3").waitFor();
	await driver.workbench.screenshot("conversation-settings");
	await asked.choose("Model");
	await asked.asked("Model of the Conversation");
	await asked.answer("other-model");
	await asked.choices("other-model").waitFor();
	assert.deepEqual(await own(), { temperature: 0.3, model: "other-model" });
	await asked.choose("Temperature");
	await asked.asked("Temperature of the Conversation");
	await asked.answer("");
	await asked.choices("as everywhere").nth(5).waitFor();
	assert.deepEqual(await own(), { model: "other-model" });
	await asked.choose("System Prompt");
	await asked.asked("System Prompt of the Conversation");
	await asked.answer(String.raw`Rules:\n- be \"brief\"\n- C:\\new`);
	const system = 'Rules:\n- be \\"brief\\"\n- C:\\new';
	await asked.choices("Rules:").waitFor();
	assert.deepEqual(await own(), { model: "other-model", system });
	await asked.choose("System Prompt");
	await asked.asked("System Prompt of the Conversation");
	await asked.accept();
	await asked.choices("Rules:").waitFor();
	await asked.leave();
	assert.deepEqual(await own(), { model: "other-model", system }, "what is not changed keeps its lines");
	const modelAsked = async () => {
		const sent = await driver.execute("switchboard.chat.send", { text: "Again", conversation });
		return (sent as SendResult).message.model;
	};
	assert.equal(await modelAsked(), "other-model");
	await runCommand("Switchboard: Conversation Settings...");
	await asked.choose("Model");
	await asked.asked("Model of the Conversation");
	await asked.answer("");
	await asked.choices("Model").filter({ hasText: "sandbox (as everywhere)" }).waitFor();
	await asked.leave();
	assert.deepEqual(await own(), { system });
	assert.equal(await modelAsked(), "sandbox", "the model that was asked last is not asked again");
});

test("Regenerate With... asks by whom and how, and the other version says which model it is of", async () => {
	const chat = await driver.openChat();
	await answered(chat, { say: ["yes"] });
	await press(chat, "article.reply", "Regenerate With...");
	const asked = quickInput(driver.workbench.page);
	await asked.choose("Sandbox");
	await asked.asked("Model of Sandbox");
	await asked.box.fill("the-other-one");
	await asked.choices('Use "the-other-one"').waitFor();
	await asked.accept();
	await asked.fill("Temperature; empty for that of the conversation", "0.5");
	await chat.locator(".versions", { hasText: "2/2" }).waitFor();
	await chat.locator(".reply-model", { hasText: "the-other-one" }).waitFor();
	const temperature = async () => {
		const listed = await driver.execute("switchboard.chat.listMessages", {});
		const { conversation, messages } = listed as { conversation: string; messages: readonly { id: string }[] };
		const message = messages.at(-1)?.id;
		const shown = await driver.execute("switchboard.chat.showRequest", { conversation, message });
		return (shown as { body: { temperature?: number } }).body.temperature;
	};
	assert.equal(await temperature(), 0.5);
	await press(chat, "article.reply", "Regenerate With...");
	await asked.choose("Sandbox");
	await asked.asked("Model of Sandbox");
	await asked.box.fill("a-third-one");
	await asked.choices('Use "a-third-one"').waitFor();
	await asked.accept();
	await asked.fill("Temperature; empty for that of the conversation", "");
	await chat.locator(".versions", { hasText: "3/3" }).waitFor();
	await chat.locator(".reply-model", { hasText: "a-third-one" }).waitFor();
	assert.equal(await temperature(), undefined, "that of the version before is taken away");
});
