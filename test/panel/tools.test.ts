import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { startSandbox } from "#sandbox/sandbox.ts";
import { awaitIdle, awaitOutcome, beginAnew, readTranscript, sendMessage } from "../support/chat-page.ts";
import { GET_PROCESS } from "../support/companion.ts";
import { quickInput } from "../support/quick-input.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let store: string;

before(async () => {
	driver = await openDriver({ width: 1400, height: 1000 });
	const { connections } = (await driver.execute("switchboard.trySandbox", {})) as { connections: { petstore: string } };
	store = connections.petstore;
});

after(() => driver.dispose());

const SELL = "Sell a pet that is available";

async function sold(): Promise<number> {
	const inventory = { connection: store, operation: "getInventory" };
	const { data } = (await driver.execute("switchboard.petstore.call", inventory)) as { data: { sold?: number } };
	return data.sold ?? 0;
}

test("the examples of an empty chat use the pet store and the code host in one conversation", async () => {
	const chat = await driver.openChat();
	await chat.locator("#welcome .example", { hasText: "Which pets are pending?" }).click();
	assert.match((await awaitOutcome(chat)).text, /pets? that are pending/);
	const call = chat.locator(".call").first();
	assert.equal(await call.getAttribute("data-state"), "done");
	assert.match(await call.innerText(), /Find pets/i);
	await sendMessage(chat, "Summarize issue 12");
	assert.match((await awaitOutcome(chat, 1)).text, /#12/);
	await driver.workbench.screenshot("tools-read");
});

test("an approval shows the exact input, and only Allow Once runs the call", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	const before = await sold();
	await sendMessage(chat, SELL);
	const approval = chat.locator(".approval");
	await approval.waitFor();
	await driver.workbench.screenshot("tools-approval");
	assert.match(await approval.innerText(), /"status": "sold"/);
	assert.equal(await sold(), before);
	await approval.getByRole("button", { name: "Allow Once" }).click();
	assert.match((await awaitOutcome(chat)).text, /is sold now/);
	assert.equal(await sold(), before + 1);
	assert.equal(await chat.locator('.call[data-state="done"]').count(), 2);
});

test("a denied call runs nothing, and the word goes to the model with it", async () => {
	const chat = await driver.openChat();
	const before = await sold();
	await sendMessage(chat, SELL);
	const approval = chat.locator(".approval");
	await approval.getByRole("textbox").fill("Ask me tomorrow");
	await approval.getByRole("button", { name: "Deny" }).click();
	assert.match((await awaitOutcome(chat, 1)).text, /did not allow/);
	const denied = chat.locator('.call[data-state="denied"]');
	await denied.locator("summary").click();
	await denied.locator(".call-body", { hasText: "They say: Ask me tomorrow" }).waitFor();
	assert.equal(await sold(), before);
});

test("the tools of a conversation are chosen from the composer", async () => {
	const chat = await driver.openChat();
	await awaitIdle(chat);
	await chat.locator("#tools").click();
	const asked = quickInput(driver.workbench.page);
	await asked.asked("Choose Tools");
	await driver.workbench.screenshot("tools-choice");
	await asked.leave();
	// The menu of the view hands the event of the click to its command.
	const { page } = driver.workbench;
	await page
		.locator(".part.auxiliarybar .title-actions")
		.getByRole("button", { name: /More Actions/ })
		.click();
	await page.getByRole("menuitem", { name: "Choose Tools..." }).click();
	await asked.asked("Choose Tools");
	await asked.leave();
});

test("an image is attached, shown as a thumbnail, and seen by the model", async () => {
	const path = join(driver.folder, "pixel.png");
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
	await writeFile(path, Buffer.from(pixel, "base64"));
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	await driver.execute("switchboard.chat.attach", { kind: "file", uri: String(pathToFileURL(path)) });
	const thumbnail = chat.locator("#chips img");
	await until(async () => (await thumbnail.getAttribute("src"))?.startsWith("blob:") === true, "the thumbnail");
	await sendMessage(chat, "What do you see?");
	assert.match((await awaitOutcome(chat)).text, /PNG image of \d+ bytes, 1 x 1 pixels/);
	await driver.workbench.screenshot("tools-image");
});

test("a compacted conversation goes on from a summary, and is one step from what it was", async () => {
	const chat = await driver.openChat();
	const before = (await readTranscript(chat)).map(({ text }) => text);
	await driver.execute("switchboard.chat.compact", {});
	await until(
		async () => /^Summary of the conversation/.test((await readTranscript(chat))[0]?.text ?? ""),
		"a summary",
	);
	await chat.locator('[data-role="user"] .versions button').first().click();
	await until(async () => (await readTranscript(chat)).length === before.length, "what was said before");
	assert.equal((await readTranscript(chat))[0]?.text, before[0]);
});

test("a host that is killed in the middle of a call brings it back as interrupted, and does it no second time", async (t) => {
	const { petstore, baseUrls, keys, close } = await startSandbox();
	t.after(close);
	await driver.execute("switchboard.removeConnection", { connection: store });
	const { apiKey, token } = keys.petstore;
	const other = { service: "petstore", label: "Other", profile: "sandbox", baseUrl: baseUrls.petstore };
	await driver.execute("switchboard.addConnection", { ...other, apiKey, token });
	petstore.behave({ on: ["updatePetWithForm"], neverAnswer: true });
	const asked = () => petstore.status().operations.updatePetWithForm;
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	await sendMessage(chat, SELL);
	await chat.locator(".approval").getByRole("button", { name: "Allow Once" }).click();
	await until(async () => asked() === 1, "the request");
	process.kill(Number(await driver.execute(GET_PROCESS)), "SIGKILL");
	await driver.reload(() => driver.workbench.page.reload());
	const again = await driver.openChat();
	assert.equal((await awaitOutcome(again)).outcome, "interrupted");
	await again.locator('.call[data-state="interrupted"]').waitFor();
	assert.equal(await again.locator(".approval").count(), 0);
	await driver.workbench.screenshot("tools-interrupted");
	assert.equal(asked(), 1);
});
