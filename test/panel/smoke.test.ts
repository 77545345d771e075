import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, beginAnew, readTranscript, sendMessage } from "../support/chat-page.ts";
import { GET_PROCESS, INVOKE_TOOL } from "../support/companion.ts";
import { quickInput } from "../support/quick-input.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { filledIn, inShell } from "../support/shell.ts";
import { cardOf, clickOn, pressOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let codehost: string;
let store: string;

before(async () => {
	sandbox = await startSandbox();
	const settings = { "chat.disableAIFeatures": false, "switchboard.retry.maxAttempts": 1 };
	driver = await openDriver({ settings, width: 1400, height: 1000 });
	const added = await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Exchange",
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
	});
	codehost = (added as { id: string }).id;
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const requests = () => treeView(driver.workbench.page, "Requests");
const listIssues = (repository: string) =>
	driver.execute("switchboard.codehost.listIssues", { connection: codehost, repository, limit: 1 });

test("the Requests view is hidden until opened, then lists all, the new ones on top", async () => {
	const { page } = driver.workbench;
	await driver.execute("switchboard.connections.focus");
	await page.locator('.pane-header[aria-label^="Connections"]').waitFor();
	const header = page.locator('.pane-header[aria-label^="Requests"]');
	assert.equal(await header.count(), 0);
	await driver.workbench.runCommand("Switchboard: Show Requests");
	await header.waitFor();
	await requests().row("Request GET /codehost/user: 200,").waitFor();
	await listIssues("exchange/switchboard");
	await requests().row("Request GET /codehost/repos/exchange/switchboard/issues").waitFor();
	await listIssues("exchange/nothing").catch(() => undefined);
	await requests().row("Failed request GET /codehost/repos/exchange/nothing").waitFor();
	assert.equal(await requests().row("Failed request").getAttribute("aria-posinset"), "1");
});

test("a request shows its facts, hovered or opened, with a placeholder for the token", async () => {
	const { page } = driver.workbench;
	const row = requests().row("/codehost/user:");
	const card = await cardOf(row, "Bearer");
	for (const fact of [
		/^GET \/codehost\/user$/m,
		/^Host: 127\.0\.0\.1:\d+ \(http\)$/m,
		/^Service: Code host$/m,
		/^Status: 200$/m,
		/^Time: \d+ ms$/m,
		/^Try: 1$/m,
		/^Received: \d+ bytes$/m,
		/^authorization: Bearer \{token\}$/m,
	]) {
		assert.match(card, fact);
	}
	assert.equal(await page.locator(".monaco-hover:visible a").count(), 0);
	await page.mouse.move(900, 300);
	const text = page.locator(".part.editor .view-lines");
	const shown = (words: string) => () => text.filter({ hasText: words }).isVisible();
	await clickOn(row, shown("authorization: Bearer {token}"));
	const openFirst = async () => {
		await requests().press("Home");
		await requests().press("Enter");
	};
	await insist(openFirst, shown("Error: not-found"), { what: "the request on top" });
	await driver.execute("workbench.action.closeAllEditors");
});

test("Copy as cURL is on the row, and the command works once the token is filled in", async () => {
	const { page } = driver.workbench;
	await page.evaluate(`navigator.clipboard.writeText("")`);
	const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
	const isCopied = async () => (await clipboard()).startsWith("curl ");
	await pressOn(requests().row("/codehost/user:"), "Copy as cURL", isCopied);
	const command = filledIn(await clipboard(), { token: sandbox.keys.codehost.fineGrained });
	assert.equal(JSON.parse(await inShell(`${command} --silent`)).login, "ada");
});

test("a filter is typed, shows in the view's head, and has a button to clear it", async () => {
	const { page, runCommand } = driver.workbench;
	const input = quickInput(page);
	await runCommand("Switchboard: Filter Requests...");
	await input.asked("Filter Requests");
	await input.answer("is:failed");
	await until(async () => (await requests().siblings("Failed request")) === 1, "failures alone");
	await page.locator('.pane-header[aria-label^="Requests"]', { hasText: "is:failed" }).waitFor();
	await driver.execute("switchboard.requests.filter", { text: "nothing like this" });
	const clear = page.getByRole("button", { name: "Clear Request Filter" }).last();
	await insist(
		() => clear.click({ timeout: 5_000 }),
		() => requests().row("/codehost/user:").isVisible(),
		{ what: "no filter" },
	);
});

test("the examples of an empty chat use pet store and code host in one conversation", async () => {
	await driver.execute("switchboard.removeConnection", { connection: codehost });
	const { connections } = (await driver.execute("switchboard.trySandbox", {})) as { connections: { petstore: string } };
	store = connections.petstore;
	const chat = await driver.openChat();
	await chat.locator("#welcome .example", { hasText: "Which pets are pending?" }).click();
	const reply = await awaitOutcome(chat);
	assert.equal(reply.outcome, "complete", reply.card);
	assert.match(reply.text, /Pets that are pending/);
	const call = chat.locator(".call").first();
	assert.equal(await call.getAttribute("data-state"), "done");
	assert.match(await call.innerText(), /Find pets/i);
	await sendMessage(chat, "Summarize issue 12");
	assert.match((await awaitOutcome(chat, 1)).text, /#12/);
	assert.equal((await readTranscript(chat)).length, 4);
});

test("an approval says the change; Deny runs nothing, Allow Once runs the call", async () => {
	const chat = await driver.openChat();
	const sold = async () => {
		const inventory = { connection: store, operation: "getInventory" };
		const { data } = (await driver.execute("switchboard.petstore.call", inventory)) as { data: { sold?: number } };
		return data.sold ?? 0;
	};
	await beginAnew(chat, driver);
	const before = await sold();
	const approval = chat.locator(".approval");
	await sendMessage(chat, "Sell a pet that is available");
	await chat.locator(".call-title", { hasText: /: available → sold, in / }).waitFor();
	await approval.getByRole("button", { name: "Deny" }).click();
	await approval.getByRole("textbox").fill("Ask me tomorrow");
	await approval.getByRole("button", { name: "Send" }).click();
	assert.match((await awaitOutcome(chat)).text, /did not allow/);
	const denied = chat.locator('.call[data-state="denied"]');
	await denied.locator("summary").click();
	await denied.locator(".call-body", { hasText: "They say: Ask me tomorrow" }).waitFor();
	assert.equal(await sold(), before);
	await sendMessage(chat, "Sell a pet that is available");
	await approval.getByRole("button", { name: "Allow Once" }).click();
	assert.match((await awaitOutcome(chat, 1)).text, /is sold now/);
	assert.equal(await sold(), before + 1);
});

test("a call asks again after a reload, and runs once it is allowed", async () => {
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	await sendMessage(chat, "Sell a pet that is available");
	await chat.locator(".approval").waitFor();
	// The pet is read meanwhile, for its name.
	const title = chat.locator(".call[data-state=asking] .call-title", { hasText: /: available → sold, in / });
	const line = await title.innerText();
	await driver.reload(() => driver.workbench.page.reload());
	const again = await driver.openChat();
	await again.locator(".call[data-state=asking] .call-title", { hasText: line }).waitFor();
	await again.locator(".approval").getByRole("button", { name: "Allow Once" }).click();
	assert.match((await awaitOutcome(again)).text, /is sold now/);
});

test("the tools of a conversation are chosen from the composer", async () => {
	const chat = await driver.openChat();
	await chat.locator("#tools").click();
	const asked = quickInput(driver.workbench.page);
	await asked.asked("Choose Tools");
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
	assert.match((await awaitOutcome(chat)).text, /a PNG image, 1 x 1 pixels/);
});

/** Calls a tool as another extension does. */
async function call(name: string, input: object): Promise<string> {
	return String(await driver.execute(INVOKE_TOOL, `switchboard_${name}`, { connection: store, ...input }));
}

test("another extension's tool call runs at once if it reads, and asks if it writes", async () => {
	const dialog = driver.workbench.page.locator(".monaco-dialog-box");
	const [, pet = ""] = /"id":"?(\d+)/.exec(await call("find_pets", { status: ["available"], limit: 1 })) ?? [];
	const wanted = { pet, status: "pending" };
	const asks = dialog.filter({ hasText: /: available → pending, in / });
	const refused = assert.rejects(call("set_pet_status", wanted), /Cancell?ed/);
	await asks.waitFor();
	assert.match(await dialog.innerText(), /"status": "pending"/);
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await refused;
	const found = await call("find_pets", { status: ["pending"], limit: 100 });
	assert.ok(found.includes('\n{"id":"') && !found.includes(`\n{"id":"${pet}",`), found);
	const agreed = call("set_pet_status", wanted);
	await dialog.getByRole("button", { name: "Yes" }).click();
	assert.match(await agreed, /"status":"pending"/);
});

test("the models of a connection can be chosen in the editor's own Chat", async () => {
	const { page, runCommand } = driver.workbench;
	await runCommand("Chat: Manage Language Models");
	await page.locator(".part.editor", { hasText: "Sandbox" }).waitFor();
	await driver.execute("workbench.action.closeAllEditors");
	// Agent lists only models that call tools.
	await driver.execute("workbench.action.chat.open", { mode: "ask" });
	const picker = page.locator(".part.auxiliarybar [aria-label*='odel']").last();
	const model = page.locator(".action-widget").getByText("Built-in Sandbox", { exact: true });
	const open = async () => {
		// One that was opened before the models were there does not take them, and covers its button.
		await page.keyboard.press("Escape");
		await picker.click({ timeout: 5_000 });
	};
	await insist(open, () => model.first().isVisible(), { what: "the model in the list" });
});

test("a call interrupted by a killed host is shown as interrupted and not run again", async () => {
	await driver.execute("switchboard.removeConnection", { connection: store });
	const { apiKey, token } = sandbox.keys.petstore;
	const other = { service: "petstore", label: "Other", profile: "sandbox", baseUrl: sandbox.baseUrls.petstore };
	await driver.execute("switchboard.addConnection", { ...other, apiKey, token });
	// Its model names no connection: only the built-in sandbox's names its own.
	const words = { service: "messages", label: "Words", profile: "sandbox", baseUrl: sandbox.baseUrls.messages };
	const model = { model: "sandbox", key: sandbox.keys.messages };
	const { id } = (await driver.execute("switchboard.addConnection", { ...words, ...model })) as { id: string };
	await driver.execute("switchboard.chat.selectConnection", { connection: id });
	sandbox.petstore.behave({ on: ["updatePetWithForm"], neverAnswer: true });
	const asked = () => requestsTo(sandbox, "updatePetWithForm").length;
	const chat = await driver.openChat();
	await beginAnew(chat, driver);
	await sendMessage(chat, "Sell a pet that is available");
	await chat.locator(".approval").getByRole("button", { name: "Allow Once" }).click();
	await until(async () => asked() === 1, "the request");
	process.kill(Number(await driver.execute(GET_PROCESS)), "SIGKILL");
	await driver.reload(() => driver.workbench.page.reload());
	const again = await driver.openChat();
	assert.equal((await awaitOutcome(again)).outcome, "interrupted");
	await again.locator('.call[data-state="interrupted"]').waitFor();
	assert.equal(await again.locator(".approval").count(), 0);
	assert.equal(asked(), 1);
});
