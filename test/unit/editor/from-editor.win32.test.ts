import assert from "node:assert/strict";
import { test } from "node:test";
import { fakeVscode } from "../../support/fake-vscode.ts";
import { importOnWindows } from "../../support/on-windows.ts";

const { fileSnapshot } = (await importOnWindows("editor/from-editor.ts")) as typeof import("#editor/from-editor.ts");

type Uri = Parameters<typeof fileSnapshot>[0];

/** The file of a folder of the workspace, which is open in the editor. */
function open(folder: string, file: string): Promise<{ readonly text: string }> {
	const uriOf = (fsPath: string) =>
		({ scheme: "file", fsPath, path: fsPath, toString: () => fsPath }) as unknown as Uri;
	const uri = uriOf(file);
	fakeVscode({
		workspace: {
			workspaceFolders: [{ uri: uriOf(folder) }],
			getWorkspaceFolder: () => ({ uri: uriOf(folder) }),
			asRelativePath: () => file,
			textDocuments: [{ uri, getText: () => "text", languageId: "plaintext" }],
		},
		// No answer to the question if a link out of the workspace is meant.
		window: { showWarningMessage: () => Promise.resolve(undefined) },
	});
	return fileSnapshot(uri);
}

test("on Windows a file of the workspace is attached without a question", async () => {
	for (const [folder, file] of [
		["C:\\work", "C:\\work\\a.txt"],
		["C:\\", "C:\\a.txt"],
		["\\\\server\\share", "\\\\server\\share\\a.txt"],
		["C:\\work", "C:\\work\\..hidden\\a.txt"],
		["c:\\Work", "C:\\work\\a.txt"],
	] as const) {
		assert.equal((await open(folder, file)).text, "text", file);
	}
});

test("on Windows a link out of the workspace is asked about", async () => {
	for (const file of ["C:\\worker\\a.txt", "D:\\work\\a.txt", "C:\\a.txt", "\\\\server\\share\\a.txt"]) {
		await assert.rejects(open("C:\\work", file), { code: "aborted" }, file);
	}
});
