import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, afterEach, before, suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Frame, Locator } from "playwright-core";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { cardOf, chooseOn, clickOn, dragOnto, foldOthers, pressOn, treeView, unfold } from "../support/tree-view.ts";
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

afterEach(async () => {
	sandbox.petstore.behave({});
	for (const command of ["notifications.clearAll", "notifications.hideList"]) await driver.execute(command);
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const pets = () => treeView(driver.workbench.page, "Pets");
const store = () => treeView(driver.workbench.page, "Store");
const asked = () => quickInput(driver.workbench.page);
const told = (text: string | RegExp) => noticeIn(driver, text);

/** Number of pets that the store has of a status. */
async function size(group: string): Promise<number> {
	const wish = { connection, operation: "getInventory" };
	const { data } = (await driver.execute("switchboard.petstore.call", wish)) as { data: Record<string, number> };
	return data[group.toLowerCase()] ?? 0;
}

/** Frame of the page with this heading, which is not that of the window. */
async function pageOf(heading: string): Promise<Frame> {
	let found: Frame | undefined;
	await until(async () => {
		for (const frame of driver.workbench.page.frames()) {
			const headings = frame.getByRole("heading", { name: heading, exact: true, level: 1 });
			if ((await headings.count().catch(() => 0)) > 0) found = frame;
		}
		return found !== undefined;
	}, `the page ${heading}`);
	return found ?? assert.fail();
}

/** Waits until as many stand beside the name of a status. */
const untilSize = (group: string, count: number) =>
	pets()
		.row(new RegExp(`^${group}, ${count} pets?`))
		.waitFor();

/** Drops a picture on a row, as if it were dragged into the window. */
async function drop(row: Locator, name: string): Promise<void> {
	const { page } = driver.workbench;
	const dataTransfer = await page.evaluateHandle(
		`(() => {
			const bytes = Uint8Array.from(atob(${JSON.stringify(PIXEL)}), (letter) => letter.charCodeAt(0));
			const transfer = new DataTransfer();
			transfer.items.add(new File([bytes], ${JSON.stringify(name)}, { type: "image/png" }));
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

test("views without a pet store say how to get one, with a button that does it", async () => {
	for (const [view, words] of [
		["pets", "by status"],
		["store", "inventory"],
	] as const) {
		await driver.execute(`switchboard.${view}.focus`);
		const pane = driver.workbench.page.locator(".part.sidebar .pane", { hasText: words });
		await pane.getByRole("button", { name: "Add a Pet Store" }).first().waitFor();
	}
});

test("the only store's pets load with progress, in groups with counts and with cards", async () => {
	await foldOthers(driver.workbench.page, "Pets");
	const welcome = driver.workbench.page.locator(".part.sidebar .welcome-view:visible");
	// A view that is not seen loads nothing yet.
	await driver.execute("workbench.view.explorer");
	const { apiKey, token } = sandbox.keys.petstore;
	const added = await driver.execute("switchboard.addConnection", {
		service: "petstore",
		label: "Shop",
		baseUrl: sandbox.baseUrls.petstore,
		profile: "sandbox",
		apiKey,
		token,
	});
	connection = (added as { id: string }).id;
	sandbox.petstore.behave({ on: ["findPetsByStatus"], neverAnswer: true });
	await driver.execute("switchboard.pets.focus");
	await pets().row("Loading the pets of Shop").waitFor();
	await driver.execute("switchboard.petstore.stop", {});
	await welcome.filter({ hasText: "No pets have been loaded." }).waitFor();
	sandbox.petstore.behave({});
	await welcome.getByRole("button", { name: "Refresh Pets" }).click();
	await pets().row("Available, ").waitFor();
	for (const group of ["Available", "Pending", "Sold"]) await untilSize(group, await size(group));
	// Names of others are text: no markup, no icon, no line breaks.
	await pets().row("Pet <b>Bold</b> & \"quoted\" 'n' ]]> $(done)").waitFor();
	assert.match(await cardOf(pets().row(/^Pet Clover,/), "Clover"), /^Photos: [12]$/m);
});

test("several pets are selected and moved at once, and what was refused is listed", async () => {
	const { page } = driver.workbench;
	const before = await size("Sold");
	const rows = ["Biscuit", "Kestrel", "Clover"].map((name) => pets().row(new RegExp(`^Pet ${name},`)));
	const [first, ...others] = rows;
	const select = async () => {
		await first?.click({ timeout: 30_000 });
		for (const row of others) await row.click({ modifiers: ["ControlOrMeta"], timeout: 30_000 });
	};
	const areSelected = async () => {
		const selected = await Promise.all(rows.map((row) => row.getAttribute("aria-selected")));
		return selected.every((each) => each === "true");
	};
	await insist(select, areSelected, { what: "the pets to be selected" });
	sandbox.petstore.behave({ on: ["updatePetWithForm"], fail: { status: 405, times: 1, message: "Not this one" } });
	const isAsked = () => asked().title.filter({ hasText: "Move 3 pets to Status" }).isVisible();
	await pressOn(pets().row(/^Pet Clover,/), "Move Pets to Status", isAsked);
	await asked().choose("Sold");
	const rest = await told("2 pets are sold now. 1 pet could not be moved.");
	await rest.getByRole("button", { name: "Undo" }).waitFor();
	await pressIn(rest, "Show What Failed");
	await page.locator(".view-lines", { hasText: "Not this one" }).waitFor();
	// Read-only, so that closing it asks for nothing.
	assert.equal(await page.locator(".tab.active.dirty").count(), 0);
	await untilSize("Sold", before + 2);
});

test("a click previews a card, a double click keeps it, its menu attaches it in chat", async () => {
	const { page } = driver.workbench;
	const id = "9007199254740993";
	await driver.execute("switchboard.addConnection", {
		service: "messages",
		label: "Model",
		baseUrl: sandbox.baseUrls.messages,
		key: sandbox.keys.messages,
		model: "sandbox-small",
	});
	await driver.execute("switchboard.petstore.filterPets", { text: id, tags: [] });
	await pets()
		.row(/^Available, 1 of/)
		.waitFor();
	const row = pets().row(/^Pet Odd,/);
	const preview = page.locator(".part.editor .tab .italic", { hasText: "Odd · Shop" });
	await clickOn(row, () => preview.isVisible());
	const open = () => row.dblclick({ timeout: 5_000 });
	await insist(open, async () => !(await preview.isVisible()), { what: "the pet to be kept" });
	const card = await pageOf("Odd");
	await card.getByRole("button", { name: "Sold" }).click();
	const isSold = async () => sandbox.petstore.store.pets.get(BigInt(id))?.status === "sold";
	await until(isSold, "the new status");
	await card.getByRole("button", { name: "Sold", pressed: true }).waitFor();
	await driver.execute("switchboard.petstore.undoPetChange");
	await card.getByRole("button", { name: "Available", pressed: true }).waitFor();
	await card.getByRole("button", { name: "Edit as JSON" }).press("Enter");
	await page.locator(".part.editor .tab.active", { hasText: "Odd.json" }).waitFor();
	await page.locator(".part.editor .view-lines", { hasText: `"id": ${id},` }).waitFor();
	await page.locator(".part.editor .editor-actions").getByRole("button", { name: "Open as Card" }).click();
	await pageOf("Odd");
	await chooseOn(row, "Ask in Chat", async () => {
		const shown = JSON.stringify(await driver.execute("switchboard.chat.showRequest", { text: "Who is it?" }));
		return shown.includes(`\\"id\\": ${id},`);
	});
	await driver.execute("switchboard.petstore.clearFilter", {});
	await driver.execute("workbench.action.closeAllEditors");
});

test("a card survives a reload, and follows a pet that others change and delete", async () => {
	const { store } = sandbox.petstore;
	const photoUrls = [...(store.pets.get(1n)?.photoUrls ?? [])];
	const set = (name: string) => store.setPet({ id: 4n, name, photoUrls, status: "available" });
	set("Carded");
	await driver.execute("switchboard.petstore.openPet", { connection, pet: "4", as: "card" });
	await (await pageOf("Carded")).getByRole("img", { name: "Photo of Carded" }).waitFor();
	await driver.reload();
	await pageOf("Carded");
	await driver.execute("switchboard.petstore.refreshPets", { connection });
	set("Renamed");
	await driver.execute("switchboard.petstore.refreshPets", { connection });
	const card = await pageOf("Renamed");
	await driver.workbench.page.locator(".tab.active", { hasText: "Renamed · Shop" }).waitFor();
	store.pets.delete(4n);
	await driver.execute("switchboard.petstore.refreshPets", { connection });
	await card.getByRole("alert").filter({ hasText: "Renamed is no longer in Shop." }).waitFor();
	await driver.execute("workbench.action.closeAllEditors");
});

test("an operation is called with JSON, and one with a password is not offered", async () => {
	const { page } = driver.workbench;
	await driver.workbench.runCommand("Switchboard: Call Pet Store Operation");
	await asked().choices("getPetById").first().waitFor();
	assert.equal(await asked().choices("loginUser").count(), 0);
	await asked().box.fill("getPetById");
	await asked().choose("getPetById");
	await asked().message.filter({ hasText: "Parameters as JSON" }).waitFor();
	await asked().answer('{"petId": "1"}');
	await page.locator(".part.editor .view-lines", { hasText: '"status": 200' }).waitFor();
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
});

test("a row has the keys and the menu of an explorer, and moves onto a status", async () => {
	const { page } = driver.workbench;
	await driver.execute("switchboard.petstore.filterPets", { text: "Even", tags: [] });
	const row = () => pets().row(/^Pet Even/);
	const names = () => sandbox.petstore.store.pets.get(2n ** 53n)?.name;
	// What a click previews leaves the keys to the row.
	await insist(
		async () => {
			await row().click({ timeout: 5_000 });
			await delay(1_000);
			await page.keyboard.press("F2");
		},
		() => asked().title.filter({ hasText: "Rename Even" }).isVisible(),
		{ what: "F2 on the row" },
	);
	await asked().answer("Evenly");
	await until(async () => names() === "Evenly", "the new name");
	await pets()
		.row(/^Pet Evenly/)
		.waitFor();
	const copied = await driver.execute("switchboard.petstore.copyName", { connection, pet: "9007199254740992" });
	assert.deepEqual(copied, { copied: "Evenly" });
	await chooseOn(
		pets().row(/^Available,/),
		"New Pet",
		async () => (await page.locator(".tab", { hasText: "New Pet.json" }).count()) === 1,
	);
	await driver.execute("workbench.action.revertAndCloseActiveEditor");
	await chooseOn(pets().row(/^Sold,/), "New Pet", () =>
		page.locator(".view-lines", { hasText: '"status": "sold"' }).isVisible(),
	);
	await driver.execute("workbench.action.revertAndCloseActiveEditor");
	const status = () => sandbox.petstore.store.pets.get(2n ** 53n)?.status;
	const group = new RegExp(`^${status()},`, "i");
	await chooseOn(pets().row(group), "Export Pets", () => asked().title.filter({ hasText: "Export Pets" }).isVisible());
	await asked().accept();
	const file = join(driver.folder, `${status()}-Even-pets.json`);
	await until(async () => existsSync(file), "the file");
	const exported = await readFile(file, "utf8");
	// Of a group those that the filter shows.
	assert.deepEqual(exported.match(/"id": \d{9,}|"name": "Even.*"/g), ['"id": 9007199254740992', '"name": "Evenly"']);
	const wanted = status() === "sold" ? "pending" : "sold";
	const onto = pets().row(wanted === "sold" ? /^Sold,/ : /^Pending,/);
	await dragOnto(pets().row(/^Pet Evenly/), onto, { what: "the move", has: async () => status() === wanted });
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
	assert.deepEqual(heard, [first]);
	await asked().choose(`http://${second}`);
	await driver.workbench.page.locator(".part.editor .tab.active", { hasText: "Away.png" }).waitFor();
	assert.deepEqual(heard, [first, second]);
});

suite("the store of a pet store", () => {
	before(async () => {
		await driver.execute("switchboard.store.focus");
		await foldOthers(driver.workbench.page, "Store");
	});

	test("the inventory, the orders from 1 to 10 and the session are there at a glance", async () => {
		await store()
			.row(/^Inventory: \d+ available, \d+ pending, \d+ sold, 2 other/)
			.waitFor();
		await store().row("Not logged in").waitFor();
		await unfold(store().row("Orders: "), store().row("Order 3, "));
		await store().row("Orders: 8 of ids 1 to 10 in use").waitFor();
	});

	test("the inventory is drawn in a tab, and drawn again when the tab is back", async () => {
		const { page } = driver.workbench;
		const rows = async () => {
			const inFrames = page.frames().map((frame) => {
				const table = frame.getByRole("table", { name: "By Status" });
				return table.getByRole("row", { name: /^Available \d+$/ }).count();
			});
			// A frame may go away meanwhile.
			const counts = await Promise.allSettled(inFrames);
			return counts.filter((each) => each.status === "fulfilled" && each.value > 0).length;
		};
		await driver.execute("switchboard.petstore.showInventory", { connection });
		await until(async () => (await rows()) === 1, "the chart");
		await driver.execute("switchboard.petstore.openOrder", { connection, id: 3 });
		await until(async () => (await rows()) === 0, "the order in its place");
		await driver.execute("workbench.action.closeActiveEditor");
		await until(async () => (await rows()) === 1, "the chart again");
		await driver.execute("switchboard.petstore.importPets", { connection, text: "id,name,status\n9876,Late,sold\n" });
		const shown = () => page.frames().map((frame) => frame.getByRole("table", { name: "Readings in This Window" }));
		const readings = async () => Promise.allSettled(shown().map((table) => table.getByRole("row").count()));
		const isThere = async () => (await readings()).some((each) => each.status === "fulfilled" && each.value === 3);
		await until(isThere, "a row for each reading");
		for (const frame of page.frames()) {
			const status = frame.getByRole("button", { name: "sold" });
			if ((await status.count().catch(() => 0)) > 0) await status.click();
		}
		await pets()
			.row(/^Sold, /)
			.and(page.locator('[aria-selected="true"]'))
			.waitFor();
		await foldOthers(page, "Store");
		await driver.execute("workbench.action.closeAllEditors");
	});

	test("an order is placed step by step and listed, and deleting it asks", async () => {
		await driver.workbench.runCommand("Switchboard: Place Order");
		await asked().asked("Place Order in Shop");
		await asked().answer("424242");
		await asked().asked("(2/3)");
		await asked().button("Back").click();
		await asked().asked("(1/3)");
		await asked().answer("9007199254740993", "2", "2026-12-24");
		await store().row("Order 4, placed, Odd × 2, ships 2026-12-24").waitFor();
		void driver.execute("switchboard.petstore.deleteOrder");
		await asked().fill("3", "0");
		await asked().message.filter({ hasText: "Enter the id of an order, from 1 up." }).waitFor();
		await asked().fill("3", "4");
		const dialog = driver.workbench.page.getByRole("dialog").filter({ hasText: "Delete order 4 from Shop?" });
		await dialog.getByRole("button", { name: "Delete" }).click();
		await until(async () => (await store().siblings("Order 3, ")) === 8, "eight orders");
	});

	test("once all free order ids are taken a person is asked for one", async () => {
		for (const id of [4, 9]) await driver.execute("switchboard.petstore.placeOrder", { connection, petId: 1, id });
		await driver.workbench.runCommand("Switchboard: Place Order");
		await asked().asked("Place Order in Shop");
		await asked().answer("12", "3", "2026-12-24");
		await asked().asked("(4/4)");
		await asked().message.filter({ hasText: "1 to 10, which can be looked up, are all taken" }).waitFor();
		await asked().answer("11");
		await driver.workbench.page.getByText("Order 11 was placed in Shop.").first().waitFor();
	});
});

suite("a pet as a document", () => {
	const PET = "9007199254740993";

	/** Asks the store as another program would. */
	const asOther = async (method: string, path: string, body?: string) => {
		const { apiKey, token } = sandbox.keys.petstore;
		return fetch(`${sandbox.baseUrls.petstore}/v2${path}`, {
			method,
			headers: { api_key: apiKey, authorization: `Bearer ${token}`, "content-type": "application/json" },
			...(body === undefined ? {} : { body }),
		});
	};
	const put = (name: string) =>
		asOther("PUT", "/pet", `{"id":${PET},"name":"${name}","photoUrls":[],"status":"available"}`);
	const stored = async () => (await asOther("GET", `/pet/${PET}`)).text();
	const isStored = (what: RegExp) => async () => what.test(await stored());
	const lines = () => driver.workbench.page.locator(".part.editor .view-lines").first();

	/** Opens the pet, which has this name. */
	async function open(name: string): Promise<void> {
		await driver.execute("switchboard.petstore.openPet", { connection, pet: PET, as: "json" });
		await lines().filter({ hasText: name }).waitFor();
	}

	before(() => put("Rex"));

	afterEach(async () => {
		await driver.execute("workbench.action.files.revert");
		await driver.execute("workbench.action.closeAllEditors");
	});

	test("a pet that was changed elsewhere is compared before it is overwritten", async () => {
		const { page } = driver.workbench;
		await open("Rex");
		await lines().click();
		const search = page.locator(".find-widget.visible textarea").first();
		await insist(
			() => page.keyboard.press("ControlOrMeta+f"),
			() => search.isVisible(),
			{ what: "the search" },
		);
		await search.fill('"name": "');
		await search.press("Enter");
		await page.locator(".find-widget.visible .matchesCount", { hasText: "1 of 1" }).waitFor();
		await search.press("Escape");
		await page.locator(".part.editor .monaco-editor.focused").waitFor();
		await page.keyboard.press("ArrowRight");
		await page.keyboard.type("T");
		await lines().filter({ hasText: '"TRex"' }).waitFor();
		await put("Max");
		await page.keyboard.press("ControlOrMeta+s");
		const conflict = await told("Failed to save");
		assert.match(await stored(), /"Max"/);
		await pressIn(conflict, "Compare");
		for (const name of ["Max", "TRex"]) {
			await page.locator(".monaco-diff-editor .view-lines", { hasText: name }).first().waitFor();
		}
		const own = page.locator(".editor-actions a[aria-label^='Use your changes']");
		await insist(() => own.click({ timeout: 5_000 }), isStored(/"TRex"/), { what: "the own text to be saved" });
	});

	test("deleting a pet asks, and Undo in what is said then brings it back the same", async () => {
		const before = await stored();
		await open("TRex");
		void driver.execute("switchboard.petstore.deletePet");
		await asked().choose("TRex");
		const dialog = driver.workbench.page.locator(".monaco-dialog-box");
		await dialog.filter({ hasText: "Delete TRex?" }).waitFor();
		await dialog.getByRole("button", { name: "Delete" }).click();
		const said = await told("Deleted TRex.");
		assert.equal((await asOther("GET", `/pet/${PET}`)).status, 404);
		await pressIn(said, "Undo");
		await until(async () => (await stored()) === before, "the pet is back");
	});

	test("a pet is sold with two keys, which can be undone above its document", async () => {
		const { page } = driver.workbench;
		await open("TRex");
		void driver.execute("switchboard.petstore.editPet");
		await asked().choose("TRex");
		await asked().choose("Make It Sold");
		await told("TRex is sold now.");
		assert.match(await stored(), /"sold"/);
		const undo = page.locator(".editor-actions").getByRole("button", { name: "Undo Last Pet Change" });
		await undo.waitFor();
		await insist(() => undo.click({ timeout: 5_000 }), isStored(/"available"/), { what: "the change to be undone" });
		await lines().filter({ hasText: '"available"' }).waitFor();
	});
});
