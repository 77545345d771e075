import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import * as vscode from "vscode";
import { PASSWORD_MASK } from "#app/petstore/user-text.ts";
import type { Sandbox } from "#sandbox/sandbox.ts";
import { refused, run } from "../support/checked-run.ts";
import { connectStore } from "../support/connected-store.ts";
import { withField } from "../support/misbehavior.ts";
import { until } from "../support/until.ts";

interface Order {
	readonly id: string;
	readonly petId: string;
	readonly status: string;
}

interface Created {
	readonly created: string[];
}

/** The document in front, which must be one of a pet store. */
function shown(): vscode.TextDocument {
	const document = vscode.window.activeTextEditor?.document;
	assert.equal(document?.uri.scheme, "switchboard-store");
	return document ?? assert.fail();
}

/** Writes something else into a document, as a person does, without saving it. */
async function replace(document: vscode.TextDocument, [before, after]: readonly [string, string]): Promise<void> {
	const text = document.getText();
	assert.ok(text.includes(before), text);
	const edit = new vscode.WorkspaceEdit();
	const whole = new vscode.Range(document.positionAt(0), document.positionAt(text.length));
	edit.replace(document.uri, whole, text.replace(before, after));
	assert.ok(await vscode.workspace.applyEdit(edit));
}

describe("the store of a pet store in an editor", () => {
	let sandbox: Sandbox;
	let connection: string;
	before(async () => {
		({ sandbox, connection } = await connectStore("Shop"));
		await run("requests.clear", {});
	});
	after(async () => {
		await run("removeConnection", { connection });
		await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		await vscode.commands.executeCommand("workbench.action.closeAllEditors");
		await sandbox.close();
	});
	const call = async <T>(operation: string, params?: object): Promise<T> =>
		(await run<{ data: T }>("petstore.call", { connection, operation, params: params ?? {} })).data;
	const logIn = (username: string, password: string) =>
		run<object>("petstore.logIn", { connection, username, password });

	it("places an order, shows it read-only and deletes it", async () => {
		const petId = "9223372036854775807";
		const { order } = await run<{ order: Order }>("petstore.placeOrder", { connection, petId, quantity: 3 });
		assert.equal(order.id, "4");
		const opened = await run<{ order: Order }>("petstore.openOrder", { connection, id: order.id });
		assert.equal(opened.order.petId, petId);
		assert.match(shown().getText(), /"petId": 9223372036854775807,/);
		assert.equal(shown().languageId, "json");
		assert.equal(vscode.workspace.fs.isWritableFileSystem("switchboard-store"), true);
		const stat = await vscode.workspace.fs.stat(shown().uri);
		assert.equal(stat.permissions, vscode.FilePermission.Readonly);
		assert.deepEqual(await run("petstore.deleteOrder", { connection, id: "4" }), { deleted: "4", confirmed: true });
		await refused(run("petstore.openOrder", { connection, id: 4 }), /not found/i);
	});

	it("creates the users of a CSV document, and of none where one has a mistake", async () => {
		const text = "username,Password,email,userStatus\ngrace2,hopper-12345,g@x.org,1\nlin2,,,\n";
		const created = await run<Created>("petstore.createUsers", { connection, text, format: "csv" });
		assert.deepEqual(created.created, ["grace2", "lin2"]);
		const { user } = await run<{ user: Record<string, unknown> }>("petstore.openUser", {
			connection,
			username: "grace2",
		});
		assert.equal(user["email"], "g@x.org");
		assert.equal(user["password"], undefined);
		const broken = { connection, text: "username,userStatus\nnew-one,1\nnew-two,many\n", format: "csv" };
		await refused(run("petstore.createUsers", broken), /line 3, userStatus must be a whole number/);
		await refused(run("petstore.openUser", { connection, username: "new-one" }), /not found/i);
	});

	it("applies a user's document when saved, and keeps a password left masked", async () => {
		await run("petstore.openUser", { connection, username: "grace2" });
		const document = shown();
		assert.ok(document.getText().includes(PASSWORD_MASK));
		assert.ok(!document.getText().includes("hopper"));
		await replace(document, ["g@x.org", "grace@navy.example"]);
		assert.ok(await document.save());
		const user = await call<{ email: string }>("getUserByName", { username: "grace2" });
		assert.equal(user.email, "grace@navy.example");
		await logIn("grace2", "hopper-12345");
	});

	it("sets a password that was typed, and hides it once saved, even from undo", async () => {
		const document = shown();
		await replace(document, [PASSWORD_MASK, "enchantress-7"]);
		assert.ok(await document.save());
		await until(async () => document.isClosed, "the document with the password is closed");
		const front = () => vscode.window.activeTextEditor?.document.getText() ?? "";
		await until(async () => front().includes(PASSWORD_MASK), "the mask");
		for (let steps = 0; steps < 4; steps++) {
			await vscode.commands.executeCommand("undo");
			assert.ok(front().includes(PASSWORD_MASK) && !front().includes("enchantress"), `${steps} steps back`);
		}
		assert.equal(shown().isDirty, false);
		await logIn("grace2", "enchantress-7");
		await refused(logIn("grace2", "hopper-12345"), /400|invalid/i);
	});

	it("leaves a document unsaved where the store, or a rule, is against it", async () => {
		const document = shown();
		await replace(document, ['"grace@navy.example"', "7"]);
		assert.equal(await document.save(), false);
		assert.ok(document.isDirty);
		const says = () => vscode.languages.getDiagnostics(document.uri).map(({ message }) => message);
		await until(async () => says().some((message) => /type/i.test(message)), "the schema's word on the email");
		await replace(document, ["7,", '"grace@fleet.example",']);
		sandbox.petstore.behave({ on: ["updateUser"], fail: { status: 500 } });
		assert.equal(await document.save(), false);
		assert.ok(document.isDirty);
		sandbox.petstore.behave({}, withField("password", "********"));
		assert.equal(await document.save(), false, "the store tells no password");
		assert.ok(document.isDirty);
		sandbox.petstore.behave({});
		assert.ok(await document.save());
		const user = await call<{ email: string }>("getUserByName", { username: "grace2" });
		assert.equal(user.email, "grace@fleet.example");
	});
});
