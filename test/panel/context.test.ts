import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame, Locator } from "playwright-core";
import { startSandbox } from "#sandbox/sandbox.ts";
import { awaitIdle, awaitOutcome } from "../support/chat-page.ts";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { quickInput } from "../support/quick-input.ts";
import { chooseOn, treeView, unfold } from "../support/tree-view.ts";
import { insist, until } from "../support/until.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;
let service: EchoService;
let chat: Frame;

/** In pieces: to the linter it looks like a template that was meant. */
const PLACEHOLDER = ["$", "{selection}"].join("");

before(async () => {
	service = await startEchoService();
	driver = await openDriver({
		width: 1300,
		height: 900,
		beside: writeGit,
		settings: {
			"switchboard.chat.contextBudget": 2_000,
			"switchboard.chat.prompts": { brief: "In one sentence:", review: `Review ${PLACEHOLDER}` },
		},
	});
	await driver.execute("switchboard.trySandbox", {});
	const added = await driver.execute("switchboard.addConnection", {
		...{
			service: "messages",
			label: "Echo",
			baseUrl: service.baseUrl,
			key: "panel-suite-key-0123456789",
			model: "echo",
		},
	});
	await driver.execute("switchboard.chat.selectConnection", { connection: (added as { id: string }).id });
	await writeFile(join(driver.folder, "exchange.ts"), 'export const lines = ["```", "two"];\n');
	await writeFile(join(driver.folder, "picture.bin"), Buffer.from([1, 0, 2, 0]));
	await writeFile(join(driver.folder, "long.txt"), "word ".repeat(10_000));
	chat = await driver.openChat();
});

after(async () => {
	await driver.dispose();
	await service.close();
});

const composer = () => chat.locator("#composer");
const options = () => chat.locator("#suggestions [role=option]");
const chips = () => chat.locator(".composer .chip");
const labels = () => chips().locator(".chip-label").allInnerTexts();

/** The row of the list that Enter takes. */
const first = (text: string | RegExp) =>
	chat.locator('#suggestions [role=option][aria-selected="true"]', { hasText: text });

async function remove(): Promise<void> {
	for (let left = await chips().count(); left > 0; left = await chips().count()) {
		await insist(
			() =>
				chips()
					.last()
					.getByRole("button", { name: /^Remove/ })
					.press("Enter", { timeout: 5_000 }),
			async () => (await chips().count()) < left,
			{ what: "one chip less" },
		);
	}
}

/** Types a text in place of the one that is there; keys that are pressed while the focus moves are lost. */
async function type(text: string): Promise<void> {
	const keys = async () => {
		await composer().fill("");
		await composer().pressSequentially(text);
	};
	await insist(keys, async () => (await composer().inputValue()) === text, { what: `${text} in the composer` });
}

/**
 * Enters a text as a paste does and waits until the list begins with a row that says this: while one types, a list may be
 * that of the letters before, and a key takes nothing of it. Whatever takes the focus closes the list.
 */
async function offer(text: string, row: string | RegExp): Promise<void> {
	const paste = async () => {
		await composer().fill("");
		await composer().fill(text);
	};
	await insist(paste, () => first(row).isVisible(), { what: `${text} to offer ${row}`, againMs: 10_000 });
}

const attached = (count: number) => until(async () => (await chips().count()) === count, `${count} to be attached`);

/**
 * The editor's own git extension does not start in the server that these tests run, which lacks a native module of it:
 * this one stands in its place, and asks the same git.
 */
async function writeGit(folder: string): Promise<void> {
	await mkdir(join(folder, "git"));
	const manifest = { name: "git", publisher: "vscode", version: "99.0.0", main: "./git.cjs" };
	const rest = { engines: { vscode: "^1.106.0" }, activationEvents: ["*"] };
	await writeFile(join(folder, "git", "package.json"), JSON.stringify({ ...manifest, ...rest }));
	const program = `const { execFileSync } = require("node:child_process");
const { existsSync } = require("node:fs");
const { EventEmitter, workspace } = require("vscode");
const changed = new EventEmitter();
const api = { state: "uninitialized", onDidChangeState: changed.event, repositories: [] };
// The real one is asked before it has looked.
const look = () => {
	api.repositories = workspace.workspaceFolders.map(({ uri }) => ({
		rootUri: uri,
		state: { remotes: [] },
		async diff(staged) {
			while (existsSync(uri.fsPath + "/slow")) await new Promise((done) => setTimeout(done, 50));
			return execFileSync("git", ["diff", ...(staged ? ["--cached"] : [])], { cwd: uri.fsPath }).toString();
		},
	}));
	api.state = "initialized";
	changed.fire(api.state);
};
exports.activate = () => ({
	enabled: true,
	getAPI() {
		if (api.state === "uninitialized") setTimeout(look, 300);
		return api;
	},
});`;
	await writeFile(join(folder, "git", "git.cjs"), program);
}

