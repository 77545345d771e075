import assert from "node:assert/strict";
import { test } from "node:test";
import { DisposableStore } from "#base/disposables.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";

const { provideReferences } = await import("#editor/codehost/references.ts");

/** Part of the provider of a terminal's links. */
interface Links {
	provideTerminalLinks(line: object): Promise<readonly { readonly startIndex: number }[]>;
}

test("a number alone leads to the only repository unless git is not told", async (context) => {
	const { repositories, lists } = await codehostWindow(context);
	await repositories.add({ connection: ADA, repository: "exchange/paging" });
	const on = { enabled: true, getAPI: () => ({ state: "initialized", getRepository: () => null }) };
	const linksIn = async (path: string, workspaceFolders: readonly object[], isTrusted: boolean, git?: object) => {
		const held = new DisposableStore();
		const nothing = () => new DisposableStore();
		const kinds = ["DocumentLink", "Hover", "CompletionItem"].map((kind) => [`register${kind}Provider`, nothing]);
		const given: Links[] = [];
		const registerTerminalLinkProvider = (links: Links) => {
			given.push(links);
			return nothing();
		};
		fakeVscode({
			commands: { registerCommand: nothing },
			languages: Object.fromEntries(kinds),
			window: { registerTerminalLinkProvider },
			workspace: { isTrusted, workspaceFolders },
			extensions: { getExtension: () => git && { isActive: true, exports: git } },
		});
		provideReferences(repositories, lists, held);
		const terminal = { shellIntegration: { cwd: { path } } };
		const found = await given[0]?.provideTerminalLinks({ line: "see #12 or exchange/paging#3", terminal });
		held.dispose();
		return found?.map(({ startIndex }) => startIndex);
	};
	const [folder, both, named] = [[{ uri: { path: "/a" } }], [4, 11], [11]];
	assert.deepEqual(await linksIn("/a", folder, true, on), both);
	assert.deepEqual(await linksIn("/a", [], true, undefined), both);
	assert.deepEqual(await linksIn("/a", folder, true, undefined), named);
	assert.deepEqual(await linksIn("/a", folder, true, { ...on, enabled: false }), named);
	assert.deepEqual(await linksIn("/a", folder, false, on), named);
	assert.deepEqual(await linksIn("/a/node_modules/lamp", folder, true, on), named);
});
