import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { after, afterEach, before, describe, it } from "mocha";
import * as vscode from "vscode";
import type { RequestSummary } from "#editor/requests/request-commands.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { connectStore } from "../support/connected-store.ts";
import { requestsTo } from "../support/sandbox-requests.ts";
import { until } from "../support/until.ts";

const FAR = "9223372036854775807";
const EXACT = "9007199254740993";

interface Opened {
	readonly connection: string;
	readonly pet: string;
	readonly name: string | null;
	readonly status: string | null;
	readonly uri: string;
}

describe("a pet as a document in an editor", () => {
	let sandbox: Sandbox;
	let connection: string;
	before(async () => {
		({ sandbox, connection } = await connectStore("Documents"));
	});
	afterEach(async () => {
		sandbox.petstore.behave({});
		await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
		await vscode.commands.executeCommand("notifications.clearAll");
	});
	after(async () => {
		await run("removeConnection", { connection });
		await sandbox.close();
	});

	/** Asks the store as another program would, and gives what it said to the last digit. */
	const asOther = async (method: string, path: string, body?: string) => {
		const { apiKey, token } = sandbox.keys.petstore;
		const response = await fetch(`${sandbox.baseUrls.petstore}/v2${path}`, {
			method,
			headers: { api_key: apiKey, authorization: `Bearer ${token}`, "content-type": "application/json" },
			...(body === undefined ? {} : { body }),
		});
		return { status: response.status, text: await response.text() };
	};
	const stored = async (id: string) => (await asOther("GET", `/pet/${id}`)).text;
	const pet = (id: string, name: string, status = "available") =>
		`{"id":${id},"name":"${name}","photoUrls":[],"status":"${status}"}`;
	const put = async (text: string) => assert.equal((await asOther("PUT", "/pet", text)).status, 200);
	const open = async (id: string) => {
		const opened = await run<Opened>("petstore.openPet", { connection, pet: id, as: "json" });
		const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(opened.uri, true));
		// One that was open before shows its old text for a moment.
		const name = `"${opened.name}"`;
		if (!document.isDirty) await until(async () => document.getText().includes(name), `${name} is shown`);
		return { opened, document };
	};
	const replace = async (document: vscode.TextDocument, from: string | RegExp, to: string) => {
		const text = document.getText();
		const changed = text.replace(from, to);
		assert.notEqual(changed, text);
		const edit = new vscode.WorkspaceEdit();
		edit.replace(document.uri, new vscode.Range(document.positionAt(0), document.positionAt(text.length)), changed);
		assert.ok(await vscode.workspace.applyEdit(edit));
	};
	const writes = async () =>
		(await run<{ requests: readonly RequestSummary[] }>("requests.list", { connection })).requests.filter(
			({ method }) => method !== "GET",
		);

	it("opens as JSON, its id to the last digit, and is not taken for changed", async () => {
		const { opened, document } = await open(FAR);
		assert.deepEqual([opened.connection, opened.pet], [connection, FAR]);
		assert.equal(vscode.Uri.parse(opened.uri).scheme, "switchboard-pet");
		assert.equal(document.languageId, "json");
		assert.ok(document.getText().startsWith(`{\n  "id": ${FAR},\n`), document.getText());
		assert.equal(document.isDirty, false);
		const { uri } = await run<Opened>("petstore.openPetCard", { connection, pet: FAR });
		assert.equal(uri, opened.uri);
	});

	it("is saved with the exact id on the wire, and stays as the person laid it out", async () => {
		await put(pet(EXACT, "Ada"));
		const { document } = await open(EXACT);
		await run("requests.clear", {});
		await replace(document, document.getText(), `{"id": ${EXACT}, "photoUrls": [],\n\n"name": "Grace"}\n`);
		const typed = document.getText();
		assert.ok(await document.save());
		assert.equal(document.isDirty, false);
		assert.equal(document.getText(), typed);
		assert.equal(await stored(EXACT), `{"id":${EXACT},"name":"Grace","photoUrls":[]}`);
		const [request, ...others] = await writes();
		assert.deepEqual(others, []);
		const { copied } = await run<{ copied: string }>("requests.copyAsCurl", { request: request?.id });
		assert.ok(copied.includes(`{"id":${EXACT},"name":"Grace","photoUrls":[]}`), copied);
		// Saving what the store has already asks for no change.
		await vscode.commands.executeCommand("workbench.action.files.save");
		assert.equal((await writes()).length, 1);
	});

	it("is read and saved as UTF-8 where files.encoding is another one", async () => {
		const files = vscode.workspace.getConfiguration("files");
		await put(pet(EXACT, "Zoë"));
		assert.equal((await open(EXACT)).document.encoding, "utf8", "no byte order mark is shown");
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
		await files.update("encoding", "windows1252", true);
		try {
			await put(pet(EXACT, "Zoë Łódź"));
			const { document } = await open(EXACT);
			assert.match(document.getText(), /"Zoë Łódź"/);
			await replace(document, "Zoë", "Renée");
			assert.ok(await document.save());
			assert.equal(await stored(EXACT), pet(EXACT, "Renée Łódź"));
		} finally {
			await files.update("encoding", undefined, true);
		}
	});

	it("is left alone by Auto Save, and saved by an explicit Save", async () => {
		await put(pet(EXACT, "Rex"));
		const { document } = await open(EXACT);
		const files = vscode.workspace.getConfiguration("files");
		const settings = { autoSave: "afterDelay", autoSaveDelay: 100 };
		for (const [name, value] of Object.entries(settings)) await files.update(name, value, true);
		try {
			const asked = new Promise<vscode.TextDocumentSaveReason>((resolve) => {
				const listening = vscode.workspace.onWillSaveTextDocument(({ reason }) => {
					listening.dispose();
					resolve(reason);
				});
			});
			await replace(document, "Rex", "Tom");
			assert.equal(await asked, vscode.TextDocumentSaveReason.AfterDelay);
			// What it asked for has been refused by then.
			await delay(500);
			assert.equal(document.isDirty, true);
			assert.equal(await stored(EXACT), pet(EXACT, "Rex"));
			assert.equal(await document.save(), true);
			assert.equal(await stored(EXACT), pet(EXACT, "Tom"));
		} finally {
			for (const [name, value] of Object.entries({ autoSave: "off", autoSaveDelay: undefined })) {
				await files.update(name, value, true);
			}
		}
	});

	it("stays unsaved with the reason when a rule is broken, and nothing is sent", async () => {
		await put(pet(EXACT, "Rex"));
		const { document } = await open(EXACT);
		await run("requests.clear", {});
		for (const [from, to, reason] of [
			['"available"', '"lost"', /status must be one of available, pending, sold/i],
			['"lost"', "", /not JSON/],
			[/"status": \n/, '"status": "sold", "colour": "red"\n', /colour is not known/i],
			[EXACT, "9007199254740992", /id must stay 9007199254740993/i],
		] as const) {
			if (to.includes("9007199254740992")) await replace(document, ', "colour": "red"', "");
			await replace(document, from, to);
			assert.equal(await document.save(), false, to);
			assert.equal(document.isDirty, true);
			const bytes = new TextEncoder().encode(document.getText());
			await assert.rejects(async () => vscode.workspace.fs.writeFile(document.uri, bytes), reason);
		}
		assert.deepEqual(await writes(), []);
	});

	it("is not created again by a save after it was deleted elsewhere", async () => {
		await put(pet("1", "Rex"));
		const { document } = await open("1");
		await replace(document, "Rex", "Tom");
		const changes = () => requestsTo(sandbox, "updatePet").length;
		const before = changes();
		assert.equal((await asOther("DELETE", "/pet/1")).status, 200);
		assert.equal(await document.save(), false);
		assert.equal(document.isDirty, true);
		assert.equal(changes(), before, "a store may create a pet that is saved");
		assert.equal((await asOther("GET", "/pet/1")).status, 404);
	});

	it("is shown as it has become when a command has changed it", async () => {
		await put(pet(EXACT, "Rex"));
		const { document } = await open(EXACT);
		const edited = await run<Opened>("petstore.editPet", { connection, pet: EXACT, name: "Tom", status: "sold" });
		assert.deepEqual(edited, { connection, pet: EXACT, name: "Tom", status: "sold", confirmed: true });
		await until(async () => document.getText().includes('"Tom"'), "the new name is shown");
		assert.equal(document.isDirty, false);
		const undone = await run<Opened>("petstore.undoPetChange", { connection, pet: EXACT });
		assert.deepEqual(undone, { connection, pet: EXACT, name: "Rex", status: "available", undone: "edit" });
		await until(async () => document.getText().includes('"Rex"'), "the old name is shown");
		assert.equal(await stored(EXACT), pet(EXACT, "Rex"));
	});

	it("carries the names of pet and store, and stays open while the pet is renamed", async () => {
		await put(pet(EXACT, "Rex"));
		const { opened, document } = await open(EXACT);
		assert.equal(document.uri.path, "/Documents/Rex.json");
		await replace(document, '"available"', '"sold"');
		await run("petstore.editPet", { connection, pet: EXACT, name: "Tom" });
		assert.equal((await open(EXACT)).opened.uri, opened.uri);
		assert.deepEqual([document.isDirty, document.isClosed], [true, false]);
		await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		assert.equal(vscode.Uri.parse((await open(EXACT)).opened.uri).path, "/Documents/Tom.json");
	});

	it("says when its store is gone", async () => {
		const query = `petstore-gone/pet/${EXACT}`;
		const uri = vscode.Uri.from({ scheme: "switchboard-pet", path: "/Store/Rex.json", query });
		await assert.rejects(async () => vscode.workspace.fs.stat(uri), /no longer connected\. Add the store again/);
	});

	it("that was not changed and is in front lets Undo touch no other pet unasked", async () => {
		await put(pet("2", "Ada"));
		await run("petstore.editPet", { connection, pet: "2", name: "Eve" });
		await put(pet("3", "Rex"));
		const { document } = await open("3");
		await vscode.window.showTextDocument(document);
		assert.equal(await run("petstore.undoPetChange"), undefined);
		assert.equal(await stored("2"), pet("2", "Eve"));
	});

	it("that is new is added by its first save, and replaced by the pet's own document", async () => {
		const { uri } = await run<{ uri: string }>("petstore.newPet", { connection });
		const fresh = vscode.Uri.parse(uri, true);
		const document = await vscode.workspace.openTextDocument(fresh);
		await run("requests.clear", {});
		assert.equal(await document.save(), true);
		await replace(document, '"status": "available"', '"status": "gone"');
		assert.equal(await document.save(), false);
		assert.deepEqual(await writes(), []);
		await replace(document, '"name": ""', '"name": "Newcomer"');
		await replace(document, '"status": "gone"', '"status": "pending"');
		assert.ok(await document.save());
		const shown = () => vscode.window.activeTextEditor?.document;
		await until(async () => /\/Newcomer\.json$/.test(shown()?.uri.path ?? ""), "the pet itself is shown");
		const own = shown() ?? assert.fail();
		assert.equal(own.isDirty, false);
		const { id } = JSON.parse(own.getText());
		assert.deepEqual(JSON.parse(await stored(id)), {
			id,
			name: "Newcomer",
			photoUrls: [],
			tags: [],
			status: "pending",
		});
		const { requests } = await run<{ requests: RequestSummary[] }>("requests.list", { connection });
		// How many there are of each status may be asked again at any time.
		const ofPets = requests.filter(({ path }) => !path.endsWith("/inventory"));
		assert.deepEqual(
			ofPets.slice(-2).map(({ method, path, status }) => `${method} ${path.split("/v2")[1]} ${status}`),
			["POST /pet 200", `GET /pet/${id} 404`],
		);
		const tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
		await until(async () => !tabs().some((label) => label.startsWith("New Pet")), "the new one's tab is gone");
		await replace(own, "Newcomer", "Resident");
		assert.ok(await own.save());
		assert.equal(JSON.parse(await stored(id)).name, "Resident");
	});

	it("has completion, hovers and marks by its schema", async () => {
		await put(pet(EXACT, "Rex"));
		const { document } = await open(EXACT);
		const at = (text: string) => document.positionAt(document.getText().indexOf(text) + 2);
		const hover = async () => {
			const found = await vscode.commands.executeCommand<vscode.Hover[]>(
				"vscode.executeHoverProvider",
				document.uri,
				at('"status"'),
			);
			const texts = found.flatMap(({ contents }) =>
				contents.map((each) => (typeof each === "string" ? each : each.value)),
			);
			return texts.join("\n");
		};
		await until(async () => (await hover()).includes("status in the store"), "the schema explains the status");
		const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
			"vscode.executeCompletionItemProvider",
			document.uri,
			at('"available"'),
		);
		const labels = items.map(({ label }) => (typeof label === "string" ? label : label.label));
		for (const status of ["available", "pending", "sold"]) assert.ok(labels.includes(`"${status}"`), String(labels));
		// Whether the store has told of a status no schema can know: saving decides.
		await replace(document, '"available"', '"lost"');
		await replace(document, '"Rex"', "5");
		const marks = () => vscode.languages.getDiagnostics(document.uri);
		await until(async () => marks().length > 0, "the wrong name is marked");
		assert.deepEqual(
			marks().map(({ range }) => document.getText(range)),
			["5"],
		);
	});
});