/** What an attach command resolves to. */
interface Told {
	readonly id: string;
	readonly label: string;
	readonly bytes: number;
	readonly tokens: number;
}

/** What Show Request resolves to. */
interface Shown {
	readonly headers: object;
	readonly body: { readonly messages: readonly { readonly content: string }[] };
}

test("a file is found behind @ by a part of its name, attached with the keyboard, and stands as a chip", async () => {
	await offer("Explain @exch", "exchange.ts");
	assert.equal(await composer().getAttribute("aria-controls"), "suggestions");
	const active = await composer().getAttribute("aria-activedescendant");
	assert.equal(await chat.locator(`#${active}`).getAttribute("aria-selected"), "true");
	await driver.workbench.screenshot("context-suggestions");
	await composer().press("Enter");
	await attached(1);
	assert.deepEqual(await labels(), ["exchange.ts"]);
	assert.equal(await composer().inputValue(), "Explain ");
	assert.match(
		(await chips().locator(".chip-open").getAttribute("title")) ?? "",
		/exchange\.ts, 37 bytes\n.*exchange\.ts$/,
	);
	await driver.workbench.screenshot("context-chip");
});

test("Show Request displays exactly the bytes that the service receives", async () => {
	await composer().pressSequentially("it ");
	await until(async () => {
		const shown = await driver.execute("switchboard.chat.showRequest", {});
		return JSON.stringify(shown).includes("Explain it");
	}, "the draft of the request");
	const shown = (await driver.execute("switchboard.chat.showRequest", {})) as Shown;
	assert.equal(new Map(Object.entries(shown.headers)).get("x-api-key"), "{key}");
	await driver.workbench.page.locator(".tab", { hasText: "Next Request.json" }).waitFor();
	await composer().press("Enter");
	await awaitOutcome(chat);
	assert.deepEqual(service.seen.at(-1)?.body, shown.body);
	const { messages } = shown.body;
	assert.match(
		messages.at(-1)?.content ?? "",
		/\n\nFile: exchange\.ts\n````ts\nexport const lines = \["```", "two"\];\n````\n\nExplain it$/,
	);
	const turn = chat.locator("article.turn").last();
	assert.deepEqual(await turn.locator(".chip-label").allInnerTexts(), ["exchange.ts"]);
	assert.equal(await turn.getByRole("button", { name: /^Remove/ }).count(), 0);
	await attached(0);
	const message = await chat.locator("article.reply").last().getAttribute("data-id");
	const sent = (await driver.execute("switchboard.chat.showRequest", { message })) as { body: object };
	assert.deepEqual(sent.body, shown.body);
	assert.equal("note" in sent, false);
});

