import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Frame, Locator } from "playwright-core";
import { startSandbox } from "#sandbox/sandbox.ts";
import { awaitOutcome, beginAnew } from "../support/chat-page.ts";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { quickInput } from "../support/quick-input.ts";
import { chooseOn, dragOnto, treeView } from "../support/tree-view.ts";
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
			"switchboard.chat.prompts": { review: `Review ${PLACEHOLDER}` },
		},
	});
	await driver.execute("switchboard.trySandbox", {});
	const echo = { service: "messages", label: "Echo", model: "echo", key: "panel-suite-key-0123456789" };
	const added = await driver.execute("switchboard.addConnection", { ...echo, baseUrl: service.baseUrl });
	await driver.execute("switchboard.chat.selectConnection", { connection: (added as { id: string }).id });
	await writeFile(join(driver.folder, "exchange.ts"), 'export const lines = ["```", "two"];\n');
	await writeFile(join(driver.folder, "picture.bin"), Buffer.from([1, 0, 2, 0]));
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

/** Opens a file of the explorer, the focus in it. */
async function openFile(name: string): Promise<void> {
	const { page } = driver.workbench;
	await driver.execute("workbench.view.explorer");
	const group = page.locator(".part.editor", { has: page.locator(".tab.active", { hasText: name }) });
	const open = () => page.getByRole("treeitem", { name }).dblclick({ timeout: 5_000 });
	await insist(open, () => group.locator(".monaco-editor.focused").isVisible(), { what: `the focus in ${name}` });
}

/** Drags something into the chat until what is attached is so: the same is attached only once. */
function drag(from: Locator, what: RegExp): Promise<void> {
	return dragOnto(from, composer(), {
		what: `${what} to be dragged`,
		has: async () => what.test((await labels()).join()),
	});
}

