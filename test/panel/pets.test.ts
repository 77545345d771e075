import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { cardOf, chooseOn, clickOn, foldOthers, pressOn, treeView, unfold } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox({ curious: true });
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
/** How many pets stand beside the name of a status; NaN while they are being counted. */
async function shownSize(group: string): Promise<number> {
	const row = pets().row(new RegExp(`^${group}, `));
	return Number(/, (\d+) pets?/.exec((await row.getAttribute("aria-label")) ?? "")?.[1]);
}

/** Number of pets that the store has of a status, whether or not the view shows it yet. */
async function size(group: string): Promise<number> {
	const wish = { connection, operation: "getInventory" };
	const { data } = (await driver.execute("switchboard.petstore.call", wish)) as { data: Record<string, number> };
	return data[group.toLowerCase()] ?? 0;
}

/** Waits until as many stand beside the name of a status. */
const untilSize = (group: string, count: number) =>
	until(async () => (await shownSize(group)) === count, `${count} ${group}`);

const told = (text: string | RegExp) => noticeIn(driver, text);

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

test("without a pet store the view says how to get one, with a button that does it", async () => {
	await driver.execute("switchboard.pets.focus");
	const pane = driver.workbench.page.locator(".part.sidebar .pane", { hasText: "by status" });
	await pane.getByRole("button", { name: "Add a Pet Store" }).waitFor();
});