test("issues, pets and orders are found as they come", async () => {
	await offer("@issue:dial 250", "#250 Dial 250");
	await composer().press("Tab");
	await attached(1);
	await offer("@pet:juniper", "Juniper");
	await composer().press("Enter");
	await attached(2);
	await offer("@order:", /Order \d+/);
	await composer().press("ArrowDown");
	await composer().press("ArrowUp");
	await composer().press("Enter");
	await attached(3);
	await offer("@issues", "all of a repository");
	await composer().press("Enter");
	await until(async () => (await composer().inputValue()) === "@issue:", "the search for issues");
	const all = options().filter({ hasText: "All issues of exchange/switchboard" });
	await all.click();
	await attached(4);
	const [issue, pet, order, issues] = await labels();
	assert.match(issues ?? "", /^\d+ issues of exchange\/switchboard$/);
	assert.match(issue ?? "", /^#250 Dial 250/);
	assert.match(order ?? "", /^Order \d+ \(/);
	const shown = JSON.stringify(await driver.execute("switchboard.chat.showRequest", { text: "x" }));
	assert.match(shown, /\\"name\\": \\"Juniper\\"/, pet);
	await driver.workbench.screenshot("context-chips");
	await remove();
});

test("a pet that is in no list is looked up by its id, and attached", async () => {
	const shop = await startSandbox({ curious: true });
	const { apiKey, token } = shop.keys.petstore;
	const base = { service: "petstore", label: "Shop", profile: "sandbox", baseUrl: shop.baseUrls.petstore };
	const added = await driver.execute("switchboard.addConnection", { ...base, apiKey, token });
	try {
		await type("@pet:");
		// Another hand puts it there once the list is loaded.
		await options().filter({ hasText: "· Shop" }).first().waitFor();
		const headers = { api_key: apiKey, authorization: `Bearer ${token}`, "content-type": "application/json" };
		const body = '{"id":771234567,"name":"Stray","photoUrls":[],"status":"sold"}';
		assert.ok((await fetch(`${base.baseUrl}/v2/pet`, { method: "POST", headers, body })).ok);
		await type("@pet:771234567");
		await options().filter({ hasText: "looked up · Shop" }).click();
		await attached(1);
		assert.match((await labels())[0] ?? "", /Stray/);
		await remove();
		await type("@pet:7712");
		await options().filter({ hasText: "Pet 7712" }).first().waitFor();
		assert.equal(await options().filter({ hasText: "Stray" }).count(), 0, "part of an id is an id of its own");
	} finally {
		await driver.execute("switchboard.removeConnection", { connection: (added as { id: string }).id });
		await shop.close();
	}
	await type("");
});

test("known issues are offered while the rest is loading, and an empty list says so", async () => {
	const slow = await startSandbox();
	const { id } = (await driver.execute("switchboard.addConnection", {
		...{ service: "codehost", label: "Slow", profile: "sandbox" },
		...{ baseUrl: slow.baseUrls.codehost, token: slow.keys.codehost.classic },
	})) as { readonly id: string };
	const added = { connection: id, repository: "exchange/archive" };
	await driver.execute("switchboard.codehost.addRepository", added);
	slow.codehost.behave({ headersAfterMs: 600_000 });
	try {
		await offer("@issue:", "All issues of");
		await options().filter({ hasText: "All issues of exchange/archive" }).first().waitFor();
		await offer("@issue:dial 250", "#250 Dial 250");
		await type("@issue:no such words");
		await chat.locator(".suggestions-note", { hasText: "Looking..." }).waitFor();
		await driver.workbench.screenshot("context-looking");
	} finally {
		await driver.execute("switchboard.codehost.removeRepository", added);
		await driver.execute("switchboard.removeConnection", { connection: id });
		await slow.close();
	}
	await chat.locator(".suggestions-note").waitFor({ state: "hidden" });
	await type("");
});

test("a number after @issue lists the exact issue first, and Enter attaches it", async () => {
	await offer("@issue 24", /^#24(?!\d)/);
	await options().filter({ hasText: "looked up in exchange/switchboard" }).waitFor();
	await options().filter({ hasText: "#249" }).first().waitFor();
	const clipped = "[...document.querySelectorAll('.suggestion-detail')].some((e) => e.scrollWidth > e.clientWidth)";
	assert.equal(await chat.evaluate(clipped), false);
	await driver.workbench.screenshot("context-issues");
	await offer("@issue 250", /^#250(?!\d)/);
	await composer().press("Enter");
	await attached(1);
	assert.match((await labels())[0] ?? "", /^#250 Dial 250/);
	assert.equal(await composer().inputValue(), "");
	await remove();
});

test("Escape closes the list and leaves a reply alone; a chip is removed with the keyboard", async () => {
	await offer("@sel", "");
	await composer().press("Escape");
	assert.equal(await options().count(), 0);
	await composer().pressSequentially("ection");
	assert.equal(await options().count(), 0);
	assert.equal(await composer().inputValue(), "@selection");
	await offer("@exchange", "exchange.ts");
	await composer().press("Enter");
	await attached(1);
	const focused = () => chat.evaluate("document.activeElement.getAttribute('aria-label')");
	await insist(
		() => composer().press("Shift+Tab"),
		async () => (await focused()) === "Remove exchange.ts",
		{ what: "the focus on the chip" },
	);
	await chips().getByRole("button", { name: "Remove" }).press("Enter");
	await attached(0);
	await until(async () => (await chat.evaluate("document.activeElement.id")) === "composer", "the focus");
});

test("a file that is no text is refused in a sentence, and nothing is attached", async () => {
	await offer("@picture", "picture.bin");
	await composer().press("Enter");
	await driver.workbench.page.getByText("picture.bin is no text.").first().waitFor();
	assert.equal(await chips().count(), 0);
});

/** Drops files of the folder on the composer. */
async function drop(names: readonly string[]): Promise<void> {
	const uris = names.map((name) => `file://${join(driver.folder, name)}`);
	await chat.evaluate(`(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.setData("text/uri-list", ${JSON.stringify(uris.join("\n"))});
		document.querySelector("#composer").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
	})()`);
}

test("a refused file among dropped ones does not stop the others", async () => {
	await composer().fill("");
	await drop(["picture.bin", "exchange.ts"]);
	await attached(1);
	assert.deepEqual(await labels(), ["exchange.ts"]);
	await remove();
});

test("a refused file from the explorer is reported, and the composer has the others", async () => {
	const { page } = driver.workbench;
	await driver.execute("notifications.clearAll");
	// An editor that comes up selects its own file alone.
	await openFile("exchange.ts");
	const picture = page.getByRole("treeitem", { name: "picture.bin" });
	const selected = page.getByRole("treeitem", { selected: true });
	await insist(
		() => picture.click({ modifiers: ["Control"] }),
		async () => (await selected.count()) === 2,
		{ what: "two files to be selected" },
	);
	await chooseOn(picture, "Ask in Chat", async () => (await chips().count()) === 1);
	await until(async () => (await chat.evaluate("document.activeElement.id")) === "composer", "the focus");
	await until(async () => chat.evaluate<boolean>("document.hasFocus()"), "the keyboard in the chat");
	await page.getByText("picture.bin is no text.").first().waitFor();
	assert.deepEqual(await labels(), ["exchange.ts"]);
	await remove();
});

test("a saved prompt is put into the composer by its name", async () => {
	await offer("/br", "/brief");
	await composer().press("Enter");
	await until(async () => (await composer().inputValue()) === "In one sentence:", "the prompt");
});

test("a prompt about an empty selection says what to do, and leaves the composer empty", async () => {
	await driver.execute("workbench.action.closeAllEditors");
	await offer("/rev", "/review");
	await composer().press("Enter");
	await driver.workbench.page.getByText("Select text in an editor and choose it again.").first().waitFor();
	assert.equal(await composer().inputValue(), "");
});

test("an oversized message is confirmed before it is sent, and kept otherwise", async () => {
	const before = service.seen.length;
	await offer("@long", "long.txt");
	await composer().press("Enter");
	await attached(1);
	await composer().pressSequentially("Shorten it");
	await until(async () => /1\d,000/.test((await chat.locator("#tokens").getAttribute("title")) ?? ""), "the estimate");
	await composer().press("Enter");
	const dialog = driver.workbench.page.getByRole("dialog").filter({ hasText: "your budget is 2,000" });
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await until(async () => (await composer().inputValue()) === "Shorten it", "the draft");
	assert.equal(await chips().count(), 1);
	await composer().press("Enter");
	await dialog.getByRole("button", { name: "Send Anyway" }).click();
	await until(async () => service.seen.length === before + 1, "the request");
	assert.equal(await composer().inputValue(), "");
	await awaitIdle(chat);
});

/**
 * Drags something into the chat with Shift held, until what is attached is so: a row that is drawn anew while it is
 * dragged is let go, and the same is attached only once.
 */
async function drag(from: Locator, what: RegExp): Promise<void> {
	const isAttached = async () => what.test((await labels()).join());
	await insist(() => dragOnce(from), isAttached, { what: `${what} to be dragged` });
}

async function dragOnce(from: Locator): Promise<void> {
	const { page } = driver.workbench;
	const middle = async (place: Locator) => {
		const box = (await place.boundingBox()) ?? assert.fail("it is not there");
		return [box.x + box.width / 2, box.y + box.height / 2] as const;
	};
	await page.mouse.move(...(await middle(from)));
	await page.mouse.down();
	try {
		const [x, y] = await middle(composer());
		await page.mouse.move(x - 100, y - 200, { steps: 5 });
		await page.keyboard.down("Shift");
		await page.mouse.move(x, y, { steps: 10 });
		await page.mouse.move(x + 2, y + 2, { steps: 3 });
	} finally {
		await page.mouse.up();
		await page.keyboard.up("Shift");
	}
}

test("an edit that makes a turn oversized is confirmed, and kept otherwise", async () => {
	const before = service.seen.length;
	// While a reply is under way the key brings back the text instead.
	await awaitIdle(chat);
	await composer().press("ArrowUp");
	const editor = chat.locator(".turn-editor textarea");
	await editor.fill("word ".repeat(5_000));
	await editor.press("Enter");
	const dialog = driver.workbench.page.getByRole("dialog").filter({ hasText: "your budget is 2,000" });
	await dialog.getByRole("button", { name: "Cancel" }).click();
	await until(async () => (await composer().inputValue()).startsWith("word word"), "the draft");
	assert.equal(service.seen.length, before);
	await composer().fill("");
});

test("the selection, problems and the git diff are attached by command, and the selection from its menu", async () => {
	const { page } = driver.workbench;
	const git = (...args: string[]) => execFileSync("git", ["-C", driver.folder, ...args]);
	git("init", "--quiet");
	await assert.rejects(driver.execute("switchboard.chat.attach", { kind: "diff" }), /no changes to attach/);
	git("add", "exchange.ts");
	const diff = (await driver.execute("switchboard.chat.attach", { kind: "diff" })) as Told;
	assert.equal(diff.label, "Staged changes");
	await assert.rejects(driver.execute("switchboard.chat.attach", { kind: "problems" }), /no problems in the workspace/);
	await openFile("exchange.ts");
	await page.keyboard.press("Control+A");
	await driver.workbench.runCommand("Switchboard: Ask in Chat");
	await until(async () => (await labels()).includes("exchange.ts:1"), "the selection");
	await until(async () => (await chat.evaluate("document.activeElement.id")) === "composer", "the focus");
	const shown = (await driver.execute("switchboard.chat.showRequest", { text: "?" })) as Shown;
	const content = shown.body.messages.at(-1)?.content ?? "";
	assert.match(content, /Diff: Staged changes\n`+diff\ndiff --git a\/exchange\.ts b\/exchange\.ts\n/);
	assert.match(content, /Selection: exchange\.ts:1\n````typescript\nexport const lines/);
	await chips().filter({ hasText: "exchange.ts:1" }).locator(".chip-open").click();
	await page.locator(".tab.active", { hasText: "exchange.ts" }).waitFor();
	await remove();
});

test("a message with a pending attachment stays a draft, and is sent with it later", async () => {
	await writeFile(join(driver.folder, "slow"), "");
	// What was said so far is beyond the budget by itself.
	await driver.execute("switchboard.chat.new", {});
	await until(async () => (await chat.locator("article").count()) === 0, "an empty conversation");
	const before = service.seen.length;
	await offer("@diff", "");
	await composer().press("Enter");
	await composer().pressSequentially("Review this");
	await composer().press("Enter");
	await until(async () => (await composer().inputValue()) === "Review this", "the draft");
	await rm(join(driver.folder, "slow"));
	await attached(1);
	assert.equal(service.seen.length, before);
	await composer().press("Enter");
	await until(async () => service.seen.length > before, "the request");
	assert.match(JSON.stringify(service.seen.at(-1)?.body), /Diff: Staged changes.*Review this/);
	await attached(0);
	await awaitOutcome(chat);
});

test("items dragged from the trees and the explorer with Shift held are attached", async () => {
	const { page } = driver.workbench;
	await driver.execute("workbench.view.explorer");
	await drag(page.getByRole("treeitem", { name: "exchange.ts" }), /^exchange\.ts$/);
	await remove();
	await openFile("exchange.ts");
	await drag(page.locator(".tab", { hasText: "exchange.ts" }), /^exchange\.ts$/);
	await driver.execute("switchboard.issues.focus");
	const issue = treeView(page, "Issues").row("issue 250:");
	await issue.waitFor();
	await drag(issue, /^exchange\.ts,#250 Dial 250/);
	await remove();
	for (const [view, opens, row, label] of [
		["Repositories", [], "Repository exchange/switchboard", /^\d+ issues of exchange\/switchboard$/],
		["Pets", [], /^Pet /, / \(/],
		["Store", [/^Orders: /], /^Order \d+, /, /^Order \d+ \(/],
	] as const) {
		await driver.execute(`switchboard.${view.toLowerCase()}.focus`);
		const rows = treeView(page, view);
		for (const each of opens) await unfold(rows.row(each), rows.row(row));
		await rows.row(row).waitFor();
		await drag(rows.row(row), label);
		await remove();
	}
});

/** Opens a file of the explorer, the focus in it. */
async function openFile(name: string): Promise<void> {
	const { page } = driver.workbench;
	await driver.execute("workbench.view.explorer");
	await insist(
		() => page.getByRole("treeitem", { name }).dblclick({ timeout: 5_000 }),
		() =>
			page
				.locator(".part.editor", { has: page.locator(".tab.active", { hasText: name }) })
				.locator(".monaco-editor.focused")
				.isVisible(),
		{ what: `the focus in ${name}` },
	);
}

/** Chooses what to attach. The composer may have the focus back late, which closes the list. */
async function pick(what: string): Promise<void> {
	const row = quickInput(driver.workbench.page).choices(what).first();
	let isChosen = false;
	const choose = async () => {
		if (!(await row.isVisible())) await chat.locator("#attach").click({ timeout: 5_000 });
		await row.waitFor({ timeout: 5_000 });
		await chat.evaluate("document.activeElement.blur()");
		await row.click({ timeout: 5_000 });
		isChosen = true;
	};
	await insist(choose, async () => isChosen && !(await row.isVisible()), { what: `${what} to be chosen` });
}

/** Waits until that is attached and the composer has taken the focus, which would close what is opened before. */
async function picked(label: string): Promise<void> {
	await until(async () => (await labels()).join() === label, label);
	await until(async () => (await chat.evaluate("document.activeElement.id")) === "composer", "the focus");
}

test("problems of the editor are attached with their place, and a file is picked by Files...", async () => {
	const { page } = driver.workbench;
	const asked = quickInput(page);
	const path = join(driver.folder, "broken.json");
	await writeFile(path, '{ "a": }\n');
	await openFile("broken.json");
	await page.locator(".squiggly-error").first().waitFor();
	await pick("Problems of the Active File");
	await picked("1 problem in broken.json");
	const shown = JSON.stringify(await driver.execute("switchboard.chat.showRequest", { text: "?" }));
	assert.match(shown, /broken\.json:1:\d+.*[Vv]alue expected/);
	await remove();
	await pick("Files...");
	await until(async () => (await asked.box.inputValue()).startsWith("/"), "the question for a file");
	await asked.box.fill(`${driver.folder}/`);
	await asked.choose("exchange.ts");
	await picked("exchange.ts");
	await remove();
});

test("typed text is saved as a prompt, and inserted again by its name", async () => {
	const asked = quickInput(driver.workbench.page);
	await type("Name every mistake in");
	await until(async () => {
		const shown = await driver.execute("switchboard.chat.showRequest", {});
		return JSON.stringify(shown).includes("Name every mistake in");
	}, "the draft of the request");
	const saving = driver.execute("switchboard.chat.savePrompt");
	await asked.asked("Save as Prompt");
	await asked.box.fill("two words");
	await asked.message.filter({ hasText: "Enter one word" }).waitFor();
	await asked.answer("mistakes");
	assert.deepEqual(await saving, { name: "mistakes" });
	await offer("/mist", "/mistakes");
	await composer().press("Enter");
	await until(async () => (await composer().inputValue()) === "Name every mistake in", "the prompt");
	await composer().fill("");
});

/** Types texts, each in place of the one before and with Enter behind it, faster than any answer comes; what is said then. */
function rush(...texts: readonly string[]): Promise<unknown> {
	return chat.evaluate(`(() => {
		const box = document.querySelector("#composer");
		box.focus();
		return ${JSON.stringify(texts)}.map((text) => {
			box.value = text;
			box.dispatchEvent(new Event("input"));
			box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
			const note = document.querySelector(".suggestions-note");
			const spinner = getComputedStyle(note.querySelector(".codicon"));
			return [note.innerText.trim(), note.checkVisibility(), spinner.animationName];
		});
	})()`);
}

test("a mention typed faster than its search is neither sent nor inserted early", async () => {
	const before = service.seen.length;
	assert.deepEqual(await rush("@file:exch"), [["Looking...", true, "spin"]]);
	await first("exchange.ts").waitFor();
	await composer().press("Enter");
	await attached(1);
	assert.deepEqual([await labels(), await composer().inputValue(), service.seen.length], [["exchange.ts"], "", before]);
	await remove();
});

test("a search in the view is independent of one in the editor tab", async () => {
	await driver.execute("switchboard.chat.openInEditor");
	const tab = await driver.workbench.chat("editor");
	await type("@exch @sel");
	await until(async () => (await tab.locator("#composer").inputValue()) === "@exch @sel", "the tab to have the text");
	// A click, without the focus: a list closes when its box loses the focus.
	const lookAt = (caret: number) => `(() => {
		const box = document.querySelector("#composer");
		box.setSelectionRange(${caret}, ${caret});
		box.dispatchEvent(new MouseEvent("click"));
	})()`;
	await chat.evaluate(lookAt(5));
	await first("exchange.ts").waitFor();
	await tab.evaluate(lookAt(10));
	await tab.locator("#suggestions [role=option]", { hasText: "@selection" }).waitFor();
	await chat.evaluate(`document.querySelector("#composer").dispatchEvent(
		new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }),
	)`);
	await attached(1);
	assert.deepEqual(await labels(), ["exchange.ts"]);
	await driver.execute("workbench.action.closeAllEditors");
	await remove();
	await composer().fill("");
});

test("a prompt that is taken before what was typed stands above it, and Undo takes it back", async () => {
	const value = () => composer().inputValue();
	await composer().fill("");
	await composer().pressSequentially("hello world");
	await composer().press("Home");
	await composer().pressSequentially("/bri");
	await until(async () => (await options().count()) === 1, "the prompt alone");
	await composer().press("Tab");
	await until(async () => (await value()) === "In one sentence:\n\nhello world", "the prompt above what was typed");
	const seen: string[] = [];
	for (let times = 0; times < 8; times++) {
		await composer().press("ControlOrMeta+z");
		seen.push(await value());
	}
	assert.ok(seen.includes("hello world") || seen.includes("/brihello world"), seen.join(" | "));
	await composer().fill("");
});

test("text typed right before the chat is hidden is there again when it is shown", async () => {
	await composer().fill("");
	await chat.evaluate(`(() => {
		const box = document.querySelector("#composer");
		for (const text of ["h", "half a", "half a thought"]) {
			box.value = text;
			box.dispatchEvent(new Event("input"));
		}
	})()`);
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await until(async () => chat.isDetached(), "the chat to be hidden");
	chat = await driver.openChat();
	await until(async () => (await composer().inputValue()) !== "", "the draft");
	assert.equal(await composer().inputValue(), "half a thought");
});

test("text and attachments are there again after a reload", async () => {
	await driver.execute("switchboard.chat.attach", {
		kind: "file",
		uri: `file://${join(driver.folder, "exchange.ts")}`,
	});
	await type("half a thought");
	await driver.reload();
	chat = await driver.openChat();
	await attached(1);
	assert.deepEqual(await labels(), ["exchange.ts"]);
	assert.equal(await composer().inputValue(), "half a thought");
});

test("a draft typed after a reload of an empty conversation survives another reload", async () => {
	// The composer takes the focus, also from a palette that is just opening: that it has it must not be of before.
	await chat.evaluate("document.activeElement.blur()");
	await driver.execute("switchboard.chat.new", {});
	await until(async () => (await chat.locator("article").count()) === 0, "an empty conversation");
	await until(async () => (await chat.evaluate("document.activeElement.id")) === "composer", "the focus");
	await driver.reload();
	chat = await driver.openChat();
	await type("begun anew");
	await driver.reload();
	chat = await driver.openChat();
	await until(async () => (await composer().inputValue()) === "begun anew", "the draft");
});
