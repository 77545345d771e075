import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, readTranscript, sendMessage } from "../support/chat-page.ts";
import { INVOKE_TOOL } from "../support/companion.ts";
import { packageExtension } from "../support/package.ts";
import { insist } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ settings: { "chat.disableAIFeatures": false }, width: 1200, height: 800 });
	const { apiKey, token } = sandbox.keys.petstore;
	const store = { service: "petstore", label: "Pets", baseUrl: sandbox.baseUrls.petstore, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...store, apiKey, token });
	connection = (added as { id: string }).id;
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const dialog = () => driver.workbench.page.locator(".monaco-dialog-box");

/** Calls a tool as another extension does. */
async function call(name: string, input: object): Promise<string> {
	return String(await driver.execute(INVOKE_TOOL, `switchboard_${name}`, { connection, ...input }));
}

async function isPending(pet: string): Promise<boolean> {
	const found = await call("find_pets", { status: ["pending"], limit: 100 });
	const pets = found.split("\n").filter((line) => line.startsWith("{"));
	return pets.some((line) => String((JSON.parse(line) as { id: unknown }).id) === pet);
}

test("a message typed into the composer of the installed package gets a reply that says it is complete", async () => {
	await driver.execute("switchboard.trySandbox");
	const chat = await driver.openChat();
	await sendMessage(chat, "What can you do?");
	const reply = await awaitOutcome(chat);
	assert.equal(reply.outcome, "complete", reply.card);
	assert.notEqual(reply.text, "");
	assert.deepEqual(
		(await readTranscript(chat)).map(({ role }) => role),
		["user", "assistant"],
	);
});

test("a tool that reads runs at once; one that writes asks first, and a refusal changes nothing", async () => {
	const [, pet = ""] = /"id":"?(\d+)/.exec(await call("find_pets", { status: ["available"], limit: 1 })) ?? [];
	assert.equal(await dialog().count(), 0);
	const wanted = { pet, status: "pending" };
	const refused = assert.rejects(call("set_pet_status", wanted), /Cancell?ed/);
	await dialog()
		.filter({ hasText: new RegExp(`pet ${pet}\\)? to pending`) })
		.waitFor();
	assert.match(await dialog().innerText(), /\(Pets\).*"status": "pending"/s);
	await driver.workbench.screenshot("model-tool-asks");
	await dialog().getByRole("button", { name: "Cancel" }).click();
	await refused;
	assert.equal(await isPending(pet), false);
	const agreed = call("set_pet_status", wanted);
	await dialog().getByRole("button", { name: "Yes" }).click();
	assert.match(await agreed, /"status":"pending"/);
	assert.equal(await isPending(pet), true);
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
	await driver.workbench.screenshot("own-chat-models");
});

test("two packages of one commit are the same, byte for byte", async (context) => {
	const folder = await mkdtemp(join(tmpdir(), "switchboard-packages-"));
	context.after(() => rm(folder, { recursive: true, force: true }));
	const packages: Buffer[] = [];
	for (const name of ["a.vsix", "b.vsix"]) {
		await packageExtension(join(folder, name));
		packages.push(await readFile(join(folder, name)));
	}
	assert.ok(packages[0]?.equals(packages[1] ?? Buffer.alloc(0)));
});
