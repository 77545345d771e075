import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "mocha";
import * as vscode from "vscode";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { refused, run } from "../support/checked-run.ts";
import { until } from "../support/until.ts";

interface Started {
	readonly branch: string;
	readonly before?: string;
	readonly now?: string;
}

/** Part of the editor's git extension that the tests look at. */
interface Git {
	readonly enabled: boolean;
	getAPI(version: 1): {
		readonly repositories: readonly {
			readonly rootUri: vscode.Uri;
			readonly inputBox: { value: string };
			status(): Promise<void>;
		}[];
	};
}

const REPOSITORY = "exchange/switchboard";

describe("work on an issue, in an editor with its own git", () => {
	const [workspace] = vscode.workspace.workspaceFolders ?? [];
	const [folder, other] = ["board", "notes"].map((name) => join(workspace?.uri.fsPath ?? "", name)) as [string, string];
	let connection = "";
	let sandbox: Sandbox;
	const git = (...words: readonly string[]) =>
		execFileSync("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words], {
			stdio: "pipe",
		})
			.toString()
			.trim();
	const extension = () => vscode.extensions.getExtension<Git>("vscode.git")?.exports;
	const repository = () => {
		const all = extension()?.getAPI(1).repositories ?? [];
		return all.find(({ rootUri }) => rootUri.fsPath === folder) ?? assert.fail("no repository");
	};
	const box = () => repository().inputBox;
	const configure = (key: string, value: unknown) =>
		vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
	const start = (number: number, more = {}) =>
		run<Started>("codehost.startWorking", { repository: REPOSITORY, connection, number, ...more });
	const stop = (argument = {}) => run<Started>("codehost.stopWorking", argument);
	/** Waits until the editor has told of each text that was put into a box, also of those that have been replaced. */
	const settle = () => vscode.commands.executeCommand("setContext", "switchboard.test.settled", true);
	const head = () => git("branch", "--show-current");

	before(async () => {
		sandbox = await startSandbox();
		for (const each of [folder, other]) {
			await mkdir(each);
			execFileSync("git", ["init", "--quiet", "--initial-branch=main", each]);
		}
		git("remote", "add", "origin", `${sandbox.baseUrls.codehost}/web/${REPOSITORY}.git`);
		await writeFile(join(folder, "lamp.ts"), "dark\n");
		git("add", ".");
		git("commit", "--quiet", "-m", "Begin");
		await configure("git.enabled", true);
		await until(
			() => extension()?.enabled === true && extension()?.getAPI(1).repositories.length === 2,
			"git to find the repositories",
		);
		const host = { service: "codehost", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox", label: "Host" };
		({ id: connection } = await run<{ id: string }>("addConnection", {
			...host,
			token: sandbox.keys.codehost.fineGrained,
		}));
		await run("codehost.addRepository", { connection, repository: REPOSITORY });
	});
	after(async () => {
		await configure("git.enabled", undefined);
		await run("codehost.removeRepository", { repository: REPOSITORY });
		await run("removeConnection", { connection });
		for (const each of [folder, other]) await rm(each, { recursive: true, force: true });
		await sandbox.close();
	});
	beforeEach(async () => {
		await stop({ stay: true }).catch(() => undefined);
		git("checkout", "--quiet", "--force", "main");
		git("reset", "--quiet", "--hard");
		for (const branch of git("branch", "--format=%(refname:short)").split("\n")) {
			if (branch !== "main") git("branch", "--quiet", "-D", branch);
		}
		box().value = "";
	});

	it("begins on its own branch in the folder of its repository, and goes back", async () => {
		const { branch, before: from } = await start(2);
		assert.match(branch, /^issue-2-[a-z]/);
		assert.deepEqual([head(), from], [branch, "main"]);
		assert.equal(box().value, "\n\nFixes #2");
		const { now } = await stop();
		assert.deepEqual([head(), now], ["main", "main"]);
		assert.equal(box().value, "");
		await refused(stop(), /No issue is worked on here\. Use Start Working on Issue/);
		assert.equal((await start(2)).branch, branch);
		assert.deepEqual([head(), (await stop({ stay: true })).now], [branch, branch]);
		assert.equal(head(), branch);
	});

	it("is current while its branch is checked out, by whomever", async () => {
		const { branch } = await start(2);
		git("checkout", "--quiet", "main");
		await repository().status();
		await refused(stop(), /No issue is worked on here/);
		git("checkout", "--quiet", branch);
		await repository().status();
		await vscode.commands.executeCommand("git.close", vscode.Uri.file(folder));
		await refused(stop(), /No issue is worked on here/);
		await vscode.commands.executeCommand("git.openRepository", folder);
		await repository().status();
		assert.equal((await stop()).branch, branch);
	});

	it("begins one commit message, and leaves the words of the person alone", async () => {
		await configure("switchboard.codeHost.issueCommitMessage", `\${issue} \${repository}: `);
		await configure("switchboard.codeHost.issueBranch", `ada/\${number}`);
		try {
			const { branch } = await start(2);
			assert.equal(branch, "ada/2");
			assert.equal(box().value, `#2 ${REPOSITORY}: `);
			await writeFile(join(folder, "lamp.ts"), "lit\n");
			await settle();
			box().value = "Light the lamp";
			await settle();
			git("commit", "--quiet", "-am", "Light it");
			await start(4);
			assert.equal(box().value, "Light the lamp");
			box().value = "";
			for (const words of [
				"commit --quiet --allow-empty -m Again",
				"checkout --quiet ada/2",
				"checkout --quiet ada/4",
			]) {
				git(...words.split(" "));
				await repository().status();
				await settle();
				assert.equal(box().value, "", words);
			}
			await start(2);
			await settle();
			await start(4);
			assert.equal(box().value, `#4 ${REPOSITORY}: `);
		} finally {
			await configure("switchboard.codeHost.issueCommitMessage", undefined);
			await configure("switchboard.codeHost.issueBranch", undefined);
		}
	});

	it("says what git says to a checkout, and changes nothing then", async () => {
		const { branch } = await start(2);
		await writeFile(join(folder, "lamp.ts"), "lit\n");
		git("commit", "--quiet", "-am", "Light it");
		await writeFile(join(folder, "lamp.ts"), "red\n");
		await refused(
			stop(),
			/did not check out main: Your local changes .* overwritten by checkout: lamp\.ts\. Commit or stash your changes, and try again/,
		);
		assert.equal(head(), branch);
		git("stash", "--quiet");
		assert.equal((await stop()).now, "main");
		await writeFile(join(folder, "lamp.ts"), "blue\n");
		await refused(start(2), /did not check out issue-2-.*overwritten by checkout: lamp\.ts\./);
		assert.equal(head(), "main");
		git("branch", "issue-6");
		await configure("switchboard.codeHost.issueBranch", `issue-6/\${number}`);
		try {
			await refused(start(6), /did not check out issue-6\/6: .*'refs\/heads\/issue-6' exists.*\. Try again/);
		} finally {
			await configure("switchboard.codeHost.issueBranch", undefined);
		}
		// Git carries what it can.
		assert.match((await start(4)).branch, /^issue-4-/);
		assert.equal(git("diff", "--name-only"), "lamp.ts");
	});

	it("is named with its repository if the remote of the branch is another's", async () => {
		const [own, fork] = [REPOSITORY, "ada/fork"].map((name) => `${sandbox.baseUrls.codehost}/web/${name}.git`);
		git("remote", "set-url", "origin", `${fork}`);
		git("remote", "add", "upstream", `${own}`);
		try {
			await start(2);
			assert.equal(box().value, `\n\nFixes ${REPOSITORY}#2`);
		} finally {
			git("remote", "remove", "upstream");
			git("remote", "set-url", "origin", `${own}`);
		}
	});

	it("goes into a folder of another repository only if that is named", async () => {
		git("remote", "remove", "origin");
		try {
			await refused(start(2), /folder must be the folder of an open git repository; of several it names one/);
			await refused(start(2, { folder: "/nowhere" }), /folder must be/);
			await start(2, { folder });
			assert.equal(box().value, `\n\nFixes ${REPOSITORY}#2`);
		} finally {
			git("remote", "add", "origin", `${sandbox.baseUrls.codehost}/web/${REPOSITORY}.git`);
		}
	});
});
