import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { type QuickInput, quickInput } from "../support/quick-input.ts";
import { cardOf, clickOn } from "../support/tree-view.ts";
import { insist } from "../support/until.ts";
import { type Driver, type DriverOptions, openDriver } from "./driver.ts";

interface Stage {
	readonly driver: Driver;
	readonly sandbox: Sandbox;
	readonly questions: QuickInput;
}

/** A window with a connection to a code host and nothing else. */
async function staged(options: DriverOptions, perform: (stage: Stage) => Promise<void>): Promise<void> {
	const sandbox = await startSandbox();
	const driver = await openDriver({ ...options, width: 1300, height: 900 });
	try {
		await driver.execute("switchboard.addConnection", {
			service: "codehost",
			label: "Exchange",
			baseUrl: sandbox.baseUrls.codehost,
			profile: "sandbox",
			token: sandbox.keys.codehost.fineGrained,
		});
		await perform({ driver, sandbox, questions: quickInput(driver.workbench.page) });
	} finally {
		await driver.dispose();
		await sandbox.close();
	}
}

/** Two remotes of the connection's host, and some of hosts that only look like it. */
function remotesAt({ baseUrls }: Sandbox): Readonly<Record<string, string>> {
	const { port } = new URL(baseUrls.codehost);
	return {
		origin: `${baseUrls.codehost}/web/exchange/switchboard.git`,
		shell: "git@127.0.0.1:ada/garden.git",
		suffix: `http://127.0.0.1.evil.test:${port}/codehost/web/exchange/empty.git`,
		shellSuffix: "git@127.0.0.1.evil.test:exchange/vault.git",
		user: `http://127.0.0.1:${port}@evil.test/codehost/web/ada/notes.git`,
		port: `http://127.0.0.1:${Number(port) + 1}/codehost/web/lin/kites.git`,
		alias: `http://localhost:${port}/codehost/web/exchange/archive.git`,
	};
}

const MATCHING = ["ada/garden", "exchange/switchboard"];

/** Begins to add a repository; resolves to what is proposed, without the choice to name another. */
async function proposed({ driver, questions }: Stage): Promise<string[]> {
	const remotes = questions.choices("a git remote of this workspace");
	const ask = async () => {
		await driver.workbench.runCommand("Switchboard: Add Repository...");
		await remotes.first().waitFor({ timeout: 10_000 });
	};
	// That the folder is trusted, and what git knows of it, the editor tells a moment later.
	await insist(ask, () => remotes.first().isVisible(), { what: "remotes to be proposed" });
	const rows = await remotes.allInnerTexts();
	return rows.map((text) => /([\w-]+\/[\w-]+)a git remote/.exec(text)?.[1] ?? text).sort();
}

test("a folder that is not trusted is not read; once trusted, its remotes on exactly the connection's host are proposed", async () => {
	await staged({ untrusted: true }, async (stage) => {
		const { driver, sandbox, questions } = stage;
		const { page } = driver.workbench;
		const remotes = Object.entries(remotesAt(sandbox)).map(([name, url]) => `[remote "${name}"]\n\turl = ${url}\n`);
		await mkdir(join(driver.folder, ".git"));
		await writeFile(join(driver.folder, ".git", "config"), remotes.join(""));
		await driver.workbench.runCommand("Switchboard: Add Repository...");
		await questions.asked("Add Repository");
		await questions.message.filter({ hasText: "Name it as owner/repo" }).waitFor();
		assert.equal(await questions.choices().count(), 0);
		await questions.leave();
		await driver.workbench.runCommand("Workspaces: Manage Workspace Trust");
		const editor = page.locator(".workspace-trust-editor");
		const trust = editor.getByRole("button", { name: "Trust", exact: true }).first();
		await insist(
			() => trust.click({ timeout: 5_000 }),
			() => editor.filter({ hasText: "You trust this folder" }).isVisible(),
			{ what: "the trust" },
		);
		assert.deepEqual(await proposed(stage), MATCHING);
		await driver.workbench.screenshot("codehost-proposals");
		await questions.choose("exchange/switchboard");
		await driver.execute("switchboard.repositories.focus");
		await page.getByRole("treeitem", { name: /^Repository exchange\/switchboard/ }).waitFor();
		assert.deepEqual(await proposed(stage), ["ada/garden"]);
	});
});