/** Removes all that is attached. */
async function remove(): Promise<void> {
	for (let left = await chips().count(); left > 0; left = await chips().count()) {
		const button = chips()
			.last()
			.getByRole("button", { name: /^Remove/ });
		const isGone = async () => (await chips().count()) < left;
		await insist(() => button.press("Enter", { timeout: 5_000 }), isGone, { what: "one chip less" });
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
const says = (text: string) => until(async () => (await composer().inputValue()) === text, `${text} in the composer`);
const isFocused = () =>
	until(async () => (await chat.evaluate("document.activeElement.id")) === "composer", "the focus");

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
const { EventEmitter, workspace } = require("vscode");
const changed = new EventEmitter();
const api = { state: "uninitialized", onDidChangeState: changed.event, repositories: [] };
// The real one is asked before it has looked.
const look = () => {
	api.repositories = workspace.workspaceFolders.map(({ uri }) => ({
		rootUri: uri,
		state: { remotes: [] },
		async diff(staged) {
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

async function showRequest(argument: object) {
	const shown = await driver.execute("switchboard.chat.showRequest", argument);
	return shown as { headers: object; body: { messages: readonly { content: string }[] } };
}

/** Waits until what is typed has come to the host. */
const isDraft = (text: string) =>
	until(async () => JSON.stringify(await showRequest({})).includes(text), "the draft of the request");

test("a file found behind @ is attached, and Show Request shows what is sent of it", async () => {
	await offer("Explain @exch", "exchange.ts");
	await composer().press("Enter");
	await attached(1);
	assert.deepEqual([await labels(), await composer().inputValue()], [["exchange.ts"], "Explain "]);
	await composer().pressSequentially("it ");
	await isDraft("Explain it");
	const shown = await showRequest({});
	assert.equal(new Map(Object.entries(shown.headers)).get("x-api-key"), "{key}");
	await driver.workbench.page.locator(".tab", { hasText: "Next Request.json" }).waitFor();
	await composer().press("Enter");
	await awaitOutcome(chat);
	assert.deepEqual(service.seen.at(-1)?.body, shown.body);
	assert.match(
		shown.body.messages.at(-1)?.content ?? "",
		/\n\nFile: exchange\.ts\n````ts\nexport const lines = \["```", "two"\];\n````\n\nExplain it$/,
	);
	await attached(0);
	const message = await chat.locator("article.reply").last().getAttribute("data-id");
	const sent = await showRequest({ message });
	assert.deepEqual(sent.body, shown.body);
	assert.equal("note" in sent, false);
});

test("issues, pets and orders are found while typing, and others by their number", async () => {
	const take = async (text: string, row: string | RegExp, label: RegExp) => {
		const before = await chips().count();
		await offer(text, row);
		await composer().press("Enter");
		await attached(before + 1);
		assert.match((await labels()).at(-1) ?? "", label);
	};
	await take("@issue:kettle", "#11 The headset", /^#11 The headset/);
	await take("@pet:juniper", "Juniper", /Juniper/);
	await take("@order:", /Order \d+/, /^Order \d+ \(/);
	await offer("@issues", "all of a repository");
	await composer().press("Enter");
	await says("@issue:");
	await options().filter({ hasText: "All issues of exchange/switchboard" }).click();
	await attached(4);
	assert.match((await labels()).at(-1) ?? "", /^\d+ issues of exchange\/switchboard$/);
	await remove();
	await offer("@issue 24", /^#24(?!\d)/);
	await options().filter({ hasText: "looked up in exchange/archive" }).waitFor();
	await options().filter({ hasText: "#9924" }).first().waitFor();
	await offer("@pet:7712", /Pet 7712.*looked up/s);
	await type("");
});

test("known issues are offered while the rest is loading, and an empty list says so", async () => {
	const slow = await startSandbox();
	const { id: connection } = (await driver.execute("switchboard.addConnection", {
		service: "codehost",
		label: "Slow",
		profile: "sandbox",
		baseUrl: slow.baseUrls.codehost,
		token: slow.keys.codehost.classic,
	})) as { readonly id: string };
	const archive = { connection, repository: "exchange/archive" };
	await driver.execute("switchboard.codehost.addRepository", archive);
	slow.codehost.behave({ headersAfterMs: 600_000 });
	try {
		await offer("@issue:kettle", "#11 The headset");
		await type("@issue:no such words");
		await chat.locator(".suggestions-note", { hasText: "Looking..." }).waitFor();
	} finally {
		await driver.execute("switchboard.codehost.removeRepository", archive);
		await driver.execute("switchboard.removeConnection", { connection });
		await slow.close();
	}
	await type("");
});

test("of too many dropped files the first are attached, the others counted", async () => {
	const names = ["exchange.ts", ...Array<string>(150).fill("picture.bin")];
	const uris = names.map((name) => `file://${join(driver.folder, name)}`);
	await chat.evaluate(`(() => {
		const dataTransfer = new DataTransfer();
		dataTransfer.setData("text/uri-list", ${JSON.stringify(uris.join("\n"))});
		document.querySelector("#composer").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true }));
	})()`);
	const words = "At most 100 files can be attached at once. 51 of 151 were left out.";
	await driver.workbench.page.getByText(words).waitFor();
	await attached(1);
	await remove();
	await driver.execute("notifications.clearAll");
});

test("a refused file from the explorer is reported, and the composer has the others", async () => {
	const { page } = driver.workbench;
	// An editor that comes up selects its own file alone.
	await openFile("exchange.ts");
	const picture = page.getByRole("treeitem", { name: "picture.bin" });
	const selected = page.getByRole("treeitem", { selected: true });
	const select = () => picture.click({ modifiers: ["Control"] });
	await insist(select, async () => (await selected.count()) === 2, { what: "two files to be selected" });
	await chooseOn(picture, "Ask in Chat", async () => (await chips().count()) === 1);
	await isFocused();
	await until(async () => chat.evaluate<boolean>("document.hasFocus()"), "the keyboard in the chat");
	await page.getByText("picture.bin is neither text nor").first().waitFor();
	assert.deepEqual(await labels(), ["exchange.ts"]);
	await remove();
});

test("typed text is saved as a prompt and inserted by name, if its context is there", async () => {
	const asked = quickInput(driver.workbench.page);
	await type("Name every mistake in");
	await isDraft("Name every mistake in");
	const saving = driver.execute("switchboard.chat.savePrompt");
	await asked.asked("Save as Prompt");
	await asked.box.fill("two words");
	await asked.message.filter({ hasText: "Enter one word" }).waitFor();
	await asked.answer("mistakes");
	assert.deepEqual(await saving, { name: "mistakes" });
	await offer("/mist", "/mistakes");
	await composer().press("Enter");
	await says("Name every mistake in");
	await driver.execute("workbench.action.closeAllEditors");
	await offer("/rev", "/review");
	await composer().press("Enter");
	await driver.workbench.page.getByText("Select some and choose the prompt again.").first().waitFor();
	await says("");
});

test("selection, problems and the git diff are attached by command or from menus", async () => {
	const { page } = driver.workbench;
	const attach = (kind: string) => driver.execute("switchboard.chat.attach", { kind });
	const git = (...args: string[]) => execFileSync("git", ["-C", driver.folder, ...args]);
	git("init", "--quiet");
	await assert.rejects(attach("diff"), /no changes to attach/);
	git("add", "exchange.ts");
	assert.equal(((await attach("diff")) as { label: string }).label, "Staged changes");
	await assert.rejects(attach("problems"), /no problems in the workspace/);
	await openFile("exchange.ts");
	await page.keyboard.press("Control+A");
	await driver.workbench.runCommand("Switchboard: Ask in Chat");
	await quickInput(page).choose("Selection");
	await until(async () => (await labels()).includes("exchange.ts:1"), "the selection");
	await isFocused();
	await chips().filter({ hasText: "exchange.ts:1" }).locator(".chip-open").click();
	await page.locator(".tab.active", { hasText: "exchange.ts" }).waitFor();
	await writeFile(join(driver.folder, "broken.json"), '{ "a": }\n');
	await openFile("broken.json");
	await page.locator(".squiggly-error").first().waitFor();
	const row = quickInput(page).choices("Problems of the Active File").first();
	const choose = async () => {
		// The composer may have the focus back late, which closes the list.
		if (!(await row.isVisible())) await chat.locator("#attach").click({ timeout: 5_000 });
		await row.waitFor({ timeout: 5_000 });
		await chat.evaluate("document.activeElement.blur()");
		await row.click({ timeout: 5_000 });
	};
	await insist(choose, async () => (await chips().count()) === 3, { what: "the problems" });
	await isFocused();
	const { content = "" } = (await showRequest({ text: "?" })).body.messages.at(-1) ?? {};
	assert.match(content, /Diff: Staged changes\n`+diff\ndiff --git a\/exchange\.ts b\/exchange\.ts\n/);
	assert.match(content, /Selection: exchange\.ts:1\n````typescript\nexport const lines/);
	assert.match(content, /broken\.json:1:\d+.*[Vv]alue expected/);
	await remove();
});

test("items dragged from the trees and the explorer with Shift held are attached", async () => {
	const { page } = driver.workbench;
	await driver.execute("workbench.view.explorer");
	await drag(page.getByRole("treeitem", { name: "exchange.ts" }), /^exchange\.ts$/);
	await remove();
	for (const [view, row, label] of [
		["Issues", "issue 22:", /^#22 Wake the baker/],
		["Repositories", "Repository exchange/switchboard", /^\d+ issues of exchange\/switchboard$/],
		["Pets", /^Pet /, / \(/],
	] as const) {
		await driver.execute(`switchboard.${view.toLowerCase()}.focus`);
		await drag(treeView(page, view).row(row), label);
		await remove();
	}
});

test("a draft with attachments outlives the hidden chat and a reload", async () => {
	// The composer takes the focus, also from a palette that is just opening: that it has it must not be of before.
	await chat.evaluate("document.activeElement.blur()");
	await beginAnew(chat, driver);
	await isFocused();
	await driver.reload();
	chat = await driver.openChat();
	const uri = `file://${join(driver.folder, "exchange.ts")}`;
	await driver.execute("switchboard.chat.attach", { kind: "file", uri });
	await composer().fill("half a thought");
	await driver.execute("workbench.action.closeAuxiliaryBar");
	await until(async () => chat.isDetached(), "the chat to be hidden");
	chat = await driver.openChat();
	await says("half a thought");
	// What comes on screen takes the keyboard late, also from a palette.
	await composer().press("End");
	await until(() => chat.evaluate<boolean>("document.hasFocus()"), "the keyboard in the chat");
	await driver.reload();
	chat = await driver.openChat();
	await says("half a thought");
	assert.deepEqual(await labels(), ["exchange.ts"]);
});
