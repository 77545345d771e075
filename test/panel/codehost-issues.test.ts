import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, sendMessage } from "../support/chat-page.ts";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { cardOf, chooseOn, clickOn, pressOn, treeView } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let sandbox: Sandbox;
let connection: string;

before(async () => {
	sandbox = await startSandbox();
	driver = await openDriver({ settings: { "switchboard.codehost.refreshMinutes": 0 }, width: 1300, height: 1000 });
	connection = await add("Exchange", {
		baseUrl: sandbox.baseUrls.codehost,
		profile: "sandbox",
		token: sandbox.keys.codehost.fineGrained,
	});
	await driver.execute("switchboard.issues.focus");
});

after(async () => {
	await driver.dispose();
	await sandbox.close();
});

async function add(label: string, fields: object): Promise<string> {
	const added = await driver.execute("switchboard.addConnection", { service: "codehost", label, ...fields });
	return (added as { id: string }).id;
}

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

suite("an issue", () => {
	/** The sandbox's issue 250, as its service tells it. */
	const TITLE = /^Dial 250 \w/;

	let service: EchoService;

	before(async () => {
		service = await startEchoService();
		await driver.execute("switchboard.codehost.addRepository", { connection, repository: "exchange/switchboard" });
		await issue().waitFor();
	});

	after(async () => {
		await driver.execute("workbench.action.closeAllEditors");
		await driver.execute("switchboard.codehost.removeRepository", { repository: "exchange/switchboard" });
		await service.close();
	});

	const issue = () => issues().row("issue 250:");

	test("hovering an issue shows what is known of it, as text", async () => {
		const { page } = driver.workbench;
		const text = await cardOf(issue(), "exchange/switchboard");
		for (const fact of [
			/^#250 /m,
			/^Repository: exchange\/switchboard$/m,
			/^State: open$/m,
			/^Author: \w+/m,
			/^Labels: \w+/m,
			/^Comments: \d+$/m,
			/^Created: 20\d\d-\d\d-\d\d \d\d:\d\d UTC$/m,
			/^Updated: 20\d\d-/m,
			/at position 250/,
		]) {
			assert.match(text, fact);
		}
		// The body is markdown from outside: its words stand here without marks, and nothing of it is markup.
		assert.match(text, /The \w+ at position 250/);
		assert.doesNotMatch(text, /\*\*|###/);
		// A line may end between any two words.
		const spaces = await page
			.locator(".monaco-hover p")
			.last()
			.evaluate((body) => body.textContent ?? "");
		assert.match(spaces, /position 250/);
		assert.ok(spaces.split("\u00a0").length <= 2, spaces);
		assert.equal(await page.locator(".monaco-hover").locator("h1, h2, h3, li").count(), 0);
		await driver.workbench.screenshot("codehost-hover");
		await page.mouse.move(900, 300);
	});

	test("the number, the title and the link of an issue are copied from its menu", async () => {
		const { page } = driver.workbench;
		const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()");
		for (const [entry, copied] of [
			["Copy Issue Number", /^#250$/],
			["Copy Issue Title", TITLE],
			["Copy Issue Link", /^http:\/\/127\.0\.0\.1:\d+\/codehost\/web\/exchange\/switchboard\/issues\/250$/],
		] as const) {
			await page.evaluate(`navigator.clipboard.writeText("")`);
			await chooseOn(issue(), entry, async () => copied.test(await clipboard()));
		}
	});

	test("the page of an issue opens in the browser, at the service's address", async () => {
		const { page } = driver.workbench;
		const others = page.context().pages();
		const opened = () =>
			page
				.context()
				.pages()
				.filter((each) => !others.includes(each));
		await pressOn(issue(), "Open Issue in Browser", async () => opened().length > 0);
		for (const browser of opened()) {
			await browser.waitForURL(/\/codehost\/web\/exchange\/switchboard\/issues\/250$/);
			await browser.close();
		}
	});

	test("an issue opens rendered, and its source is one click away and read-only", async () => {
		const { page } = driver.workbench;
		await clickOn(issue(), () => page.locator(".tab", { hasText: "Preview #250.md" }).isVisible());
		await page.getByRole("button", { name: "Open Source File" }).click();
		const text = page.locator(".part.editor .view-lines");
		await text.filter({ hasText: "Dial 250" }).waitFor();
		await page.locator("#status\\.editor\\.mode", { hasText: "Markdown" }).waitFor();
		const words = async () => (await text.innerText()).split(/\s+/);
		const before = await words();
		const refusal = page.getByText(/Cannot edit in read-only editor/i).first();
		const type = async () => {
			await text.click({ timeout: 5_000 });
			await page.keyboard.type("changed");
		};
		await insist(type, () => refusal.isVisible(), { what: "the refusal" });
		assert.deepEqual(await words(), before);
		assert.equal(await page.locator(".tab.dirty").count(), 0);
	});

	test("Ask in Chat attaches the issue: in a fence of its own, and sent only with the person's question", async () => {
		const added = await driver.execute("switchboard.addConnection", {
			service: "messages",
			label: "Echo",
			baseUrl: service.baseUrl,
			key: "panel-suite-key-0123456789",
			model: "echo",
		});
		await driver.execute("switchboard.chat.selectConnection", { connection: (added as { id: string }).id });
		const { page } = driver.workbench;
		const isAttached = async () => {
			const chips = page.frames().map((frame) => frame.locator(".composer .chip").count());
			return (await Promise.allSettled(chips)).some((each) => each.status === "fulfilled" && each.value > 0);
		};
		await pressOn(issue(), "Ask in Chat About Issue", isAttached);
		const chat = await driver.workbench.chat();
		await chat.locator(".composer .chip-label", { hasText: /^#250 Dial 250/ }).waitFor();
		assert.equal(service.seen.length, 0);
		await sendMessage(chat, "What is the matter with it?");
		await awaitOutcome(chat);
		assert.equal(service.seen.length, 1);
		const sent = JSON.stringify(service.seen[0]?.body);
		assert.match(sent, /```markdown\\nIssue #250 of exchange\/switchboard: Dial 250/);
		assert.match(sent, /```\\n\\nWhat is the matter with it\?"/);
	});
});

suite("ten thousand issues", () => {
	/** Ten thousand issues. */
	const repository = "exchange/archive";

	before(async () => {
		await driver.execute("switchboard.codehost.addRepository", { connection, repository });
		await issues().row(`Issues of ${repository}, 100+`).waitFor();
	});

	after(() => driver.execute("switchboard.codehost.removeRepository", { connection, repository }));

	/** Goes to the end until the row that loads more stands there, with that many beside it, itself included. */
	async function untilMore(loaded: string, count: number): Promise<void> {
		await until(async () => {
			await issues().press("End");
			return (await issues().siblings(`Load more issues, ${loaded} are loaded`)) === count;
		}, `${loaded} issues`);
	}

	test("the first thousand issues stand below their repository", async () => {
		for (let page = 1; page < 10; page++) {
			await driver.execute("switchboard.codehost.loadMore", { repository });
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
		// The focus was not moved: it is on the row that loads more, far down by now.
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
		await driver.execute("switchboard.codehost.loadMore", { repository });
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
		await driver.execute("switchboard.codehost.loadMore", { repository });
		await driver.execute("switchboard.codehost.refreshIssues", { repository });
		assert.equal(await first.getAttribute("aria-selected"), "true");
		await untilFocused(/issue 10000:/);
		await issues().row(`Issues of ${repository}, 1,000+`).waitFor();
		await untilMore("1,400", 401);
	});
});
