import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { quickInput } from "../support/quick-input.ts";
import { cardOf, foldOthers, treeView } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox();
	const settings = { "switchboard.retry.maxAttempts": 1, "workbench.colorTheme": "Default Dark Modern" };
	driver = await openDriver({ settings, width: 1300, height: 1100 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const pets = () => treeView(driver.workbench.page, "Pets");
const asked = () => quickInput(driver.workbench.page);
const size = async (group: string) => {
	const name = await pets()
		.row(new RegExp(`^${group}, `))
		.getAttribute("aria-label");
	return Number(/, (\d+) pets?/.exec(name ?? "")?.[1]);
};

/** Waits for the notification that says this. Under test the editor shows none by itself, so its list is opened. */
async function told(text: string): Promise<Locator> {
	const shown = driver.workbench.page.locator(".notifications-center .notification-list-item", { hasText: text });
	await until(async () => {
		await driver.execute("notifications.showList");
		return shown.first().isVisible();
	}, `a notification that says ${text}`);
	return shown.first();
}

async function add(label: string): Promise<string> {
	const { apiKey, token } = sandbox.keys.petstore;
	const added = await driver.execute("switchboard.addConnection", {
		...{ service: "petstore", label, baseUrl: sandbox.baseUrls.petstore, profile: "sandbox", apiKey, token },
	});
	return (added as { id: string }).id;
}

/** Drops a picture on a row, as if it were dragged into the window. */
async function drop(row: Locator, name: string, { padding = 0 } = {}): Promise<void> {
	const { page } = driver.workbench;
	const dataTransfer = await page.evaluateHandle(
		`(() => {
			const bytes = Uint8Array.from(atob(${JSON.stringify(PIXEL)}), (letter) => letter.charCodeAt(0));
			const transfer = new DataTransfer();
			transfer.items.add(new File([bytes, new Uint8Array(${padding})], ${JSON.stringify(name)}, { type: "image/png" }));
			return transfer;
		})()`,
	);
	const { x = 0, y = 0, width = 0, height = 0 } = (await row.boundingBox()) ?? {};
	const at = { dataTransfer, clientX: x + width / 2, clientY: y + height / 2, bubbles: true, cancelable: true };
	for (const type of ["dragenter", "dragover", "dragover", "drop"]) {
		await row.dispatchEvent(type, at);
		await delay(100);
	}
}

test("without a pet store the view says how to get one, with buttons that do it", async () => {
	await driver.execute("switchboard.pets.focus");
	const pane = driver.workbench.page.locator(".part.sidebar .pane", { hasText: "by status" });
	for (const name of ["Try the Built-in Sandbox", "Add a Pet Store"])
		await pane.getByRole("button", { name }).waitFor();
});

test("the pets of the only store stand by status, with the counts of its inventory", async () => {
	await foldOthers(driver.workbench.page, "Pets");
	connection = await add("Store");
	await pets().row("Available, ").waitFor();
	const { data } = (await driver.execute("switchboard.petstore.call", {
		...{ connection, operation: "getInventory" },
	})) as { data: Record<string, number> };
	for (const status of ["available", "pending", "sold"] as const) {
		assert.equal(await size(`${status.charAt(0).toUpperCase()}${status.slice(1)}`), data[status], status);
	}
	await pets().row("Pet Biscuit").waitFor();
	await driver.workbench.screenshot("pets");
});

test("hovering a pet shows what is known of it, its photos counted and none of them fetched", async () => {
	const text = await cardOf(pets().row(/^Pet Clover,/), "Clover");
	assert.match(text, /^Id: \d+$/m);
	assert.match(text, /^Status: available$/m);
	assert.match(text, /^Photos: [12]$/m);
	await driver.workbench.screenshot("pets-hover");
	await driver.workbench.page.mouse.move(900, 300);
});

test("what is no pet in a store's list is left out and told below the others", async () => {
	sandbox.petstore.behave({ quirks: ["foreign-items"] });
	await driver.execute("switchboard.petstore.refreshPets", {});
	await pets().row("6 left out: items of the store's list are no pets").waitFor();
	sandbox.petstore.behave({});
	await driver.execute("switchboard.petstore.refreshPets", {});
	await pets().row("6 left out").waitFor({ state: "detached" });
	await pets().row("Pet Biscuit").waitFor();
});

test("names of others are text: no markup, no icon, no line breaks", async () => {
	await pets().row("Pet <b>Bold</b> & \"quoted\" 'n' ]]> $(done)").waitFor();
});

test("several pets are selected and moved at once, and what was refused is listed", async () => {
	const { page } = driver.workbench;
	const before = await size("Sold");
	const names = ["Pet Biscuit", "Pet Kestrel", "Pet Clover"];
	await pets()
		.row(/^Pet Biscuit,/)
		.click();
	for (const name of names.slice(1))
		await pets()
			.row(new RegExp(`^${name},`))
			.click({ modifiers: ["ControlOrMeta"] });
	sandbox.petstore.behave({ on: ["updatePetWithForm"], fail: { status: 405, times: 1, message: "Not this one" } });
	const row = pets().row(/^Pet Clover,/);
	await row.hover();
	await row.getByRole("button", { name: "Move Pets to Status" }).click();
	await asked().asked("Move 3 pets to Status");
	await driver.workbench.screenshot("pets-move");
	await asked().choose("Sold");
	const rest = await told("2 pets are sold now. 1 pet could not be moved.");
	await driver.workbench.screenshot("pets-refused");
	await rest.getByRole("button", { name: "Undo" }).waitFor();
	await rest.getByRole("button", { name: "Show What Failed" }).click();
	await page.locator(".view-lines", { hasText: "Not this one" }).waitFor();
	await driver.workbench.screenshot("pets-failed");
	await until(async () => (await size("Sold")) === before + 2, "the count of the sold");
});

test("what many were moved for can be undone, each to the status it had", async () => {
	const { page } = driver.workbench;
	const [available, pending] = [await size("Available"), await size("Pending")];
	await driver.execute("switchboard.petstore.filterPets", { text: "pip", tags: [] });
	await pets()
		.row(/^Available, \d+ of/)
		.waitFor();
	const rows = page.locator('.part.sidebar [role=treeitem][aria-label^="Pet Pip"]');
	await rows.first().click();
	await rows.nth(1).click({ modifiers: ["ControlOrMeta"] });
	await driver.workbench.runCommand("Switchboard: Move Pets to Status");
	await asked().asked("Move 2 pets to Status");
	await asked().choose("Pending");
	const moved = await told("2 pets are pending now.");
	await moved.getByRole("button", { name: "Undo" }).click();
	await told("2 pets are as before.");
	await driver.execute("switchboard.petstore.clearFilter", {});
	await pets()
		.row(/^Available, \d+ pets/)
		.waitFor();
	assert.deepEqual([await size("Available"), await size("Pending")], [available, pending]);
});

/** Selects the first pets of the view, by clicks. */
async function selectFirst(count: number): Promise<void> {
	const rows = driver.workbench.page.locator('.part.sidebar [role=treeitem][aria-label^="Pet "]');
	await rows.first().click();
	await rows.nth(count - 1).click({ modifiers: ["Shift"] });
}

test("of a move of which a pet was refused the rest can be undone", async () => {
	const before = await size("Available");
	await selectFirst(3);
	sandbox.petstore.behave({ on: ["updatePetWithForm"], fail: { status: 405, times: 1, message: "Not this one" } });
	await driver.workbench.runCommand("Switchboard: Move Pets to Status");
	await asked().asked("Move 3 pets to Status");
	await asked().choose("Pending");
	const moved = await told("2 pets are pending now. 1 pet could not be moved.");
	await until(async () => (await size("Available")) === before - 2, "two fewer");
	await moved.getByRole("button", { name: "Undo" }).click();
	await told("2 pets are as before.");
	await until(async () => (await size("Available")) === before, "as many as before");
});

test("of a move that was stopped what was begun can be undone", async () => {
	const before = await size("Available");
	await selectFirst(6);
	sandbox.petstore.behave({ on: ["updatePetWithForm"], headersAfterMs: 1_000 });
	const asking = () => sandbox.status().petstore.operations.updatePetWithForm ?? 0;
	const began = asking();
	await driver.workbench.runCommand("Switchboard: Move Pets to Status");
	await asked().asked("Move 6 pets to Status");
	await asked().choose("Sold");
	await until(async () => asking() === began + 4, "four are on their way");
	await driver.execute("switchboard.petstore.stop", {});
	const stopped = await told("4 pets are sold now. 2 pets were not begun.");
	sandbox.petstore.behave({});
	await stopped.getByRole("button", { name: "Undo" }).click();
	await told("4 pets are as before.");
	await until(async () => (await size("Available")) === before, "as many as before");
});

test("a click opens a pet as a preview, and a double click keeps it", async () => {
	const { page } = driver.workbench;
	const previews = page.locator(".part.editor .tab .italic");
	const tab = page.locator(".part.editor .tab.active", { hasText: /Pet \d+\.json/ });
	const rows = page.locator('.part.sidebar [role=treeitem][aria-label^="Pet Clover"]');
	await rows.first().click();
	await tab.waitFor();
	await previews.waitFor();
	await rows.first().dblclick();
	await previews.waitFor({ state: "detached" });
	const kept = /Pet \d+/.exec(await tab.innerText())?.[0] ?? assert.fail("the tab of a pet");
	await rows.nth(1).click();
	await previews.waitFor();
	await page.locator(".part.editor .tab", { hasText: new RegExp(`${kept}\\b`) }).waitFor();
});

test("a password is asked for in a box that hides it, and not taken where it can be read", async () => {
	const { page } = driver.workbench;
	await driver.workbench.runCommand("Switchboard: Call Pet Store Operation");
	await asked().box.fill("createUser");
	await asked().choose("createUser");
	await asked().message.filter({ hasText: "leave out password, which is asked for next" }).waitFor();
	await asked().box.fill('{"body": {"username": "zoe", "password": "typed-12345"}}');
	await asked().box.press("Enter");
	await asked().message.filter({ hasText: "Leave out body.password" }).waitFor();
	await asked().box.fill('{"body": {"username": "zoe"}}');
	await asked().box.press("Enter");
	await asked().message.filter({ hasText: "body.password, sent to" }).waitFor();
	await driver.workbench.screenshot("petstore-password");
	const box = page.locator(".quick-input-widget input[type=password]");
	await box.fill("hopper-12345");
	await box.press("Enter");
	await page.locator(".part.editor .view-lines", { hasText: '"status": 200' }).waitFor();
	await driver.execute("switchboard.petstore.logIn", { connection, username: "zoe", password: "hopper-12345" });
});

test("a picture that is dropped on a pet becomes its photo", async () => {
	const row = pets().row("Pet Even");
	const photos = () => sandbox.petstore.pet(2n ** 53n)?.photoUrls ?? [];
	await until(async () => {
		// A tree that is just drawn again takes no drop.
		await drop(row, "even.png");
		await delay(1_000);
		return photos().length > 0;
	}, "the photo");
	await row.hover();
	await row.getByRole("button", { name: "Preview Photo of Pet" }).click();
	await driver.workbench.page.locator(".tab", { hasText: "Even.png" }).waitFor();
	await driver.workbench.screenshot("pets-photo");
});

test("an upload that is cancelled in its notification ends there, and the pet has no photo of it", async () => {
	const { page } = driver.workbench;
	sandbox.petstore.behave({ on: ["uploadFile"], readBytesPerSecond: 50_000 });
	const photos = () => sandbox.petstore.pet(2n ** 53n)?.photoUrls.length ?? 0;
	const asking = () => sandbox.status().petstore.operations.uploadFile ?? 0;
	const [before, began] = [photos(), asking()];
	const isBegun = () => until(async () => asking() > began, "the upload", 3_000);
	await until(async () => {
		// A tree that is just drawn again takes no drop, and no second one may be under way.
		await drop(pets().row("Pet Even"), "slow.png", { padding: 8_000_000 });
		return isBegun().then(
			() => true,
			() => false,
		);
	}, "the drop");
	assert.equal(asking(), began + 1);
	const uploading = await told("Uploading a photo of Even");
	await until(async () => /[1-9]\d? %/.test(await uploading.innerText()), "how far it is");
	await driver.workbench.screenshot("pets-uploading");
	await uploading.getByRole("button", { name: "Cancel" }).click();
	await page
		.locator(".notification-list-item", { hasText: "Uploading a photo of Even" })
		.first()
		.waitFor({ state: "detached" });
	sandbox.petstore.behave({});
	await driver.execute("switchboard.petstore.refreshPets", { connection });
	assert.equal(photos(), before);
	assert.deepEqual(await driver.execute("switchboard.petstore.stop", {}), { stopped: false });
});

test("a pet opens from its row, and goes into the chat from there, with every digit of its id", async () => {
	const { page } = driver.workbench;
	await driver.execute("switchboard.addConnection", {
		...{ service: "messages", label: "Model", baseUrl: sandbox.baseUrls.messages, key: sandbox.keys.messages },
		model: "sandbox-small",
	});
	for (const [name, group, id] of [
		["Odd", "Available", "9007199254740993"],
		["Max", "Pending", "9223372036854775807"],
	] as const) {
		await driver.execute("switchboard.petstore.filterPets", { text: id, tags: [] });
		const heading = pets().row(new RegExp(`^${group}, 1 of`));
		await heading.waitFor();
		if ((await heading.getAttribute("aria-expanded")) === "false") await heading.click();
		const row = pets().row(new RegExp(`^Pet ${name},`));
		await row.click();
		await page.locator(".part.editor .tab.active", { hasText: `Pet ${id}.json` }).waitFor();
		await page.locator(".part.editor .view-lines", { hasText: `"id": ${id},` }).waitFor();
		await row.click({ button: "right" });
		await page.getByRole("menuitem", { name: "Ask in Chat About Pet" }).click();
		const body = async () =>
			JSON.stringify(await driver.execute("switchboard.chat.showRequest", { text: "Who is it?" }));
		await until(
			async () => (await body()).includes(`\\\\"id\\\\": ${id},`) || (await body()).includes(`\\"id\\": ${id},`),
			`${id} in the request`,
		);
	}
	await driver.execute("switchboard.petstore.clearFilter", {});
});

test("a photo elsewhere is fetched only once its address was seen", async () => {
	const { page } = driver.workbench;
	sandbox.petstore.setPet({ id: 3n, name: "Away", photoUrls: ["https://pets.invalid/a.png"], status: "available" });
	await driver.execute("switchboard.petstore.refreshPets", { connection });
	const row = pets().row("Pet Away");
	await row.hover();
	await row.getByRole("button", { name: "Preview Photo of Pet" }).click();
	await asked().choices("https://pets.invalid/a.png").waitFor();
	await page.keyboard.press("Escape");
});

test("a filter shows a part of the pets, and says so in the view's head", async () => {
	await driver.execute("switchboard.petstore.filterPets", { text: "mochi", tags: [] });
	await pets()
		.row(/^Available, \d+ of \d+ pets/)
		.waitFor();
	await driver.workbench.page.locator('.pane-header[aria-label^="Pets"]', { hasText: '"mochi"' }).waitFor();
	await driver.workbench.screenshot("pets-filter");
});

test("several stores are rows of their own, and what fails in one stands there with what mends it", async () => {
	const other = await add("Annex");
	await pets().row("Pets of Annex").waitFor();
	await driver.execute("switchboard.signOut", { connection: other });
	// A click while the view draws its rows anew opens nothing.
	await until(async () => {
		if (
			await pets()
				.row(/^Error: Annex wants a sign-in/)
				.isVisible()
		)
			return true;
		const annex = pets().row("Pets of Annex");
		if ((await annex.getAttribute("aria-expanded")) === "false") await annex.click();
		await delay(1_000);
		return false;
	}, "what Annex wants stands below it");
	await driver.workbench.screenshot("pets-error");
	await driver.execute("switchboard.removeConnection", { connection: other });
	await driver.execute("switchboard.petstore.clearFilter", {});
	await pets()
		.row(/^Available, \d+ pets/)
		.waitFor();
});
