import assert from "node:assert/strict";
import { after, describe, it } from "mocha";
import * as vscode from "vscode";
import { readOwnFile, run } from "../support/checked-run.ts";

describe("the guide to automation in an editor", () => {
	after(async () => {
		const { connections } = await run<{ connections: Record<string, string> }>("trySandbox", {});
		for (const connection of Object.values(connections)) await run("removeConnection", { connection });
	});

	it("has examples that run as they stand, one after the other", async () => {
		const page = await readOwnFile("docs/automation.md");
		const code = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, block]) => block);
		assert.ok(code.length >= 6);
		const printed: unknown[] = [];
		const example = new Function("vscode", "console", `return (async () => {${code.join("\n")}})();`);
		await example(vscode, { log: (...values: unknown[]) => printed.push(...values) });
		assert.deepEqual(
			printed.filter((value) => value === undefined || value === null || value === ""),
			[],
		);
	});
});
