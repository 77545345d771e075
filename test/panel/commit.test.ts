import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type DictatedService, startDictatedService } from "../support/dictated-service.ts";
import { quickInput } from "../support/quick-input.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let service: DictatedService;

before(async () => {
	service = await startDictatedService();
	const prices = { dictated: { input: 3, output: 15, currency: "EUR" } };
	const settings = { "git.enabled": true, "switchboard.chat.prices": prices };
	driver = await openDriver({ settings, width: 1300, height: 900 });
	await driver.execute("switchboard.addConnection", {
		service: "messages",
		label: "Dictated",
		model: "dictated",
		baseUrl: service.baseUrl,
		key: "panel-suite-key-0123456789",
	});
	for (const name of ["bell", "lamp"]) {
		const folder = join(driver.folder, name);
		await mkdir(folder);
		execFileSync("git", ["init", "--quiet", "--initial-branch=main", folder]);
		await writeFile(join(folder, `${name}.ts`), "export const state = 1;\n");
		execFileSync("git", ["-C", folder, "add", "."]);
	}
	await driver.reload();
	await driver.execute("workbench.view.scm");
});

after(async () => {
	await driver.dispose();
	await service.close();
});

const page = () => driver.workbench.page;
const button = (name: string) =>
	page().locator(".scm-view, .pane-header, .composite.title").getByRole("button", { name });
const lines = () => page().locator(".scm-editor .view-lines").last();
const holds = (text: string) =>
	until(async () => (await lines().innerText()).replaceAll("\u00a0", " ").trim() === text, `"${text}" in the box`);

test("a commit message is written where its button is, once its cost was told", async () => {
	const questions = quickInput(page());
	await driver.workbench.runCommand("Switchboard: Write Commit Message");
	await questions.asked("Write Commit Message");
	assert.equal(await questions.choices("main").count(), 2);
	await questions.leave();
	await lines().click();
	await page().keyboard.type("about the lamp");
	await holds("about the lamp");
	const dialog = page().getByRole("dialog").filter({ hasText: 'Send the changes in "lamp" to Dictated (dictated)?' });
	const press = () => button("Write Commit Message").last().click({ timeout: 5_000 });
	await insist(press, () => dialog.isVisible(), { what: "the question" });
	assert.match(await dialog.innerText(), /about \d+ tokens, without known secrets\. They cost less than 0\.01 EUR/);
	await dialog.getByRole("button", { name: "Write Message" }).click();
	await service.begun();
	service.say("Light the");
	await holds("Light the");
	service.say(" lamp");
	await holds("Light the lamp");
	assert.equal(await button("Write Commit Message").count(), 0);
	service.end();
	await button("Undo Commit Message").last().click();
	await holds("about the lamp");
	await button("Undo Commit Message").last().waitFor({ state: "detached" });
});

test("a person who types stops the message, and the words are theirs", async () => {
	await lines().click();
	await button("Write Commit Message").last().click();
	await service.begun();
	service.say("Light the");
	await holds("Light the");
	// The focus is still there.
	await page().keyboard.press("End");
	await page().keyboard.type("!");
	await holds("Light the!");
	service.say(" lamp");
	await button("Write Commit Message").last().waitFor();
	await holds("Light the!");
	assert.equal(await button("Undo Commit Message").count(), 0);
});
