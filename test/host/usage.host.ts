import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { readShownText } from "../support/shown-rows.ts";
import { until } from "../support/until.ts";

/** A name that a spreadsheet would take for a formula. */
const LABEL = "=Usage";

interface Sums {
	readonly replies: number;
	readonly outputTokens: number;
}

interface Usage {
	readonly total: Sums;
	readonly connection: Readonly<Record<string, Sums>>;
}

const show = () => run<Usage>("usage.show", { period: "today" });

describe("the usage of replies in an editor", () => {
	let sandbox: Sandbox;
	let connection: string;
	let folder: string;
	const send = (text: string) => run("chat.send", { text, connection, conversation: "usage" });
	/** Replies in the row of the connection: its name, tokens, cost and replies. */
	const onPage = async () => (await readShownText("tr")).split(LABEL)[1]?.trim().split(/\s+/)[2];

	before(async () => {
		folder = await mkdtemp(join(tmpdir(), "switchboard-usage-"));
		sandbox = await startSandbox({ messages: { wordDelayMs: 1 } });
		const { baseUrls, keys } = sandbox;
		const address = { service: "messages", baseUrl: baseUrls.messages, key: keys.messages, model: "sandbox" };
		connection = (await run<{ id: string }>("addConnection", { ...address, label: LABEL })).id;
	});
	after(async () => {
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
		await run("chat.delete", { conversation: "usage" });
		await run("removeConnection", { connection });
		await sandbox.close();
		await rm(folder, { recursive: true });
	});

	it("is shown by connection, and again after the next reply while the page is open", async () => {
		await send("Hello");
		await until(async () => (await show()).connection[connection]?.replies === 1, "the reply in the ledger");
		await until(async () => (await onPage()) === "1", "the page");
		await send("Hello again");
		await until(async () => (await onPage()) === "2", "two replies");
	});

	it("is exported with a row a reply, without formulas", async () => {
		const path = join(folder, "usage.csv");
		const { replies } = await run<{ replies: number }>("usage.export", { period: "today", path });
		const [header, ...rows] = (await readFile(path, "utf8")).trimEnd().split("\r\n");
		assert.match(header ?? "", /^Time \(UTC\),Connection,Model,/);
		assert.equal(rows.length, replies);
		assert.equal(rows.filter((row) => row.includes(`,'${LABEL},sandbox,`)).length, 2);
	});
});
