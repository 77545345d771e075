import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { until } from "../support/until.ts";

const [OWN, OTHER, LONG] = ["exchange/switchboard", "exchange/paging", "exchange/archive"] as const;

describe("references to issues, in an editor with its own git", () => {
	const [workspace] = vscode.workspace.workspaceFolders ?? [];
	const folder = join(workspace?.uri.fsPath ?? "", "board");
	let connection = "";
	const faults: { fail?: { status: number }; on?: "issues"[] } = {};
	let sandbox: Sandbox;
	const asked = () => requestsTo(sandbox, "issues").length;
	const open = async (name: string, content: string, language?: string) => {
		const path = join(folder, name);
		await writeFile(path, content);
		const document = await vscode.workspace.openTextDocument(vscode.Uri.file(path));
		if (language !== undefined) await vscode.languages.setTextDocumentLanguage(document, language);
		return document;
	};
	const linksOf = async ({ uri }: vscode.TextDocument) => {
		const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>("vscode.executeLinkProvider", uri);
		return links.filter(({ target }) => target?.scheme === "command");
	};
	const written = async (document: vscode.TextDocument) =>
		(await linksOf(document)).map(({ range }) => document.getText(range)).sort();
	const hoverAt = async (document: vscode.TextDocument, text: string) => {
		const position = document.positionAt(document.getText().indexOf(text) + 1);
		const command = "vscode.executeHoverProvider";
		const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(command, document.uri, position);
		const contents = hovers.flatMap((each) => each.contents);
		return contents.map((each) => (each instanceof vscode.MarkdownString ? each.value : "")).join("\n");
	};
	const proposed = async (document: vscode.TextDocument) => {
		const command = "vscode.executeCompletionItemProvider";
		const end = document.positionAt(document.getText().length);
		const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(command, document.uri, end, "#");
		return items.filter(({ kind }) => kind === vscode.CompletionItemKind.Issue).map(({ insertText }) => insertText);
	};

	before(async () => {
		// A list that is in sight loads by itself.
		await vscode.commands.executeCommand("workbench.action.closeSidebar");
		sandbox = await startSandbox({ codehost: faults });
		await mkdir(folder);
		execFileSync("git", ["init", "--quiet", "--initial-branch=main", folder]);
		for (const [name, repository] of [
			["fork", OTHER],
			["origin", OWN],
		] as const) {
			const address = `${sandbox.baseUrls.codehost}/web/${repository}.git`;
			execFileSync("git", ["-C", folder, "remote", "add", name, address]);
		}
		await vscode.workspace.getConfiguration().update("git.enabled", true, vscode.ConfigurationTarget.Global);
		const { baseUrls, keys } = sandbox;
		const host = { service: "codehost", baseUrl: baseUrls.codehost, profile: "sandbox", label: "Host" };
		({ id: connection } = await run<{ id: string }>("addConnection", { ...host, token: keys.codehost.fineGrained }));
	});
	after(async () => {
		await vscode.workspace.getConfiguration().update("git.enabled", undefined, vscode.ConfigurationTarget.Global);
		for (const repository of [OWN, OTHER, LONG]) await run("codehost.removeRepository", { repository });
		await run("removeConnection", { connection });
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
		await rm(folder, { recursive: true, force: true });
		await sandbox.close();
	});

	it("are links if they lead to an added repository, `#12` by the branch's remote", async () => {
		const page = `${sandbox.baseUrls.codehost}/web/${OWN}/issues/3`;
		const notes = await open("notes.md", `#2 ${OTHER}#7 ${page} nobody/nothing#1\n`, "markdown");
		assert.deepEqual(await written(notes), []);
		await run("codehost.addRepository", { connection, repository: OTHER });
		await run("codehost.addRepository", { connection, repository: OWN });
		await until(async () => (await written(notes)).length === 3, "git to find the remote");
		assert.deepEqual(await written(notes), ["#2", `${OTHER}#7`, page].sort());
		const code = await open("lamp.ts", 'const color = "#123"; // see #2\nconst a = "#3";\n', "typescript");
		assert.deepEqual(await written(code), ["#2"]);
		const [link] = await linksOf(code);
		assert.match(decodeURIComponent(`${link?.target}`), new RegExp(`"repository":"${OWN}".*"number":2`));
	});

	it("are read once when they are pointed at, and never while typing", async () => {
		const notes = await open("more.md", `see #2\n\n${OTHER}#7 and #99999\n\nfixes #`, "markdown");
		const before = asked();
		assert.deepEqual(await proposed(notes), []);
		assert.equal((await written(notes)).length, 3);
		assert.equal(asked(), before);
		Object.assign(faults, { fail: { status: 404 }, on: ["issues"] });
		assert.doesNotMatch(await hoverAt(notes, "#2"), /Write down which cord is which/);
		delete faults.fail;
		assert.match(await hoverAt(notes, "#2"), /Write down which cord is which/);
		assert.equal(asked(), before + 2);
		assert.match(await hoverAt(notes, "#2"), /Write down which cord is which/);
		assert.equal(await hoverAt(notes, "#99999"), "");
		const searched = asked();
		assert.equal(await hoverAt(notes, "#99999"), "");
		assert.equal(asked(), searched);
		await run("codehost.addRepository", { connection, repository: LONG });
		assert.equal(await hoverAt(await open("long.md", `${LONG}#99999`, "markdown"), LONG), "");
		assert.ok(asked() - searched <= 10, `${asked() - searched}`);
	});

	it("are proposed behind the mark from what is loaded", async () => {
		await run("codehost.loadMore", { repository: OWN });
		const before = asked();
		const notes = await open("loaded.md", "fixes #", "markdown");
		const all = await proposed(notes);
		assert.ok(all.includes("#3"), `${all}`);
		assert.deepEqual(await proposed(await open("code.ts", "const a = 1; // see #", "typescript")), all);
		assert.deepEqual(await proposed(await open("string.ts", 'const a = "#', "typescript")), []);
		assert.deepEqual(await proposed(await open("heading.md", "text\n\n#", "markdown")), []);
		assert.deepEqual(await proposed(await open("other.md", `${OTHER}#`, "markdown")), []);
		assert.equal(asked(), before);
	});
});