test("the pets of the only store are loaded with progress, then grouped by status with counts", async () => {
	await foldOthers(driver.workbench.page, "Pets");
	const { page } = driver.workbench;
	const welcome = page.locator(".part.sidebar .welcome-view:visible");
	// A view that is not seen loads nothing yet.
	await driver.execute("workbench.view.explorer");
	connection = await add("Store");
	sandbox.petstore.behave({ on: ["findPetsByStatus"], neverAnswer: true });
	await driver.execute("switchboard.pets.focus");
	await pets().row("Loading the pets of Store").waitFor();
	await driver.execute("switchboard.petstore.stop", {});
	await welcome.filter({ hasText: "No pets have been loaded." }).waitFor();
	sandbox.petstore.behave({});
	await welcome.getByRole("button", { name: "Refresh Pets" }).click();
	await pets().row("Available, ").waitFor();
	for (const group of ["Available", "Pending", "Sold"]) await untilSize(group, await size(group));
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

test("names of others are text: no markup, no icon, no line breaks", async () => {
	await pets().row("Pet <b>Bold</b> & \"quoted\" 'n' ]]> $(done)").waitFor();
});

/** Selects pets by clicks: those, or with Shift all between the two. */
async function select(rows: readonly Locator[], modifier: "ControlOrMeta" | "Shift"): Promise<void> {
	const [first, ...others] = rows;
	const click = async () => {
		await first?.click({ timeout: 30_000 });
		for (const row of others) await row.click({ modifiers: [modifier], timeout: 30_000 });
	};
	const areSelected = async () => {
		const selected = await Promise.all(rows.map((row) => row.getAttribute("aria-selected")));
		return selected.every((each) => each === "true");
	};
	await insist(click, areSelected, { what: "the pets to be selected" });
}

test("several pets are selected and moved at once, and what was refused is listed", async () => {
	const { page } = driver.workbench;
	const before = await size("Sold");
	const names = ["Pet Biscuit", "Pet Kestrel", "Pet Clover"];
	const rows = names.map((name) => pets().row(new RegExp(`^${name},`)));
	await select(rows, "ControlOrMeta");
	sandbox.petstore.behave({ on: ["updatePetWithForm"], fail: { status: 405, times: 1, message: "Not this one" } });
	const isAsked = () => asked().title.filter({ hasText: "Move 3 pets to Status" }).isVisible();
	await pressOn(pets().row(/^Pet Clover,/), "Move Pets to Status", isAsked);
	await driver.workbench.screenshot("pets-move");
	await asked().choose("Sold");
	const rest = await told("2 pets are sold now. 1 pet could not be moved.");
	await driver.workbench.screenshot("pets-refused");
	await rest.getByRole("button", { name: "Undo" }).waitFor();
	await pressIn(rest, "Show What Failed");
	await page.locator(".view-lines", { hasText: "Not this one" }).waitFor();
	await driver.workbench.screenshot("pets-failed");
	// Read-only, so that closing it asks for nothing.
	assert.equal(await page.locator(".tab.active.dirty").count(), 0);
	await untilSize("Sold", before + 2);
});

test("several pets are deleted after one question, with a list of failures, and undone as one", async () => {
	const { page } = driver.workbench;
	const all = await size("Available");
	const two = page.locator('.part.sidebar [role=treeitem][aria-label^="Pet "]');
	await select([two.first(), two.nth(1)], "ControlOrMeta");
	const dialog = page.locator(".monaco-dialog-box").filter({ hasText: "Delete 2 pets?" });
	await chooseOn(two.nth(1), "Delete Pet...", () => dialog.isVisible());
	assert.match(await dialog.innerText(), /You can undo that while this window is open/);
	await driver.workbench.screenshot("pets-delete");
	sandbox.petstore.behave({ on: ["deletePet"], fail: { status: 405, times: 1, message: "Not that one" } });
	await dialog.getByRole("button", { name: "Delete" }).click();
	const rest = await told("1 pet is deleted. 1 pet could not be deleted.");
	await pressIn(rest, "Show What Failed");
	await page.locator(".view-lines", { hasText: "Not that one" }).waitFor();
	assert.match(await page.locator(".tab.active").innerText(), /What could not be deleted/);
	await untilSize("Available", all - 1);
	await driver.execute("switchboard.petstore.undoPetChange", {});
	await untilSize("Available", all);
});

test("a click opens a pet as a preview, and a double click keeps it", async () => {
	const { page } = driver.workbench;
	const previews = page.locator(".part.editor .tab .italic");
	const tab = page.locator(".part.editor .tab.active", { hasText: /Pet \d+\.json/ });
	const rows = page.locator('.part.sidebar [role=treeitem][aria-label^="Pet Clover"]');
	await clickOn(rows.first(), () => previews.isVisible());
	await tab.waitFor();
	await insist(
		() => rows.first().dblclick({ timeout: 5_000 }),
		async () => !(await previews.isVisible()),
		{ what: "the pet to be kept" },
	);
	const kept = /Pet \d+/.exec(await tab.innerText())?.[0] ?? assert.fail("the tab of a pet");
	await clickOn(rows.nth(1), () => previews.isVisible());
	await page.locator(".part.editor .tab", { hasText: new RegExp(`${kept}\\b`) }).waitFor();
});

test("a password is entered in a hidden box and refused in a visible one; ids keep their digits", async () => {
	const { page } = driver.workbench;
	await driver.workbench.runCommand("Switchboard: Call Pet Store Operation");
	await asked().choices("createUser").first().waitFor();
	await asked().box.fill("createUser");
	await asked().choose("createUser");
	await asked().message.filter({ hasText: "leave out password, which is asked for next" }).waitFor();
	await asked().enter('{"body": {"username": "zoe", "password": "typed-12345"}}');
	await asked().message.filter({ hasText: "Leave out body.password" }).waitFor();
	await asked().enter('{"body": {"username": "zoe"}');
	await asked().message.filter({ hasText: "This is not JSON." }).waitFor();
	await asked().answer('{"body": {"username": "zoe", "id": 9007199254740993}}');
	await asked().message.filter({ hasText: "body.password, sent to" }).waitFor();
	assert.equal(await asked().box.getAttribute("type"), "password");
	await driver.workbench.screenshot("petstore-password");
	await asked().answer("hopper-12345");
	await page.locator(".part.editor .view-lines", { hasText: '"status": 200' }).waitFor();
	await driver.execute("switchboard.petstore.logIn", { connection, username: "zoe", password: "hopper-12345" });
	const wish = { connection, operation: "getUserByName", params: { username: "zoe" } };
	const { data } = (await driver.execute("switchboard.petstore.call", wish)) as { data: { id: string } };
	assert.equal(data.id, "9007199254740993");
});

test("a picture that is dropped on a pet becomes its photo", async () => {
	const row = pets().row("Pet Even");
	const photos = () => sandbox.petstore.store.pets.get(2n ** 53n)?.photoUrls ?? [];
	// A tree that is just drawn again takes no drop.
	await insist(
		() => drop(row, "even.png"),
		async () => photos().length > 0,
		{ what: "the photo", againMs: 10_000 },
	);
	const tab = driver.workbench.page.locator(".tab", { hasText: "Even.png" });
	await pressOn(row, "Preview Pet Photo", () => tab.isVisible());
	await driver.workbench.screenshot("pets-photo");
});

test("an upload that is cancelled in its notification ends there, and the pet has no photo of it", async () => {
	sandbox.petstore.behave({ on: ["uploadFile"], headersAfterMs: 600_000 });
	const photos = () => sandbox.petstore.store.pets.get(2n ** 53n)?.photoUrls.length ?? 0;
	const asking = () => sandbox.status().petstore.operations.uploadFile ?? 0;
	const [before, began] = [photos(), asking()];
	// A tree that is just drawn again takes no drop, and no second one may be under way.
	const dropIt = () => drop(pets().row("Pet Even"), "slow.png", { padding: 8_000_000 });
	await insist(dropIt, async () => asking() > began, { what: "the upload", againMs: 60_000 });
	assert.equal(asking(), began + 1);
	const uploading = await told("Uploading a photo of Even");
	await until(async () => /[1-9]\d? %/.test(await uploading.innerText()), "how far it is");
	await driver.workbench.screenshot("pets-uploading");
	await pressIn(uploading, "Cancel");
	await uploading.waitFor({ state: "detached" });
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
		const row = pets().row(new RegExp(`^Pet ${name},`));
		await unfold(heading, row);
		const tab = page.locator(".part.editor .tab.active", { hasText: `Pet ${id}.json` });
		await clickOn(row, () => tab.isVisible());
		await page.locator(".part.editor .view-lines", { hasText: `"id": ${id},` }).waitFor();
		await chooseOn(row, "Ask in Chat About Pet", async () => {
			const shown = JSON.stringify(await driver.execute("switchboard.chat.showRequest", { text: "Who is it?" }));
			return shown.includes(`\\"id\\": ${id},`);
		});
	}
	await driver.execute("switchboard.petstore.clearFilter", {});
});

test("a photo on another host is fetched after a confirmation, and so is its redirect", async (t) => {
	const heard: string[] = [];
	const server = createServer(({ headers, url }, response) => {
		heard.push(`${headers.host}${url}`);
		if (url === "/a.png") response.writeHead(302, { location: `http://localhost:${port}/b.png` }).end();
		else response.end(Buffer.from(PIXEL, "base64"));
	}).listen(0, "127.0.0.1");
	t.after(() => server.close());
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const first = `127.0.0.1:${port}/a.png`;
	sandbox.petstore.store.setPet({ id: 3n, name: "Away", photoUrls: [`http://${first}`], status: "available" });
	await driver.execute("switchboard.petstore.refreshPets", { connection });
	const isAsked = () => asked().choices(`http://${first}`).isVisible();
	await pressOn(pets().row("Pet Away"), "Preview Pet Photo", isAsked);
	assert.deepEqual(heard, []);
	await asked().choose(`http://${first}`);
	const second = `localhost:${port}/b.png`;
	await asked().choices(`http://${second}`).waitFor();
	await driver.workbench.screenshot("pets-photo-moved");
	assert.deepEqual(heard, [first]);
	await asked().choose(`http://${second}`);
	await driver.workbench.page.locator(".part.editor .tab.active", { hasText: "Away.png" }).waitFor();
	assert.deepEqual(heard, [first, second]);
});

test("a filter shows a part of the pets, and says so in the view's head", async () => {
	await driver.execute("switchboard.petstore.filterPets", { text: "mochi", tags: [] });
	await pets()
		.row(/^Available, \d+ of \d+ pets/)
		.waitFor();
	await driver.workbench.page.locator('.pane-header[aria-label^="Pets"]', { hasText: '"mochi"' }).waitFor();
	await driver.workbench.screenshot("pets-filter");
});

test("each store is a row of its own, with its own failure and the fix", async () => {
	const other = await add("Annex");
	await pets().row("Pets of Annex").waitFor();
	await driver.execute("switchboard.signOut", { connection: other });
	await unfold(pets().row("Pets of Annex"), pets().row(/^Error: Annex requires a sign-in/));
	await driver.workbench.screenshot("pets-error");
	await driver.execute("switchboard.removeConnection", { connection: other });
	await driver.execute("switchboard.petstore.clearFilter", {});
	await pets()
		.row(/^Available, \d+ pets/)
		.waitFor();
});
