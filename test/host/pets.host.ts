import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

	it("are exported as a list, and what an import of it adds is undone", async () => {
		const list = await run<{ pets: number; text: string }>("petstore.exportPets", { connection, status: "sold" });
		assert.equal((JSON.parse(list.text) as readonly unknown[]).length, list.pets);
		const csv = await run<{ text: string }>("petstore.exportPets", { connection, format: "csv", text: "<b>" });
		assert.equal(csv.text.split("\r\n").length, 3, csv.text);
		const path = join(await mkdtemp(join(tmpdir(), "pets-")), "PETS.CSV");
		const file = await run<{ format: string }>("petstore.exportPets", { connection, path });
		await rm(dirname(path), { recursive: true });
		assert.equal(file.format, "csv");
		const imported = await run<{ added: string[]; skipped: number }>("petstore.importPets", {
			connection,
			text: `${csv.text}777,Late,sold,,,\n`,
		});
		assert.deepEqual([imported.added, imported.skipped], [["777"], 1]);
		const undone = await run<{ undone: string }>("petstore.undoPetChange", {});
		assert.equal(undone.undone, "add");
		assert.equal(sandbox.petstore.store.pets.has(777n), false);
	});

	it("are duplicated as a document with all but the id, which is not saved yet", async () => {
		await run("petstore.duplicatePet", { connection, pet: 1 });
		const { document, selection } = vscode.window.activeTextEditor ?? assert.fail("a document");
		const { id, ...copy } = JSON.parse(document.getText()) as Record<string, unknown>;
		const { id: _, ...pet } = sandbox.petstore.store.pets.get(1n) ?? assert.fail("a pet");
		assert.deepEqual([id, copy["name"], copy["status"]], [undefined, pet.name, pet.status]);
		assert.deepEqual([document.isDirty, document.getText(selection)], [true, pet.name]);
		await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
	});
});
