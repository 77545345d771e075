import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { documentAddress, type IssueAddress, IssueDocuments } from "#editor/codehost/issue-documents.ts";
import type { Doing } from "#editor/progress.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";
import { lean } from "../../../support/misbehavior.ts";
import { requestsTo } from "../../../support/sandbox-requests.ts";

/** A window in which the first issue of a repository is open as a document, and the documents that were called old. */
async function opened(context: TestContext, profile?: "custom") {
	const parts = await codehostWindow(context, {}, profile);
	const repository = await parts.repositories.add({ connection: ADA, repository: "exchange/switchboard" });
	const list = parts.lists.of(repository);
	const old: IssueAddress[] = [];
	const progress = { titles: [] as string[], lines: [] as string[], stop: new AbortController() };
	const documents = new IssueDocuments<IssueAddress>(parts.lists, parts.repositories, {
		changed: { fire: (uri) => old.push(uri) },
		follow(title, run) {
			progress.titles.push(title);
			const { signal } = progress.stop;
			const doing: Doing = { signal, onWait: () => undefined, tell: (line) => progress.lines.push(line) };
			return run(signal, doing);
		},
	});
	context.after(() => documents.dispose());
	await list.load();
	const [first] = list.issues;
	assert.ok(first !== undefined);
	const uri = documentAddress(await documents.find(repository, first.number));
	const text = await documents.text(uri);
	assert.deepEqual(progress.titles, [], "it was loaded");
	return { ...parts, repository, list, documents, old, uri, text, progress };
}

/** The same, and a document of an issue far down in a large repository, as the editor asks for one after a restart. */
async function restored(context: TestContext, number = 17, profile?: "custom") {
	const parts = await opened(context, profile);
	const archive = await parts.repositories.add({ connection: ADA, repository: "exchange/archive" });
	const uri = { path: `/${archive.repository}/#${number}.md`, query: ADA };
	return { ...parts, archive, far: uri };
}

test("a restored document is searched on a few pages, then says what to do", async (context) => {
	const { sandbox, documents, far, progress } = await restored(context);
	const requests = requestsTo(sandbox, "codehost").length;
	const text = await documents.text(far);
	assert.match(text, /not among the first 1000 issues/);
	assert.match(text, /run "Switchboard: Open Issue" and enter 17\.$/m);
	assert.ok(requestsTo(sandbox, "codehost").length - requests <= 11);
	assert.match(progress.titles.join(), /#17 of exchange\/archive/);
	assert.deepEqual(progress.lines.slice(0, 2), ["100 issues looked through", "200 issues looked through"]);
});

test("a document whose search was stopped says so, and renews once its issue is found", async (context) => {
	const { sandbox, documents, old, archive, far, progress } = await restored(context, 9_700);
	sandbox.codehost.behave({ on: ["issues"], headersAfterMs: 60_000 });
	const text = documents.text(far);
	progress.stop.abort();
	assert.match(await text, /stopped.+\n\n.*run "Switchboard: Open Issue" and enter 9700\.\n$/);
	sandbox.codehost.behave({});
	assert.deepEqual(old, []);
	progress.stop = new AbortController();
	await documents.find(archive, 9_700);
	assert.deepEqual(old, [far]);
	assert.doesNotMatch(await documents.text(far), /stopped/);
});

test("a document whose issue was not found is renewed when the list comes to have it", async (context) => {
	const { sandbox, documents, old, lists, archive, progress } = await restored(context);
	sandbox.codehost.behave({ on: ["issues"], fail: { status: 404 } });
	const uri = { path: `/${archive.repository}/#10000.md`, query: ADA };
	assert.match(await documents.text(uri), /^This issue cannot be shown: /);
	sandbox.codehost.behave({});
	await lists.of(archive).retry();
	assert.deepEqual(old, [uri]);
	const { length } = progress.titles;
	assert.doesNotMatch(await documents.text(uri), /cannot be shown/);
	assert.equal(progress.titles.length, length, "nothing is looked for");
});

test("a document of a changed issue is renewed once, by the refresh that brings it", async (context) => {
	const { sandbox, list, documents, old, uri, text } = await opened(context);
	assert.match(text, /^- Author: \w+$/m);
	await list.refresh();
	assert.deepEqual(old, [], "nothing has changed");
	sandbox.codehost.behave({}, lean);
	await list.refresh();
	assert.deepEqual(old, [uri]);
	const requests = requestsTo(sandbox, "codehost").length;
	assert.doesNotMatch(await documents.text(uri), /^- Author:/m);
	assert.equal(requestsTo(sandbox, "codehost").length, requests, "the list has it already");
	await list.refresh();
	assert.equal(old.length, 1);
});

test("a change beside a document, or of a closed one, refreshes nothing", async (context) => {
	const { sandbox, repositories, lists, list, documents, old, uri } = await opened(context);
	const other = lists.of(await repositories.add({ connection: ADA, repository: "exchange/archive" }));
	await other.load();
	sandbox.codehost.behave({}, lean);
	await other.refresh();
	assert.deepEqual(old, []);
	documents.forget(uri);
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
	const { sandbox, repositories, repository, lists, documents } = await opened(context);
	const archive = await repositories.add({ connection: ADA, repository: "exchange/archive" });
	const found = await documents.find(archive, 9_000);
	assert.equal(lists.of(archive).loaded, 0);
	const requests = requestsTo(sandbox, "codehost").length;
	assert.match(await documents.text(documentAddress(found)), /9000/);
	assert.equal(requestsTo(sandbox, "codehost").length, requests);
	await assert.rejects(documents.find(repository, 10_001), {
		field: "number",
		message: /^number 10001 is not among the 250 issues/,
	});
});
