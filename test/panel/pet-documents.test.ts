import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

const PET = "9007199254740993";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox({ curious: true });
	driver = await openDriver({ width: 1300, height: 900 });
	const { apiKey, token } = sandbox.keys.petstore;
	const base = { service: "petstore", label: "Pets", baseUrl: sandbox.baseUrls.petstore, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...base, apiKey, token });
	connection = (added as { id: string }).id;
	await put("Rex");
});

afterEach(async () => {
	await driver.execute("workbench.action.files.revert");
	await driver.execute("workbench.action.closeAllEditors");
	await driver.execute("notifications.clearAll");
	await driver.execute("notifications.hideList");
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asOther = async (method: string, path: string, body?: object) => {
	const { apiKey, token } = sandbox.keys.petstore;
	const text = body === undefined ? undefined : JSON.stringify(body).replace(/"id":"(\d+)"/, '"id":$1');
	return fetch(`${sandbox.baseUrls.petstore}/v2${path}`, {
		method,
		headers: { api_key: apiKey, authorization: `Bearer ${token}`, "content-type": "application/json" },
		...(text === undefined ? {} : { body: text }),
	});
};
const put = (name: string) => asOther("PUT", "/pet", { id: PET, name, photoUrls: [], status: "available" });
const stored = async () => (await asOther("GET", `/pet/${PET}`)).text();
const isStored = (what: RegExp) => async () => what.test(await stored());

const open = () => driver.execute("switchboard.petstore.openPet", { connection, pet: PET });
const lines = () => driver.workbench.page.locator(".part.editor .view-lines").first();

const notification = (words: string) => noticeIn(driver, words);

/** Puts the cursor behind a text of the document. */
async function behind(text: string): Promise<void> {
	const { page } = driver.workbench;
	await lines().click();
	const search = page.locator(".find-widget.visible textarea").first();
	await insist(
		() => page.keyboard.press("ControlOrMeta+f"),
		() => search.isVisible(),
		{ what: "the search" },
	);
	await search.fill(text);
	await search.press("Enter");
	await page.locator(".find-widget.visible .matchesCount", { hasText: "1 of 1" }).waitFor();
	await search.press("Escape");
	await page.locator(".part.editor .monaco-editor.focused").waitFor();
	await page.keyboard.press("ArrowRight");
}

/** Writes into the document where the cursor is, and waits until it reads so. */
async function write(text: string, whole: string): Promise<void> {
	await driver.workbench.page.keyboard.type(text);
	await lines().filter({ hasText: whole }).waitFor();
}

const save = () => driver.workbench.page.keyboard.press("ControlOrMeta+s");

test("a pet that was changed elsewhere is compared before it is overwritten", async () => {
	const { page, screenshot } = driver.workbench;
	await open();
	await lines().filter({ hasText: "Rex" }).waitFor();
	await behind('"name": "');
	await write("T", '"TRex"');
	await put("Max");
	await save();
	const conflict = await notification("Failed to save");
	await screenshot("pet-conflict");
	assert.match(await stored(), /"Max"/);
	await pressIn(conflict, "Compare");
	await page.locator(".monaco-diff-editor .view-lines", { hasText: "Max" }).first().waitFor();
	await page.locator(".monaco-diff-editor .view-lines", { hasText: "TRex" }).first().waitFor();
	await screenshot("pet-compare");
	const own = page.locator(".editor-actions a[aria-label^='Use your changes']");
	await insist(() => own.click({ timeout: 5_000 }), isStored(/"TRex"/), { what: "the own text to be saved" });
});

test("deleting a pet asks, and Undo in what is said then brings it back the same", async () => {
	const { page, screenshot, runCommand } = driver.workbench;
	const before = await stored();
	await open();
	await lines().filter({ hasText: "TRex" }).waitFor();
	await runCommand("Switchboard: Delete Pet...");
	const dialog = page.locator(".monaco-dialog-box");
	await dialog.filter({ hasText: "Delete TRex?" }).waitFor();
	await screenshot("pet-delete");
	await dialog.getByRole("button", { name: "Delete" }).click();
	const told = await notification("Deleted TRex.");
	assert.equal((await asOther("GET", `/pet/${PET}`)).status, 404);
	await screenshot("pet-deleted");
	await pressIn(told, "Undo");
	await until(async () => (await stored()) === before, "the pet is back");
});

test("a change that was saved can be undone above the document", async () => {
	const { page, screenshot } = driver.workbench;
	await open();
	await lines().filter({ hasText: "TRex" }).waitFor();
	await behind('"name": "');
	await write("Old ", '"Old TRex"');
	await save();
	await until(isStored(/"Old TRex"/), "the change is saved");
	const undo = page.locator(".editor-actions").getByRole("button", { name: "Undo Last Pet Change" });
	await undo.waitFor();
	await screenshot("pet-undo");
	await insist(() => undo.click({ timeout: 5_000 }), isStored(/"TRex"/), { what: "the change to be undone" });
	await until(async () => !(await lines().innerText()).includes("Old"), "the document is as before");
});

test("a pet is renamed or sold with two keys", async () => {
	const { page, screenshot, runCommand } = driver.workbench;
	await open();
	await lines().filter({ hasText: "TRex" }).waitFor();
	await runCommand("Switchboard: Edit Pet...");
	const quick = quickInput(page);
	await quick.choices("Make It Sold").waitFor();
	await screenshot("pet-edit");
	await quick.choose("Make It Sold");
	const told = await notification("TRex is sold now.");
	assert.match(await stored(), /"sold"/);
	await pressIn(told, "Undo");
	await until(isStored(/"available"/), "it is available again");
});

test("Undo Last Pet Change undoes no other pet's change while a pet without one is in front", async () => {
	const { runCommand } = driver.workbench;
	const [, before = ""] = /"name":"([^"]*)"/.exec(await stored()) ?? [];
	await driver.execute("switchboard.petstore.editPet", { connection, pet: PET, name: "Undone" });
	await driver.execute("switchboard.petstore.openPet", { connection, pet: "3" });
	await lines()
		.filter({ hasText: /"id":\s*3\b/ })
		.waitFor();
	await runCommand("Switchboard: Undo Last Pet Change");
	const told = await notification("This pet was not changed in this window. The last change was to");
	assert.match(await stored(), /"Undone"/);
	await pressIn(told, "Undo That");
	await until(isStored(new RegExp(`"name":"${before}"`)), "it has its name again");
});

test("Open Pet asks for a pet where none is named, also while the document of one is in front", async () => {
	const { page, runCommand } = driver.workbench;
	await open();
	await lines().filter({ hasText: PET }).waitFor();
	await runCommand("Switchboard: Open Pet...");
	const quick = quickInput(page);
	await quick.asked("Open Pet");
	await quick.leave();
});
