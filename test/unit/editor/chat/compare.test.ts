import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uri } from "vscode";
import { TEXT_SCHEME } from "#app/contributions.ts";
import type { ShownTexts } from "#editor/shown-texts.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";

class TabInputTextDiff {
	readonly original: Pick<Uri, "path">;
	readonly modified: Partial<Uri>;

	constructor(original: Pick<Uri, "path">, modified: Partial<Uri>) {
		this.original = original;
		this.modified = modified;
	}
}

/** A range or a selection; the document answers with its text wherever it lies. */
class Range {
	readonly isEmpty = true;
	readonly start = 0;
	readonly end = 0;
}

const documentOf = (uri: Partial<Uri>, version = 1) => {
	return { uri, version, lineCount: 1, getText: () => (uri === inFront.modified ? "new" : "") };
};
const file = { path: "/a.ts" };
const inFront = new TabInputTextDiff(file, { scheme: TEXT_SCHEME, path: "/1/a.ts", query: "1" });
const { applyComparison, compareWithEditor } = await import("#editor/chat/compare.ts");

/**
 * An editor with a comparison in front and another file beside it, whose files can be changed or not and have this version;
 * gives what it did.
 */
function setUp({ takesEdits = false, version = 1 } = {}): unknown[] {
	const did: unknown[] = [];
	const other = { document: documentOf({ path: "/b.ts" }), viewColumn: 2, selection: new Range() };
	const activeTabGroup = { activeTab: { input: inFront } };
	fakeVscode({
		TabInputTextDiff,
		Range,
		Selection: Range,
		WorkspaceEdit: class {
			replace(uri: object, _: Range, text: string): void {
				did.push(uri, text);
			}
		},
		Uri: { from: (parts: object) => parts },
		commands: { executeCommand: async (_: string, original: object) => did.push(original) },
		workspace: {
			openTextDocument: async (uri: Partial<Uri>) => documentOf(uri, version),
			applyEdit: async () => takesEdits,
		},
		window: {
			visibleTextEditors: [other],
			showTextDocument: async () => undefined,
			tabGroups: { all: [], activeTabGroup, close: async () => did.push("closed") },
		},
	});
	return did;
}

test("code is compared again with the file of the comparison in front", async () => {
	const did = setUp();
	const kept: string[] = [];
	const texts: Pick<ShownTexts, "keep"> = {
		keep(_, text) {
			kept.push(text);
			return { path: "/2/a.ts" } as Uri;
		},
	};
	await compareWithEditor("new", texts as ShownTexts);
	assert.deepEqual([did, kept], [[file], ["new"]]);
});

test("applying a comparison puts the proposed text in the file and closes it", async () => {
	const did = setUp({ takesEdits: true });
	assert.equal(await applyComparison(), true);
	assert.deepEqual(did, [file, "new", "closed"]);
});

test("a comparison whose file has changed or cannot change stays open and says so", async () => {
	for (const [how, message] of [
		[{}, /could not be changed/],
		[{ takesEdits: true, version: 2 }, /has changed since/],
	] as const) {
		const did = setUp(how);
		await assert.rejects(applyComparison(), { code: "invalid", message });
		assert.ok(!did.includes("closed"));
	}
});