test("remotes that only git itself knows are proposed through the editor's git", async () => {
	await staged({ settings: { "git.enabled": true } }, async (stage) => {
		const { driver, sandbox } = stage;
		const apart = join(driver.folder, "..", "apart");
		const git = (...args: string[]) => promisify(execFile)("git", ["-C", apart, ...args]);
		await mkdir(apart);
		await git("init");
		for (const [name, url] of Object.entries(remotesAt(sandbox))) await git("remote", "add", name, url);
		// Only now, for the editor's git reads the remotes when it first sees the folder.
		await writeFile(join(driver.folder, ".git"), `gitdir: ${join(apart, ".git")}\n`);
		await driver.execute("git.openRepository", driver.folder);
		assert.deepEqual(await proposed(stage), MATCHING);
	});
});

test("a repository on two hosts is proposed for each, and read only through the chosen one", async () => {
	const elsewhere = await startSandbox();
	try {
		await staged({}, async ({ driver, sandbox, questions }) => {
			const { page } = driver.workbench;
			const added = await driver.execute("switchboard.addConnection", {
				service: "codehost",
				label: "Elsewhere",
				baseUrl: elsewhere.baseUrls.codehost,
				profile: "sandbox",
				token: elsewhere.keys.codehost.fineGrained,
			});
			const connection = String(Object(added).id);
			const remotes = [sandbox, elsewhere].map(
				({ baseUrls }, n) => `[remote "r${n}"]\n\turl = ${baseUrls.codehost}/web/exchange/empty.git\n`,
			);
			await mkdir(join(driver.folder, ".git"));
			await writeFile(join(driver.folder, ".git", "config"), remotes.join(""));
			const begin = async () => {
				await driver.workbench.runCommand("Switchboard: Add Repository...");
				await questions.asked("Add Repository");
			};
			const hostOf = ({ baseUrls }: Sandbox) => new URL(baseUrls.codehost).host;
			const issues = (name: string) => page.getByRole("treeitem", { name });
			const before = sandbox.status().codehost.requests;
			await begin();
			await questions.choices(hostOf(sandbox)).waitFor();
			await driver.workbench.screenshot("codehost-two-hosts");
			await questions.choose(hostOf(elsewhere));
			await driver.execute("switchboard.repositories.focus");
			await page.getByRole("treeitem", { name: "Repository exchange/empty, through Elsewhere" }).waitFor();
			assert.equal(sandbox.status().codehost.requests, before);
			await begin();
			await questions.choose(hostOf(sandbox));
			await driver.workbench.runCommand("Switchboard: Add Repository...");
			await questions.fill(
				"owner/repository, or its URL",
				`${elsewhere.baseUrls.codehost}/web/exchange/switchboard/issues/7`,
			);
			await driver.execute("switchboard.repositories.focus");
			await page.getByRole("treeitem", { name: /^Repository exchange\/switchboard/ }).waitFor();
			await driver.execute("switchboard.codehost.removeRepository", { repository: "exchange/switchboard" });
			await driver.execute("switchboard.issues.focus");
			for (const label of ["Exchange", "Elsewhere"]) {
				await issues(`Issues of exchange/empty, through ${label}`).waitFor();
			}
			const card = await cardOf(issues("Issues of exchange/empty, through Elsewhere"), "Read through");
			assert.match(card, /exchange\/empty[\s\S]*Issues[\s\S]*Read through\W+Elsewhere/);
			await driver.execute("switchboard.removeConnection", { connection });
			await issues("Issues of exchange/empty, through a connection that is gone").waitFor();
			const question = questions.title.filter({ hasText: "Read exchange/empty Through" });
			const gone = issues("Error: This repository is read through a connection that is gone.");
			await clickOn(gone, () => question.isVisible());
			await driver.workbench.screenshot("codehost-unbound");
			assert.match((await questions.choices().allInnerTexts()).join(), /ada · http/);
			await questions.leave();
			await driver.workbench.runCommand("Switchboard: Open Issue");
			await questions.choices("a connection that is gone").waitFor();
			await questions.leave();
		});
	} finally {
		await elsewhere.close();
	}
});
