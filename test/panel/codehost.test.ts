import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, sendMessage } from "../support/chat-page.ts";
import { startEchoService } from "../support/echo-service.ts";
import { quickInput } from "../support/quick-input.ts";
import { cardOf, chooseOn, clickOn, dragOnto, pressOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { addCodehost, type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox();
	const settings = { "switchboard.retry.maxAttempts": 1, "switchboard.codeHost.refreshMinutes": 0 };
	driver = await openDriver({ settings, width: 1300, height: 1100 });
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

const view = (name: string) => treeView(driver.workbench.page, name);
const issues = () => view("Issues");

/** Goes to the end of the issues until the row stands there, with that many beside it, itself included. */
const untilAtEnd = (name: string | RegExp, count: number) =>
	until(async () => {
		await issues().press("End");
		return (await issues().siblings(name)) === count;
	}, `${count} rows with ${name}`);

test("views with nothing to show say what to do, with buttons that do it", async () => {
	await driver.execute("switchboard.repositories.focus");
	const { page } = driver.workbench;
	for (const name of ["Chat with Your Model", "Try the Built-in Sandbox", "Add Connection"]) {
		await page.locator(".part.sidebar .welcome-view").getByRole("button", { name }).first().waitFor();
	}
});

test("250 issues load as 100, 200, 250, and Load More stays at the end", async () => {
	connection = await addCodehost(driver, sandbox, "Exchange", { token: sandbox.keys.codehost.fineGrained });
	await driver.execute("switchboard.codehost.addRepository", { connection, repository: "exchange/paging" });
	await driver.execute("switchboard.issues.focus");
	await issues().row("issue 250").waitFor();
	for (const loaded of [100, 200]) {
		const more = `Load more issues, ${loaded} are loaded`;
		await untilAtEnd(more, loaded + 1);
		await clickOn(issues().row(more), async () => !(await issues().row(more).isVisible()));
	}
	await untilAtEnd(/issue 1:/, 250);
});

test("a failure is a row below the loaded ones, with a Retry that fixes it", async () => {
	sandbox.codehost.behave({ fail: { status: 500, times: 40 } });
	await driver.execute("switchboard.codehost.filterIssues", { state: "closed" });
	await issues()
		.row(/^Error: Exchange failed \(500\)/)
		.waitFor();
	await issues().row("Issues of exchange/paging, 0 of 250").waitFor();
	sandbox.codehost.behave({});
	const isMended = () => issues().row("No closed issues").isVisible();
	await pressOn(issues().row(/^Error: Exchange failed/), "Retry", isMended);
	await driver.execute("switchboard.codehost.clearFilter", {});
	await issues().row("issue 250").waitFor();
});

test("a connection shows its identity, what is left of its limit, and its last test", async () => {
	await driver.execute("switchboard.testConnection", { connection });
	await driver.execute("switchboard.showConnection", { connection });
	const connections = view("Connections");
	await connections.row(/^Exchange, code host at 127\.0\.0\.1:\d+, token of ada/).waitFor();
	for (const fact of [/^Token: in the secret storage/, /^Rate Limit: [\d,]+ .*left/, /^Last Test: passed/]) {
		await connections.row(fact).waitFor();
	}
	const { box, choices, leave } = quickInput(driver.workbench.page);
	await clickOn(connections.row(/^Last Test/), () => choices("Test read").isVisible());
	await until(async () => (await box.getAttribute("placeholder")) === "All checks passed.", "the end of the test");
	for (const step of ["Name (DNS)", "Reached", "Credential accepted", "Clock", "Test read"]) {
		await choices(step).locator(".codicon-pass").waitFor();
	}
	await leave();
});

suite("an issue", () => {
	const issue = () => issues().row("issue 250:");

	/** Frames with a heading in them. A frame may go away meanwhile. */
	const pagesWith = async (name: string) => {
		const { page } = driver.workbench;
		const counts = page.frames().map((frame) => frame.getByRole("heading", { name, level: 1 }).count());
		return (await Promise.allSettled(counts)).filter((each) => each.status === "fulfilled" && each.value > 0);
	};

	before(() => driver.execute("switchboard.issues.focus"));
	after(() => driver.execute("switchboard.codehost.removeRepository", { repository: "exchange/paging" }));

	test("hovering an issue shows the header of its page and its rendered beginning", async () => {
		const { page } = driver.workbench;
		const text = await cardOf(issue(), "exchange/paging #250");
		assert.match(text, /Open · .*opened \d+ \w+ ago/);
		const hover = page.locator(".monaco-hover");
		await hover.getByRole("heading", { name: "Report 250" }).waitFor();
		assert.equal(await hover.locator("strong", { hasText: /^One$/ }).count(), 1);
		assert.doesNotMatch(text, /\*\*|###/);
		await page.mouse.move(900, 300);
	});

	test("the link of an issue is copied from its menu, and its page opens in the browser", async () => {
		const { page } = driver.workbench;
		const address = /^http:\/\/127\.0\.0\.1:\d+\/codehost\/web\/exchange\/paging\/issues\/250$/;
		const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
		await chooseOn(issue(), "Copy > Copy Issue Link", async () => address.test(await clipboard()));
		const others = page.context().pages();
		const opened = () =>
			page
				.context()
				.pages()
				.filter((each) => !others.includes(each));
		await pressOn(issue(), "Open Issue in Browser", async () => opened().length > 0);
		for (const browser of opened()) {
			await browser.waitForURL(/\/codehost\/web\/exchange\/paging\/issues\/250$/);
			await browser.close();
		}
	});

	test("an issue dragged into an editor is written there as a Markdown link", async () => {
		const { page } = driver.workbench;
		await driver.execute("workbench.action.files.newUntitledFile");
		const editor = page.locator(".part.editor .monaco-editor").first();
		const has = async () => /\[exchange\/paging#250.Report.+\]\(http:.+\/issues\/250\)/.test(await editor.innerText());
		await dragOnto(issue(), editor, { what: "the link in the editor", has });
		await driver.execute("workbench.action.revertAndCloseActiveEditor");
	});

	test("issues stand below their labels, also after a reload of the window", async () => {
		await driver.execute("switchboard.codehost.groupIssues", { group: "label" });
		const bugs = issues().row(/^Issues with label bug, \d/);
		await bugs.waitFor();
		await driver.reload();
		await driver.execute("switchboard.issues.focus");
		await bugs.waitFor();
		await driver.execute("switchboard.codehost.groupIssues", { group: "repository" });
		await issue().waitFor();
	});

	test("an issue opens as a page, and its source is one click away and read-only", async () => {
		const { page } = driver.workbench;
		const tab = page.locator(".tab", { hasText: /^exchange\/paging #250 Report 250/ });
		await clickOn(issue(), () => tab.isVisible());
		await until(async () => (await pagesWith("Report 250 of a long list")).length === 1, "the page");
		await page.getByRole("button", { name: "Open Issue Source to the Side" }).click();
		const text = page.locator(".part.editor .view-lines");
		await text.filter({ hasText: "Report 250" }).waitFor();
		await page.locator("#status\\.editor\\.mode", { hasText: "Markdown" }).waitFor();
		const refusal = page.getByText(/Cannot edit in read-only editor/i).first();
		const type = async () => {
			await text.click({ timeout: 5_000 });
			await page.keyboard.type("changed");
		};
		await insist(type, () => refusal.isVisible(), { what: "the refusal" });
		assert.equal(await page.locator(".tab.dirty").count(), 0);
		await driver.execute("workbench.action.closeActiveEditor");
		assert.ok(await tab.isVisible());
	});

	test("another issue takes the place of the first, and is there after a reload", async () => {
		const { page } = driver.workbench;
		const tabs = page.locator(".tab", { hasText: /^exchange\/paging #\d+ Report/ });
		await clickOn(issues().row("issue 249:"), async () => /#249/.test(`${await tabs.allInnerTexts()}`));
		assert.equal(await tabs.count(), 1);
		await driver.reload();
		await until(async () => (await pagesWith("Report 249 of a long list")).length === 1, "the page again");
		await tabs.filter({ hasText: "#249" }).waitFor();
		await driver.execute("workbench.action.closeAllEditors");
	});

	test("Ask in Chat attaches the issue in a fence, and sends it only with a question", async (t) => {
		const service = await startEchoService();
		t.after(() => service.close());
		const echo = { service: "messages", label: "Echo", baseUrl: service.baseUrl, model: "echo" };
		const added = await driver.execute("switchboard.addConnection", { ...echo, key: "panel-suite-key-0123456789" });
		await driver.execute("switchboard.chat.selectConnection", { connection: (added as { id: string }).id });
		// What is pressed again attaches again.
		const chat = await driver.openChat();
		const chip = chat.locator(".composer .chip-label", { hasText: /^#250 Report 250/ });
		await pressOn(issue(), "Ask in Chat", () => chip.isVisible());
		assert.equal(service.seen.length, 0);
		await sendMessage(chat, "What is the matter with it?");
		await awaitOutcome(chat);
		assert.equal(service.seen.length, 1);
		const sent = JSON.stringify(service.seen[0]?.body);
		assert.match(sent, /```markdown\\nIssue #250 of exchange\/paging: Report 250/);
		assert.match(sent, /```\\n\\nWhat is the matter with it\?"/);
	});
});

suite("ten thousand issues", () => {
	const repository = "exchange/archive";

	/** Waits until the row that has the focus says so to a screen reader. */
	const untilFocused = (name: RegExp) =>
		until(async () => {
			const row = driver.workbench.page.locator(".part.sidebar .monaco-list-row.focused").first();
			return name.test((await row.getAttribute("aria-label")) ?? "");
		}, `the focus on ${name}`);

	test("issues after the first thousand form a group where Enter loads more", async () => {
		await driver.execute("switchboard.codehost.addRepository", { connection, repository });
		await driver.execute("switchboard.codehost.showIssues", { repository });
		await until(async () => {
			const group = issues().row(`Issues of ${repository}, 100+`);
			return (await group.getAttribute("aria-selected", { timeout: 5_000 })) === "true";
		}, "the focus on the repository that is shown");
		for (let page = 1; page < 10; page++) await driver.execute("switchboard.codehost.loadMore", { repository });
		await untilAtEnd("Load more issues, 1,000 are loaded", 1_001);
		assert.equal(
			await issues()
				.row(/^Issues 1,001/)
				.count(),
			0,
		);
		await untilFocused(/^Load more issues/);
		await issues().press("Enter");
		await issues().row("Issues 1,001 to 1,100").waitFor();
		// The focus was not moved: it is on the row that loads more, far down by now.
		await issues().press("Enter");
		await issues().row("Issues 1,001 to 1,200").waitFor();
		await untilAtEnd("Load more issues, 1,200 are loaded", 201);
	});

	test("a group is reached and folded with the left arrow, and stays folded", async () => {
		await issues().press("ArrowLeft");
		await untilFocused(/^Issues 1,001 to 1,200$/);
		await issues().press("ArrowLeft");
		const group = issues().row(/^Issues 1,001 to/);
		await until(async () => (await group.getAttribute("aria-expanded")) === "false", "the group folded");
		await driver.execute("switchboard.codehost.loadMore", { repository });
		await untilFocused(/^Issues 1,001 to 1,300$/);
		assert.equal(await group.getAttribute("aria-expanded"), "false");
	});

	test("a new page and a refresh keep the selection and the focus", async () => {
		await issues().press("Home");
		const first = issues().row("issue 10000:");
		await clickOn(first, async () => (await first.getAttribute("aria-selected")) === "true");
		await driver.execute("switchboard.issues.focus");
		await driver.execute("switchboard.codehost.loadMore", { repository });
		await driver.execute("switchboard.codehost.refreshIssues", { repository });
		assert.equal(await first.getAttribute("aria-selected"), "true");
		await untilFocused(/issue 10000:/);
	});

	test("an issue is found by its number outside of the view, which stays as it is", async () => {
		const { page, runCommand } = driver.workbench;
		await driver.execute("switchboard.codehost.sortIssues", { sort: "newest" });
		await page.locator(".pane-header", { hasText: "newest first" }).waitFor();
		await runCommand("Switchboard: Open Issue");
		await quickInput(page).fill("12", "17");
		await page.locator(".tab", { hasText: "#17 " }).waitFor();
	});
});
