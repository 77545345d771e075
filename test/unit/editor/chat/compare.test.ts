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

const documentOf = (uri: Pick<Uri, "path">) => ({ uri, version: 1, lineCount: 1, getText: () => "" });
const file = { path: "/a.ts" };
const document = documentOf(file);
const inFront = new TabInputTextDiff(file, { scheme: TEXT_SCHEME, path: "/1/a.ts", query: "1" });
const { applyComparison, compareWithEditor } = await import("#editor/chat/compare.ts");

/** An editor whose files cannot be changed, with a comparison in front and another file beside it; gives what it did. */
function setUp(): unknown[] {
	const did: unknown[] = [];
	const other = { document: documentOf({ path: "/b.ts" }), viewColumn: 2, selection: new Range() };
	const activeTabGroup = { activeTab: { input: inFront } };
	fakeVscode({
		...{ TabInputTextDiff, Range, Selection: Range },
		WorkspaceEdit: class {
			replace(): void {}
		},
		Uri: { from: (parts: object) => parts },
		commands: { executeCommand: async (_: string, original: object) => did.push(original) },
		workspace: { openTextDocument: async () => document, applyEdit: async () => false },
		window: {
			visibleTextEditors: [other],
			tabGroups: { all: [], activeTabGroup, close: async () => did.push("closed") },
		},
	});
	return did;
}

test("code is compared again with the file of the comparison in front, whatever else is in sight", async () => {
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

test("a comparison whose file cannot be changed stays open, and says so", async () => {
	const did = setUp();
	await assert.rejects(applyComparison(), { code: "invalid", message: /could not be changed/ });
	assert.deepEqual(did, []);
});
