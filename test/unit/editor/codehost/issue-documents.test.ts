import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { TextDocument, Uri } from "vscode";
import { ISSUE_SCHEME } from "#app/contributions.ts";
import { DisposableStore } from "#base/disposables.ts";
import type { Doing } from "#editor/progress.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { lean } from "../../../support/misbehavior.ts";
import { requestsTo } from "../../../support/sandbox-requests.ts";

const { issueAddress, issueDocuments } = await import("#editor/codehost/issue-documents.ts");

/** A window in which the first issue of a repository is open as a document, and the documents that were called old. */
async function opened(context: TestContext) {
	const parts = await codehostWindow(context);
	const repository = await parts.repositories.add({ connection: ADA, repository: "exchange/paging" });
	const list = parts.lists.of(repository);
	const old: Uri[] = [];
	const open = new Map<Uri, Pick<TextDocument, "uri" | "getText">>();
	const textDocuments = { [Symbol.iterator]: () => open.values() };
	fakeVscode({ workspace: { textDocuments }, Uri: { from: (parts: object) => parts } });
	const progress = { titles: [] as string[], lines: [] as string[], stop: new AbortController() };
	const held = new DisposableStore();
	const screen: Parameters<typeof issueDocuments>[2] = {
		changed: { fire: (uri) => old.push(uri) },
		follow(title, run) {
			progress.titles.push(title);
			const { signal } = progress.stop;
			const doing: Doing = { signal, onWait: () => undefined, tell: (line) => progress.lines.push(line) };
			return run(signal, doing);
		},
	};
	const documents = issueDocuments(parts.lists, parts.repositories, screen, held);
	context.after(() => held.dispose());
	await list.load();
	const [first] = list.issues;
	assert.ok(first !== undefined);
	const uri = issueAddress(await documents.find(repository, first.number));
	const show = async (address: Uri) => {
		const said = await documents.text(address);
		open.set(address, { uri: address, getText: () => said });
		return said;
	};
	const text = await show(uri);
	assert.deepEqual(progress.titles, [], "it was loaded");
	return { ...parts, repository, list, documents, show, open, old, uri, text, progress };
}

/** Address of a document as the editor restores it. */
function addressOf(name: string, number: number): Uri {
	return { scheme: ISSUE_SCHEME, path: `/${name}/#${number}.md`, query: ADA } as Uri;
}

/** The same, and a document of an issue far down in a large repository, as the editor asks for one after a restart. */
async function restored(context: TestContext, number = 17) {
	const parts = await opened(context);
	const archive = await parts.repositories.add({ connection: ADA, repository: "exchange/archive" });
	return { ...parts, archive, far: addressOf(archive.repository, number) };
}

test("a restored document is searched on a few pages, then says what to do", async (context) => {
	const { sandbox, show, far, progress } = await restored(context);
	const requests = requestsTo(sandbox, "codehost").length;
	const text = await show(far);
	assert.match(text, /not among the first 1000 issues/);
	assert.match(text, /run "Switchboard: Open Issue" and enter 17\.$/m);
	assert.ok(requestsTo(sandbox, "codehost").length - requests <= 11);
	assert.match(progress.titles.join(), /#17 of exchange\/archive/);
	assert.deepEqual(progress.lines.slice(0, 2), ["100 issues looked through", "200 issues looked through"]);
});

test("a document whose search was stopped says so, and renews once its issue is found", async (context) => {
	const { sandbox, documents, show, old, archive, far, progress } = await restored(context, 9_700);
	sandbox.codehost.behave({ on: ["issues"], headersAfterMs: 60_000 });
	const text = show(far);
	progress.stop.abort();
	assert.match(await text, /^Stopped\..+\n\n.*run "Switchboard: Open Issue" and enter 9700\.\n$/);
	sandbox.codehost.behave({});
	assert.deepEqual(old, []);
	progress.stop = new AbortController();
	await documents.find(archive, 9_700);
	assert.deepEqual(old, [far]);
	assert.doesNotMatch(await show(far), /stopped/i);
});

test("a document whose issue was not found is renewed when the list comes to have it", async (context) => {
	const { sandbox, show, old, lists, archive, progress } = await restored(context);
	const uri = addressOf(archive.repository, 10_000);
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 407 } });
	assert.match(await show(uri), /^Ada could not be reached: .+ Put the user and password into http\.proxy, .+\.$/m);
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 404 } });
	assert.match(await show(uri), /^Not found on Ada/);
	sandbox.codehost.behave({});
	await lists.of(archive).retry();
	assert.deepEqual(old, [uri]);
	const { length } = progress.titles;
	assert.doesNotMatch(await show(uri), /Not found/);
	assert.equal(progress.titles.length, length, "nothing is looked for");
});

test("a document of a changed issue is renewed once, by the refresh that brings it", async (context) => {
	const { sandbox, list, show, old, uri, text } = await opened(context);
	assert.doesNotMatch(text, /no description/);
	await list.refresh();
	assert.deepEqual(old, [], "nothing has changed");
	sandbox.codehost.behave({}, lean);
	await list.refresh();
	assert.deepEqual(old, [uri]);
	const requests = requestsTo(sandbox, "codehost").length;
	assert.match(await show(uri), /no description/);
	assert.equal(requestsTo(sandbox, "codehost").length, requests, "the list has it already");
	await list.refresh();
	assert.equal(old.length, 1);
});

test("a change beside a document, or of a closed one, refreshes nothing", async (context) => {
	const { sandbox, repositories, lists, list, open, old, uri } = await opened(context);
	const other = lists.of(await repositories.add({ connection: ADA, repository: "exchange/archive" }));
	await other.load();
	sandbox.codehost.behave({}, lean);
	await other.refresh();
	assert.deepEqual(old, []);
	open.delete(uri);
	await list.refresh();
	assert.deepEqual(old, []);
});

test("an issue no longer listed keeps its document, without a request", async (context) => {
	const { sandbox, list, old, uri } = await opened(context);
	const requests = requestsTo(sandbox, "codehost").length;
	list.reset();
	await new Promise(setImmediate);
	assert.deepEqual(old, []);
	assert.equal(requestsTo(sandbox, "codehost").length, requests);
	sandbox.codehost.behave({}, lean);
	await list.load();
	assert.deepEqual(old, [uri], "it is listed again");
});

test("an unlisted issue is found by its number, once for its document too", async (context) => {
	const { sandbox, repositories, repository, lists, documents, show } = await opened(context);
	const archive = await repositories.add({ connection: ADA, repository: "exchange/archive" });
	const found = await documents.find(archive, 9_000);
	assert.equal(lists.of(archive).loaded, 0);
	const requests = requestsTo(sandbox, "codehost").length;
	assert.match(await show(issueAddress(found)), /9000/);
	assert.equal(requestsTo(sandbox, "codehost").length, requests);
	await show(issueAddress(found));
	assert.notEqual(requestsTo(sandbox, "codehost").length, requests, "a tab that is opened again shows no old text");
	await assert.rejects(documents.find(repository, 10_001), {
		field: "number",
		message: /^number 10001 is not among the 250 issues/,
	});
});
