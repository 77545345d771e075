import assert from "node:assert/strict";
import { test } from "node:test";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { until } from "../../../support/until.ts";

const { showIssuePage } = await import("#editor/codehost/issue-pages.ts");

test("a link to another issue opens it here, and one to a comment the browser", async (context) => {
	const { repositories, lists, registry, sandbox } = await codehostWindow(context);
	const repository = await repositories.add({ connection: ADA, repository: "exchange/paging" });
	await lists.of(repository).load();
	const issue = lists.of(repository).issues[0] ?? assert.fail("no issue");
	const opened: string[] = [];
	fakeVscode({
		Uri: { joinPath: () => "", parse: (address: string) => address },
		env: { openExternal: async (address: string) => opened.push(address) },
		commands: {
			executeCommand: async (_: string, { fields }: { fields: { number: number } }) => opened.push(`#${fields.number}`),
		},
	});
	const views: object[] = [];
	let click = (_: object): unknown => assert.fail("no page");
	const webview = {
		postMessage: (view: object) => views.push(view),
		onDidReceiveMessage: (listener: typeof click) => (click = listener),
		asWebviewUri: (uri: unknown) => uri,
	};
	const panel = { webview, onDidDispose: (close: () => void) => context.after(close) };
	const documents = { read: async () => ({ repository, issue }), latest: () => undefined, keep: () => undefined };
	showIssuePage(
		{ path: "" } as never,
		panel as never,
		{ documents, lists, repositories, registry } as never,
		"" as never,
	);
	await until(() => views.length > 1, "the page");
	const page = `${sandbox.baseUrls.codehost}/web/exchange/paging/issues`;
	const own = `${page}/${issue.number}`;
	const links = [`${page}/3`, `${page}/3#issuecomment-7`, own, `${page}/3/events`, "https://code.example/"];
	for (const url of links) click({ type: "open-link", url });
	await until(() => opened.length === links.length, "the links");
	assert.deepEqual(opened.toSorted(), ["#3", "#3", ...links.filter((url) => !/\/3(?:$|\/)/.test(url))].toSorted());
});
