import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "mocha";
import * as vscode from "vscode";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { refused, run } from "../support/checked-run.ts";
import { type DictatedService, startDictatedService } from "../support/dictated-service.ts";
import { type EchoService, startEchoService } from "../support/echo-service.ts";
import { until } from "../support/until.ts";

interface Written {
	readonly repository: string;
	readonly message: string;
	readonly outcome: string;
}

/** Part of the editor's git extension that the tests look at. */
interface Git {
	readonly enabled: boolean;
	getAPI(version: 1): {
		readonly repositories: readonly { readonly rootUri: vscode.Uri; readonly inputBox: { value: string } }[];
	};
}

describe("commit messages in an editor with its own git", () => {
	const [workspace] = vscode.workspace.workspaceFolders ?? [];
	const [folder, other] = ["lamp", "bell"].map((name) => join(workspace?.uri.fsPath ?? "", name)) as [string, string];
	const ids: string[] = [];
	let echo: EchoService;
	const dictating: DictatedService[] = [];
	let sandbox: Sandbox;
	const git = (...words: readonly string[]) =>
		execFileSync("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...words]);
	const extension = () => vscode.extensions.getExtension<Git>("vscode.git")?.exports;
	const box = () => {
		const all = extension()?.getAPI(1).repositories ?? [];
		return all.find(({ rootUri }) => rootUri.fsPath === folder)?.inputBox ?? assert.fail("no box");
	};
	const enable = (enabled: boolean) =>
		vscode.workspace.getConfiguration("git").update("enabled", enabled, vscode.ConfigurationTarget.Global);
	const add = async (argument: object) => {
		const { id } = await run<{ id: string }>("addConnection", argument);
		ids.push(id);
		return id;
	};
	/** Service of new conversations from now on. */
	const use = async (label: string, baseUrl: string) => {
		const connection = await add({ service: "messages", label, baseUrl, key: `key-of-${label}-0123456789` });
		await run("chat.new", {});
		await run("chat.selectConnection", { connection });
	};
	const dictate = async () => {
		const dictated = await startDictatedService();
		dictating.push(dictated);
		await use(`Dictated-${dictating.length}`, dictated.baseUrl);
		return dictated;
	};
	const write = () => run<Written>("chat.writeCommitMessage", { repository: folder });
	const asked = () => {
		const { messages, system } = (echo.seen.at(-1)?.body ?? assert.fail("nothing was sent")) as {
			messages: { content: string }[];
			system: string;
		};
		return { text: messages.at(-1)?.content ?? "", system };
	};

	before(async () => {
		[echo, sandbox] = await Promise.all([startEchoService(), startSandbox()]);
		for (const each of [folder, other]) {
			await mkdir(each);
			execFileSync("git", ["init", "--quiet", "--initial-branch=main", each]);
		}
		await writeFile(join(folder, "lamp.ts"), "dark\n");
		git("add", ".");
		git("commit", "--quiet", "-m", "feat(lamp): begin");
		await refused(write(), /Git is off or missing\. .* turn on git\.enabled/);
		await enable(true);
		await until(
			() => extension()?.enabled === true && extension()?.getAPI(1).repositories.length === 2,
			"git to find the repositories",
		);
		await use("Echo", echo.baseUrl);
	});
	after(async () => {
		await enable(false);
		await rm(folder, { recursive: true, force: true });
		await rm(other, { recursive: true, force: true });
		for (const connection of ids) await run("removeConnection", { connection });
		await Promise.all([echo, sandbox, ...dictating].map((each) => each.close()));
	});
	beforeEach(() => {
		git("checkout", "--quiet", "--force", "main");
		git("reset", "--quiet", "--hard");
		git("clean", "--quiet", "-fd");
		box().value = "";
	});

	it("are asked for with the staged diff, else the working tree's, and the style", async () => {
		await refused(write(), /There are no changes in lamp/);
		await writeFile(join(folder, "lamp.ts"), "lit\n");
		await writeFile(join(folder, "new.ts"), "unseen words\n");
		const { message, outcome, repository } = await write();
		assert.deepEqual([outcome, repository], ["complete", folder]);
		assert.equal(box().value, message);
		assert.match(asked().text, /^\+lit$/m);
		assert.match(asked().text, /names are known:\n\nnew\.ts\n/);
		assert.ok(!asked().text.includes("unseen words"));
		assert.match(asked().text, /Earlier messages:\n\nfeat\(lamp\): begin/);
		assert.match(asked().system, /git commit/);
		git("add", "new.ts");
		await write();
		assert.match(asked().text, /^\+unseen words$/m);
		assert.doesNotMatch(asked().text, /^\+lit$/m);
		await refused(run("chat.writeCommitMessage", {}), /of several it names one/);
		await refused(
			run("chat.writeCommitMessage", { repository: "/nowhere" }),
			/must be the folder of an open git repository/,
		);
	});

	it("leave the secrets of connections out of what is sent", async () => {
		await writeFile(join(folder, "lamp.ts"), "const key = 'key-of-Echo-0123456789';\n");
		await write();
		assert.match(asked().text, /const key = '\[redacted\]'/);
		assert.ok(!JSON.stringify(echo.seen.map(({ body }) => body)).includes("key-of-Echo"));
	});

	it("close the issue of the branch, if the repository at its remote has one", async () => {
		const token = sandbox.keys.codehost.fineGrained;
		const host = { service: "codehost", baseUrl: sandbox.baseUrls.codehost, profile: "sandbox", label: "Host" };
		const connection = await add({ ...host, token });
		git("remote", "add", "origin", `${sandbox.baseUrls.codehost}/web/exchange/switchboard.git`);
		const on = async (branch: string) => {
			git("checkout", "--quiet", "-B", branch);
			await writeFile(join(folder, "lamp.ts"), `${branch}\n`);
			return (await write()).message.split("\n").at(-1);
		};
		const none = async (branch: string) => assert.doesNotMatch((await on(branch)) ?? "", /^Fixes/, branch);
		await none("feature/2-cords");
		await run("codehost.addRepository", { connection, repository: "exchange/switchboard" });
		assert.equal(await on("feature/2-cords"), "Fixes #2");
		assert.equal(await on("gh-7"), "Fixes #7");
		await none("main");
		for (const branch of ["fix/404-page", "q4/2026", "sprint/90"]) await none(branch);
		const configuration = vscode.workspace.getConfiguration("switchboard.codeHost");
		await configuration.update("issueBranch", "lamps", vscode.ConfigurationTarget.Global);
		await run("codehost.startWorking", { repository: "exchange/switchboard", connection, number: 3 });
		await configuration.update("issueBranch", undefined, vscode.ConfigurationTarget.Global);
		assert.equal(await on("lamps"), "Fixes #3");
		await run("codehost.stopWorking", { stay: true });
		// Another remote's repository has no say.
		git("remote", "rename", "origin", "mirror");
		git("remote", "add", "origin", "https://elsewhere.example/exchange/switchboard.git");
		await none("feature/2-lamps");
		git("remote", "remove", "origin");
		git("remote", "remove", "mirror");
		await run("codehost.removeRepository", { repository: "exchange/switchboard" });
	});

	it("stay as far as they came once stopped, and undo brings back the person's text", async () => {
		const dictated = await dictate();
		await writeFile(join(folder, "lamp.ts"), "lit\n");
		box().value = "about the lamp";
		const writing = write();
		await dictated.begun();
		assert.equal(box().value, "about the lamp");
		dictated.say("Light the");
		await until(() => box().value === "Light the", "the first words in the box");
		assert.deepEqual(await run("chat.stopCommitMessage", {}), { stopped: true });
		assert.equal((await writing).outcome, "stopped");
		assert.equal(box().value, "Light the");
		assert.deepEqual(await run("chat.undoCommitMessage", {}), { undone: true });
		assert.equal(box().value, "about the lamp");
		assert.deepEqual(await run("chat.undoCommitMessage", {}), { undone: false });
	});

	it("give way to a person who types meanwhile", async () => {
		const dictated = await dictate();
		await writeFile(join(folder, "lamp.ts"), "lit\n");
		const writing = write();
		await dictated.begun();
		dictated.say("Light ");
		await until(() => box().value !== "", "words in the box");
		box().value = "my own words";
		dictated.say("the lamp");
		assert.equal((await writing).outcome, "stopped");
		assert.equal(box().value, "my own words");
		assert.deepEqual(await run("chat.undoCommitMessage", {}), { undone: false });
	});
});
