import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DisposableStore } from "#base/disposables.ts";
import { Redactor } from "#base/redaction.ts";
import { ADA, codehostWindow } from "../../support/codehost-window.ts";
import { fakeVscode } from "../../support/fake-vscode.ts";
import { withBody } from "../../support/misbehavior.ts";

const { draggedLinks, ISSUE_COMMANDS } = await import("#editor/codehost/issue-commands.ts");
const { issueDocuments } = await import("#editor/codehost/issue-documents.ts");
const { syntheticRow } = await import("#editor/kit/tree.ts");
const { redactExits } = await import("#editor/kit/leaving.ts");

/** A window with a loaded list of issues with these fields, its rows by number, and a way to copy some. */
async function opened(context: TestContext, fields = {}) {
	const window = await codehostWindow(context);
	window.sandbox.codehost.behave(
		{},
		withBody((body) => (Array.isArray(body) ? body.map((each) => ({ ...each, ...fields })) : body)),
	);
	const { lists, repositories } = window;
	const repository = await repositories.add({ connection: ADA, repository: "exchange/paging" });
	await lists.of(repository).load();
	window.requests.length = 0;
	const held = new DisposableStore();
	context.after(() => held.dispose());
	const screen = { follow: () => assert.fail("a search"), changed: { fire: () => undefined } };
	const room = { ...window, documents: issueDocuments(lists, repositories, screen, held) };
	const copied: string[] = [];
	const writeText = async (text: string) => copied.push(text);
	fakeVscode({ workspace: { textDocuments: [] }, env: { clipboard: { writeText } } });
	const copy = async (part: string, rows: readonly object[]) => {
		const id = `switchboard.codehost.copyIssue${part}`;
		const { run } = ISSUE_COMMANDS.find((each) => each.id === id) ?? assert.fail(id);
		await Reflect.apply(run, undefined, [{ row: rows[0], rows }, room, ""]);
		return copied.at(-1) ?? "";
	};
	const row = (number: number) => syntheticRow({ ...repository, number });
	return { ...window, room, repository, copy, row };
}

test("selected issues are copied a line each, and one in two groups once", async (t) => {
	const { copy, row, repository, requests } = await opened(t);
	const rows = [row(250), row(249), syntheticRow(repository), row(250)];
	assert.equal(await copy("Number", rows), "#250\n#249");
	assert.match(
		await copy("MarkdownLink", rows),
		/^\[exchange\/paging#250 Report 250 [^\]]+\]\(http:\S+250\)\n\[exchange\/paging#249 .+249\)$/,
	);
	assert.equal(requests.length, 0);
});

test("dragged issues are Markdown links, and other rows are no text", async (t) => {
	const { room, row, repository } = await opened(t);
	const text = await draggedLinks([syntheticRow(repository), row(250), {}], room);
	assert.match(text, /^\[exchange\/paging#250 .+\/issues\/250\)$/);
	assert.equal(await draggedLinks([syntheticRow({ pet: "12" })], room), "");
});

test("a secret that a title holds is not copied, escaped or not", async (t) => {
	const secret = "key_with_marks_0123456789";
	const { copy, row, redactor } = await opened(t, { title: `My ${secret} leaked` });
	redactExits(redactor);
	t.after(() => redactExits(new Redactor()));
	redactor.register(secret);
	for (const part of ["Title", "MarkdownLink"]) {
		const copied = await copy(part, [row(250)]);
		assert.match(copied, /My .+ leaked/);
		assert.doesNotMatch(copied, /0123456789/);
	}
});
