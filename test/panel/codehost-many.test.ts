import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { clickOn, treeView } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

/** Ten thousand issues. */
const REPOSITORY = "exchange/archive";

let driver: Driver;
let sandbox: Sandbox;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ settings: { "switchboard.codehost.refreshMinutes": 0 }, width: 1300, height: 1000 });
	const added = await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Exchange",
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
	});
	const { id: connection } = added as { id: string };
	await driver.execute("switchboard.codehost.addRepository", { connection, repository: REPOSITORY });
	await driver.execute("switchboard.issues.focus");
	await issues().row("issue 10000:").waitFor();
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const issues = () => treeView(driver.workbench.page, "Issues");

/** What a screen reader says of the row that has the focus. */
async function focused(): Promise<string> {
	const row = driver.workbench.page.locator(".part.sidebar .monaco-list-row.focused");
	return (await row.first().getAttribute("aria-label")) ?? "";
}

/** Waits until the row with the focus says so. */
async function untilFocused(name: RegExp): Promise<void> {
	await until(async () => name.test(await focused()), `the focus on ${name}`);
}

/** Goes to the end until the row that loads more stands there, with that many beside it, itself included. */
async function untilMore(loaded: string, count: number): Promise<void> {
	await until(async () => {
		await issues().press("End");
		return (await issues().siblings(`Load more issues, ${loaded} are loaded`)) === count;
	}, `${loaded} issues`);
}

test("the first thousand issues stand below their repository", async () => {
	for (let page = 1; page < 10; page++) {
		await driver.execute("switchboard.codehost.loadMore", { repository: REPOSITORY });
	}
	await untilMore("1,000", 1_001);
	assert.equal(
		await issues()
			.row(/^Issues 1,001/)
			.count(),
		0,
	);
});

test("those after them stand in a group at their end, and Enter goes on loading from there", async () => {
	await untilFocused(/^Load more issues/);
	await issues().press("Enter");
	await issues().row("Issues 1,001 to 1,100").waitFor();
	// Nobody has moved: the focus is on the row that loads more, far down by now.
	await issues().press("Enter");
	await issues().row("Issues 1,001 to 1,200").waitFor();
	await untilMore("1,200", 201);
	await driver.workbench.screenshot("codehost-groups");
});

test("a group says what is in it, is reached and folded with the left arrow, and stays folded", async () => {
	await issues().press("ArrowLeft");
	await untilFocused(/^Issues 1,001 to 1,200$/);
	await issues().press("ArrowLeft");
	const group = issues().row(/^Issues 1,001 to/);
	await until(async () => (await group.getAttribute("aria-expanded")) === "false", "the group folded");
	await driver.execute("switchboard.codehost.loadMore", { repository: REPOSITORY });
	await issues().row("Issues 1,001 to 1,300").waitFor();
	assert.equal(await group.getAttribute("aria-expanded"), "false");
	await untilFocused(/^Issues 1,001 to 1,300$/);
	await issues().press("ArrowRight");
	await until(async () => (await group.getAttribute("aria-expanded")) === "true", "the group unfolded");
});

test("a page that comes leaves the selection and the focus where they are, and so does a refresh", async () => {
	await issues().press("Home");
	const first = issues().row("issue 10000:");
	await clickOn(first, async () => (await first.getAttribute("aria-selected")) === "true");
	await driver.execute("switchboard.issues.focus");
	await driver.execute("switchboard.codehost.loadMore", { repository: REPOSITORY });
	await driver.execute("switchboard.codehost.refreshIssues", { repository: REPOSITORY });
	assert.equal(await first.getAttribute("aria-selected"), "true");
	await untilFocused(/issue 10000:/);
	await issues().row(`Issues of ${REPOSITORY}, 1,000+`).waitFor();
	await untilMore("1,400", 401);
});
