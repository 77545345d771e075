import assert from "node:assert/strict";
import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { test } from "node:test";
import { storageFolder } from "../../support/chat-window.ts";
import { fakeVscode } from "../../support/fake-vscode.ts";

const { fileSnapshot } = await import("#editor/from-editor.ts");

const uriOf = (fsPath: string) => ({ scheme: "file", fsPath, path: fsPath, toString: () => fsPath }) as never;

test("a link out of the workspace is attached once the person has seen its target", async (context) => {
	// The folder for temporary files is often reached by a link or a short name.
	const folder = await realpath(await storageFolder(context));
	// The workspace itself may be reached by a link.
	const [real, root, outside] = [join(folder, "real"), join(folder, "root"), join(folder, "secret.txt")];
	await mkdir(real);
	await symlink(real, root, "junction");
	await writeFile(outside, "private words");
	await writeFile(join(real, "notes.md"), "words");
	await symlink(outside, join(root, "link.md"));
	await symlink(folder, join(root, "up"), "junction");
	const asked: string[] = [];
	let answer: string | undefined;
	const open = (path: string) => ({ uri: uriOf(path), getText: () => "words", languageId: "text" });
	const paths = ["notes.md", "link.md", join("up", "secret.txt")].map((name) => join(root, name));
	fakeVscode({
		workspace: {
			textDocuments: paths.map(open),
			workspaceFolders: [{ uri: uriOf(root) }],
			getWorkspaceFolder: ({ fsPath }: { fsPath: string }) => fsPath.startsWith(root + sep) || undefined,
			asRelativePath: ({ fsPath }: { fsPath: string }) => fsPath.slice(root.length + 1),
		},
		window: {
			async showWarningMessage(text: string) {
				asked.push(text);
				return answer;
			},
		},
	});
	const [inside = "", ...links] = paths;
	assert.equal((await fileSnapshot(uriOf(inside))).label, "notes.md");
	assert.deepEqual(asked, []);
	for (const link of links) {
		answer = undefined;
		await assert.rejects(fileSnapshot(uriOf(link)), { code: "aborted" });
		answer = "Attach";
		assert.equal((await fileSnapshot(uriOf(link))).label, outside);
		assert.match(String(asked.splice(0)), /is a link to .*secret\.txt\. Attach it\?/);
	}
});
