import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Issue } from "#api/codehost/model.ts";
import { issuePage } from "#editor/codehost/issue-page.ts";
import type { PageView } from "#protocol/page.ts";
import { axeViolations } from "../support/axe.ts";
import { openPanelBrowser, type PanelBrowser } from "../support/panel-page.ts";

let browser: PanelBrowser;

before(async () => {
	browser = await openPanelBrowser();
});

after(() => browser.dispose());

const DAY = 86_400_000;
const SITE = "https://code.example";

const BODY = [
	"The lamp of line 7 glows, see #12 and @ada.",
	"",
	"- [x] Number the `cords`",
	"- [ ] Write the card",
	"",
	"1. One\n2. Two\n   - three",
	"",
	"> A quote",
	"",
	"```ts",
	`const wide = "${"lamp ".repeat(60)}";`,
	"```",
	"",
	"| Line | Lamp |\n|------|-----:|\n| 7 | on |",
	"",
	"<details><summary>More</summary>\n\nPress <kbd>Esc</kbd>.\n\n</details>",
	"",
	"![A lamp](https://elsewhere.example/lamp.png) <img src=https://elsewhere.example/x.png onerror=alert(1)>",
	...Array.from({ length: 60 }, (_, at) => `\nParagraph ${at} of a long text.`),
].join("\n");

const ISSUE: Issue = {
	number: 24,
	title: "Lamp is slow",
	state: "closed",
	stateReason: "not_planned",
	body: BODY,
	labels: [
		...["bug 7057ff", "enhancement a2eeef", "dry fbca04"].map((each) => {
			const [name = "", color = ""] = each.split(" ");
			return { name, color };
		}),
		{ name: "<b>plain</b>", color: null },
	],
	author: "ada",
	assignees: ["lin"],
	milestone: "Winter overhaul",
	htmlUrl: `${SITE}/acme/app/issues/24`,
	createdAt: Date.now() - 3 * DAY - 60_000,
	updatedAt: Date.now() - 2 * DAY - 60_000,
	closedAt: Date.now() - 70 * 60_000,
	comments: 24,
	isPullRequest: false,
	raw: {},
};

const linksIn = (text: string) =>
	[...text.matchAll(/#\d+/g)].map(({ 0: found, index }) => ({
		from: index,
		to: index + found.length,
		url: `${SITE}/acme/app/issues/${found.slice(1)}`,
	}));

function viewOf(changes: Partial<Issue> = {}): PageView {
	const repository = { repository: "acme/app", connection: "c" };
	return issuePage({ repository, issue: { ...ISSUE, ...changes } }, { tab: "acme/app #24 Lamp is slow", linksIn });
}

async function show(width = 900, theme?: "hc" | "hclight" | "light") {
	const shown = await browser.open({ width, height: 700 }, theme ?? "dark", "page");
	await shown.tell(viewOf());
	return shown;
}

test("axe accepts an issue in four themes, and nothing foreign is loaded", async () => {
	const folder = process.env["SCREENSHOTS"];
	if (folder) mkdirSync(folder, { recursive: true });
	for (const theme of [undefined, "light", "hc", "hclight"] as const) {
		for (const width of [900, 320]) {
			const { page, foreign } = await show(width, theme);
			if (folder) await page.screenshot({ path: `${folder}/page-${theme ?? "dark"}-${width}.png` });
			assert.deepEqual(await axeViolations(page), [], `${theme} ${width}`);
			assert.ok(await page.evaluate<boolean>("document.documentElement.scrollWidth <= innerWidth"));
			assert.deepEqual(foreign, []);
			await page.close();
		}
	}
});

test("a header has words, labels in their colors, and times that tell the exact one", async () => {
	const { page } = await show();
	const texts = await page.locator(".prose > p").allInnerTexts();
	assert.equal(
		texts[0],
		"acme/app #24 · Closed (not planned) · ada opened 3 days ago · updated 2 days ago · closed 1 hour ago · 24 comments",
	);
	assert.equal(texts[1], "bug enhancement dry <b>plain</b>");
	assert.equal(texts[2], "Assigned to lin · Milestone Winter overhaul");
	assert.match((await page.locator("time").first().getAttribute("title")) ?? "", /\d{4}/);
	const colors = await page.evaluate<string[]>(
		`[getComputedStyle(document.querySelector(".label")).backgroundColor, getComputedStyle(document.querySelector(".label")).color]`,
	);
	assert.deepEqual(colors, ["rgb(112, 87, 255)", "rgb(255, 255, 255)"]);
	assert.deepEqual(
		await page.getByRole("img").evaluateAll((all) => all.map((each) => each.getAttribute("aria-label"))),
		["Done", "To do"],
	);
});

test("a link posts its address by mouse and keyboard, and leads nowhere by itself", async () => {
	const { page, posted } = await show();
	await page.getByRole("link", { name: "24 comments" }).click();
	await page.getByRole("link", { name: "#12" }).focus();
	await page.keyboard.press("Enter");
	const links = ["/acme/app/issues/24", "/acme/app/issues/12"].map((path) => ({ type: "open-link", url: SITE + path }));
	assert.deepEqual(await posted(), ["ready", ...links] as unknown);
});

test("a renewed issue keeps the place and the focus", async () => {
	const { page, tell } = await show();
	await page.getByText("More", { exact: true }).click();
	await page.getByRole("link", { name: "24 comments" }).focus();
	await page.evaluate("scrollTo(0, 400)");
	await tell(viewOf({ comments: 24, updatedAt: Date.now(), labels: [] }));
	await page.getByText("updated just now").waitFor();
	assert.equal(await page.evaluate("document.activeElement.textContent"), "24 comments");
	assert.equal(await page.evaluate("scrollY"), 400);
});

test("a page that is loaded again comes back at its place once it is long enough", async () => {
	const { page, tell } = await show();
	await page.evaluate("scrollTo(0, 400)");
	await page.waitForFunction(`JSON.parse(sessionStorage.getItem("panel-state") ?? "{}").top === 400`);
	await page.reload();
	await tell({ title: "acme/app #24", status: "Looking for the issue...", tables: [] });
	await tell(viewOf());
	assert.equal(await page.evaluate("scrollY"), 400);
});

test("relative times stay right while the page is open", async () => {
	const { page, tell } = await browser.open({ width: 900, height: 700 }, "dark", "page");
	await page.clock.install();
	await page.reload();
	await tell(viewOf({ closedAt: await page.evaluate<number>("Date.now()") }));
	await page.getByText("closed just now").waitFor();
	await page.clock.fastForward(2 * 60_000 + 5_000);
	await page.getByText("closed 2 minutes ago").waitFor();
});
