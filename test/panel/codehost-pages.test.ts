import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { RecordingServer } from "../support/recording-server.ts";
import { clickOn, treeView } from "../support/tree-view.ts";
import { until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

/** A service that decides itself how long its pages are. */
const PAGE = 30;
const PAGES = 5;

let driver: Driver;
let server: RecordingServer;
let letGo: () => void;

before(async () => {
	const { promise: gate, resolve } = Promise.withResolvers<void>();
	letGo = resolve;
	server = await RecordingServer.start(({ path }) => {
		const url = new URL(path, "http://x");
		if (url.pathname === "/user") return { body: { id: 1, login: "lin" } };
		if (!url.pathname.endsWith("/issues"))
			return { body: { id: 1, full_name: "a/b", owner: { login: "a" }, name: "b" } };
		const page = Number(url.searchParams.get("page") ?? 1);
		const body = Array.from({ length: PAGE }, (_, index) => {
			const number = PAGE * PAGES - (page - 1) * PAGE - index;
			return { number, title: `Issue ${number}`, state: "open" };
		});
		const link = `<?page=${page + 1}>; rel="next", <?page=${PAGES}>; rel="last"`;
		const headers: Record<string, string> = page < PAGES ? { link } : {};
		return { headers, body, ...(page === 1 ? {} : { after: gate }) };
	});
	driver = await openDriver({ settings: { "switchboard.codehost.refreshMinutes": 0 }, width: 1300, height: 1000 });
	const added = await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Host",
		baseUrl: server.origin,
		token: "service_pat_0123456789abcdef",
	});
	const { id: connection } = added as { id: string };
	await driver.execute("switchboard.issues.focus");
	await driver.execute("switchboard.codehost.addRepository", { connection, repository: "a/b" });
});

after(async () => {
	letGo();
	await driver.dispose();
	await server.close();
});

const issues = () => treeView(driver.workbench.page, "Issues");

test("the first page is there while those after it are under way, which is said at its end", async () => {
	const first = issues().row("issue 150:");
	await clickOn(first, async () => (await first.getAttribute("aria-selected")) === "true");
	await issues().row("Issues of a/b, 30+").waitFor();
	await driver.execute("switchboard.issues.focus");
	await until(async () => {
		await issues().press("End");
		return (await issues().siblings("Loading more issues")) === PAGE + 1;
	}, "the first page and what stands at its end");
	await driver.workbench.screenshot("codehost-first-page");
});

test("the pages that follow leave the selection and the focus where they are", async () => {
	const focused = driver.workbench.page.locator(".part.sidebar .monaco-list-row.focused").first();
	const isFocused = async () => /issue 150:/.test((await focused.getAttribute("aria-label")) ?? "");
	await until(async () => {
		await issues().press("Home");
		await issues().press("ArrowDown");
		return isFocused();
	}, "the focus on an issue");
	letGo();
	await issues().row("Issues of a/b, 100+").waitFor();
	assert.equal(await issues().row("issue 150:").getAttribute("aria-selected"), "true");
	assert.ok(await isFocused());
	await until(async () => {
		await issues().press("End");
		return (await issues().siblings("Load more issues, 100 are loaded")) === 101;
	}, "a hundred issues");
});
