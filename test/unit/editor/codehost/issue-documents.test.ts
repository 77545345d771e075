import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { documentAddress, type IssueAddress, IssueDocuments } from "#editor/codehost/issue-documents.ts";
import { ADA, codehostWindow } from "../../../support/codehost-window.ts";

/** A window in which the first issue of a repository is open as a document, and the documents that were called old. */
async function opened(context: TestContext) {
	const parts = await codehostWindow(context);
	const repository = await parts.repositories.add({ connection: ADA, repository: "exchange/switchboard" });
	const list = parts.lists.of(repository);
	const old: IssueAddress[] = [];
	const documents = new IssueDocuments<IssueAddress>({ ...parts, changed: { fire: (uri) => old.push(uri) } });
	context.after(() => documents.dispose());
	await list.load();
	const [first] = list.issues;
	assert.ok(first !== undefined);
	const uri = documentAddress(await documents.find(repository, first.number));
	return { ...parts, repository, list, documents, old, uri, text: await documents.text(uri) };
}

test("a document whose issue has changed on the host is renewed by the refresh that brings it, once", async (context) => {
	const { sandbox, list, documents, old, uri, text } = await opened(context);
	assert.match(text, /^- Author: \w+$/m);
	await list.refresh();
	assert.deepEqual(old, [], "nothing has changed");
	sandbox.codehost.behave({ lean: true });
	await list.refresh();
	assert.deepEqual(old, [uri]);
	const { requests } = sandbox.status().codehost;
	assert.doesNotMatch(await documents.text(uri), /^- Author:/m);
	assert.equal(sandbox.status().codehost.requests, requests, "the list has it already");
	await list.refresh();
	assert.equal(old.length, 1);
});

test("what changes beside a document, and what happens to one that was closed, renews nothing", async (context) => {
	const { sandbox, repositories, lists, list, documents, old, uri } = await opened(context);
	const other = lists.of(await repositories.add({ connection: ADA, repository: "exchange/archive" }));
	await other.load();
	sandbox.codehost.behave({ lean: true });
	await other.refresh();
	assert.deepEqual(old, []);
	documents.forget(uri);
	await list.refresh();
	assert.deepEqual(old, []);
});

test("an issue that is not listed any more keeps its document, and nothing is asked for it", async (context) => {
	const { sandbox, list, old, uri } = await opened(context);
	const { requests } = sandbox.status().codehost;
	list.reset();
	await new Promise(setImmediate);
	assert.deepEqual(old, []);
	assert.equal(sandbox.status().codehost.requests, requests);
	sandbox.codehost.behave({ lean: true });
	await list.load();
	assert.deepEqual(old, [uri], "it is listed again");
});
