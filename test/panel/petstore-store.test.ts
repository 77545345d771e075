import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { axeViolations } from "../support/axe.ts";
import { noticeIn, pressIn } from "../support/notices.ts";
import { quickInput } from "../support/quick-input.ts";
import { treeView, unfold } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox({ curious: true });
	driver = await openDriver({ settings: { "switchboard.retry.maxAttempts": 1 }, width: 1300, height: 1000 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const asked = () => quickInput(driver.workbench.page);
const store = () => treeView(driver.workbench.page, "Store");

test("a view without a pet store says what to do", async () => {
	await driver.execute("switchboard.store.focus");
	const welcome = driver.workbench.page.locator(".part.sidebar .welcome-view");
	await welcome.getByRole("button", { name: "Add a Pet Store" }).first().waitFor();
});

test("the inventory, the orders from 1 to 10 and the session are there at a glance", async () => {
	const { apiKey, token } = sandbox.keys.petstore;
	const base = { service: "petstore", baseUrl: sandbox.baseUrls.petstore, profile: "sandbox" };
	const added = await driver.execute("switchboard.addConnection", { ...base, label: "Shop", apiKey, token });
	connection = (added as { id: string }).id;
	await store()
		.row(/^Inventory: \d+ available, \d+ pending, \d+ sold, 2 other/)
		.waitFor();
	await store().row("Not logged in").waitFor();
	await unfold(store().row("Orders: "), store().row("Order 3, "));
	await until(async () => (await store().siblings("Order 3, ")) === 8, "eight orders");
	await store().row("Orders: 8 of 1 to 10").waitFor();
	await driver.workbench.screenshot("store-orders");
});

/** The chart as it stands in the editor. It may run no script, so that it is read by the frame around it. */
async function chartHtml(): Promise<string> {
	let html: string | null = null;
	await until(async () => {
		for (const place of await driver.workbench.page.locator("iframe.webview").elementHandles()) {
			const frame = await place.contentFrame();
			// One that is just drawn anew has nothing to say.
			html ??= (await frame?.evaluate<string | null>(CHART).catch(() => null)) ?? null;
		}
		return html !== null;
	}, "the chart");
	return html ?? assert.fail("the chart");
}

const CHART = `(() => {
	const page = document.querySelector("iframe")?.contentDocument;
	return page?.querySelector("caption") ? page.documentElement.outerHTML : null;
})()`;

test("axe finds nothing wrong with the chart of the inventory, in a light and in a dark theme", async () => {
	const colors = new Set<string>();
	for (let theme = 1; theme <= 2; theme++) {
		await driver.execute("switchboard.petstore.showInventory", { connection });
		const chart = await driver.workbench.page.context().newPage();
		try {
			await until(async () => {
				// axe is a script, which the page's own policy would not run.
				await chart.setContent((await chartHtml()).replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/i, ""));
				const color = await chart.evaluate<string>("getComputedStyle(document.querySelector('caption')).color");
				const isNew = !colors.has(color);
				colors.add(color);
				return isNew;
			}, "the theme");
			assert.match(await chart.locator("caption").innerText(), /^Inventory of Shop/);
			// It has no background of its own, for it takes that of the editor it stands in.
			await chart.evaluate(`document.documentElement.style.background = "var(--vscode-editor-background)"`);
			assert.deepEqual(await axeViolations(chart), []);
		} finally {
			await chart.close();
		}
		await driver.execute("workbench.action.toggleLightDarkThemes");
	}
});

test("a person places an order step by step, and it stands among the others; deleting it asks", async () => {
	await driver.workbench.runCommand("Switchboard: Place Order");
	await asked().asked("Place Order in Shop");
	await asked().answer("424242");
	await asked().asked("(2/3)");
	await asked().button("Back").click();
	await asked().asked("(1/3)");
	await asked().answer("9007199254740993", "2", "2026-12-24");
	await store().row("Order 4, placed, pet 9007199254740993 × 2, ships 2026-12-24").waitFor();
	await driver.workbench.runCommand("Switchboard: Open Order");
	await asked().fill("3", "11");
	await asked().message.filter({ hasText: "Enter the id of an order, from 1 to 10." }).waitFor();
	await asked().leave();
	await driver.workbench.runCommand("Switchboard: Delete Order");
	await asked().fill("3", "0");
	await asked().message.filter({ hasText: "Enter the id of an order, from 1 up." }).waitFor();
	await asked().fill("3", "4");
	const dialog = driver.workbench.page.getByRole("dialog").filter({ hasText: "Delete order 4 from Shop?" });
	await dialog.getByRole("button", { name: "Delete" }).click();
	await until(async () => (await store().siblings("Order 3, ")) === 8, "eight orders");
});

test("once all free order ids are taken a person is asked for one, and keeps the answers", async () => {
	const place = () => driver.execute("switchboard.petstore.placeOrder", { connection, petId: 1 });
	for (const id of ["4", "9"]) assert.equal(((await place()) as { order: { id: string } }).order.id, id);
	await driver.workbench.runCommand("Switchboard: Place Order");
	await asked().asked("Place Order in Shop");
	await asked().answer("12", "3", "2026-12-24");
	await asked().asked("(4/4)");
	await asked().message.filter({ hasText: "1 to 10, which can be looked up, are all taken" }).waitFor();
	assert.equal(await asked().box.inputValue(), "");
	await asked().box.fill("11");
	await asked().message.filter({ hasText: "An order above 10 cannot be looked up afterwards" }).waitFor();
	await driver.workbench.screenshot("order-id");
	for (const [step, answer] of [
		["(3/4)", "2026-12-24"],
		["(2/4)", "3"],
	] as const) {
		await asked().button("Back").click();
		await asked().asked(step);
		assert.equal(await asked().box.inputValue(), answer);
	}
	for (let step = 2; step <= 3; step++) await asked().accept();
	await asked().answer("11");
	await driver.workbench.page.getByText("Order 11 was placed in Shop.").first().waitFor();
	for (const id of ["4", "9", "11"]) await driver.execute("switchboard.petstore.deleteOrder", { connection, id });
});

test("a look at a store that the person has cancelled opens nothing, and says nothing", async () => {
	const { page } = driver.workbench;
	for (const command of ["notifications.clearAll", "workbench.action.closeAllEditors", "workbench.view.explorer"]) {
		await driver.execute(command);
	}
	sandbox.petstore.behave({ headersAfterMs: 10_000 });
	for (const [command, words] of [
		["Show Inventory", "Counting the pets of Shop..."],
		["Show Orders", "Looking up the orders of Shop..."],
	] as const) {
		await driver.workbench.runCommand(`Switchboard: ${command}`);
		await pressIn(await noticeIn(driver, words), "Cancel");
	}
	sandbox.petstore.behave({});
	// Once what is under way has come to its end, and once more for what could follow it.
	for (let time = 1; time <= 2; time++) await driver.execute("switchboard.petstore.refreshStore", { connection });
	assert.deepEqual(await page.locator(".tab").filter({ hasText: "Inventory" }).allInnerTexts(), []);
	assert.equal(await store().row("Orders: ").isVisible(), false);
	await driver.execute("notifications.showList");
	assert.deepEqual(await page.locator(".notification-list-item").allInnerTexts(), []);
	await driver.execute("switchboard.store.focus");
});
