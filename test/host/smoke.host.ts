import assert from "node:assert/strict";
import { describe, it } from "mocha";
import * as vscode from "vscode";
import manifest from "../../package.json" with { type: "json" };

const extension = () => vscode.extensions.getExtension(`${manifest.publisher}.${manifest.name}`);

describe("the extension in an editor", () => {
	it("activates without being asked for anything else", async () => {
		await extension()?.activate();
		assert.equal(extension()?.isActive, true);
	});

	it("registers every command that its manifest promises", async () => {
		await extension()?.activate();
		const registered = new Set(await vscode.commands.getCommands(true));
		const promised = manifest.contributes.commands.map(({ command }) => command);
		assert.deepEqual(
			promised.filter((command) => !registered.has(command)),
			[],
		);
	});
});
