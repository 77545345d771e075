import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { droppedFile } from "#editor/petstore/photo-commands.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { connectStore } from "../support/connected-store.ts";
import { until } from "../support/until.ts";

const run = <T>(command: string, argument?: object): Thenable<T> =>
	vscode.commands.executeCommand<T>(`switchboard.${command}`, argument);

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("the pets of a store in an editor", () => {
	let sandbox: Sandbox;
	let connection: string;
	before(async () => {
		({ sandbox, connection } = await connectStore("Pets"));
	});
	after(async () => {
		await run("removeConnection", { connection });
		await sandbox.close();
	});
	it("get a photo, which is shown only on request, as a read-only file", async () => {
		const uploaded = await run<{ pet: string; bytes: number }>("petstore.uploadPhoto", {
			connection,
			pet: 9001,
			name: "pixel.png",
			base64: PIXEL,
		});
		assert.deepEqual([uploaded.pet, uploaded.bytes], ["9001", Buffer.from(PIXEL, "base64").length]);
		const shown = await run<{ url: string; type: string; bytes: number }>("petstore.previewPhoto", {
			connection,
			pet: "9001",
		});
		assert.deepEqual([shown.type, shown.bytes], ["image/png", uploaded.bytes]);
		assert.ok(shown.url.endsWith("upload-9001-1.png"));
		const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs);
		const find = () => {
			const inputs = tabs().map(({ input }) => input);
			const custom = inputs.filter((each) => each instanceof vscode.TabInputCustom);
			return custom.find(({ uri }) => uri.scheme === "switchboard-photo")?.uri;
		};
		await until(async () => find() !== undefined, "the photo");
		const uri = find() ?? assert.fail("the photo is in an editor of pictures");
		assert.deepEqual(Buffer.from(await vscode.workspace.fs.readFile(uri)), Buffer.from(PIXEL, "base64"));
		await assert.rejects(async () => vscode.workspace.fs.writeFile(uri, new Uint8Array(1)));
		await assert.rejects(async () => vscode.workspace.fs.stat(uri.with({ path: "/0/gone.png" })));
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
	});

	it("say to drop a file where something else was dropped", async () => {
		const drop = (...items: readonly (readonly [type: string, text: string])[]) => {
			const dropped = new vscode.DataTransfer();
			for (const [type, text] of items) dropped.set(type, new vscode.DataTransferItem(text));
			return droppedFile(dropped);
		};
		const missing = { code: "invalid", field: "file", message: /file is missing: drop a picture/ };
		await assert.rejects(drop(["text/uri-list", "https://pets.example/a.png\r\n"]), missing);
		await assert.rejects(drop(["text/plain", "a.png"]), missing);
		const [folder = assert.fail("a folder")] = vscode.workspace.workspaceFolders ?? [];
		const notes = String(vscode.Uri.joinPath(folder.uri, "notes.md"));
		const file = await drop(["text/uri-list", `https://pets.example/a.png\r\n${notes}`]);
		assert.deepEqual([file.name, new TextDecoder().decode(file.bytes)], ["notes.md", "# Notes\n"]);
	});
});
