import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventEmitter, TextDocument, Uri } from "vscode";
import { DisposableStore } from "#base/disposables.ts";
import { fakeVscode } from "../../../support/fake-vscode.ts";
import { notice, openLog } from "../../../support/logged-requests.ts";

const { requestAddress, requestDocuments } = await import("#editor/requests/request-documents.ts");

test("an open document loses secrets, keeps evicted requests, and goes with the log", () => {
	const { log, redactor } = openLog();
	const open: Pick<TextDocument, "uri" | "getText">[] = [];
	fakeVscode({ workspace: { textDocuments: open }, Uri: { from: (parts: object) => parts } });
	const old: Uri[] = [];
	const changed = { fire: (uri: Uri) => old.push(uri) } as unknown as EventEmitter<Uri>;
	const textOf = requestDocuments(log, redactor, (id) => id ?? "", changed, new DisposableStore());
	const add = (query = "") => log.add({ ...notice, url: `https://h.example/user?q=${query}` }, null);
	add("s3cret-s3cret+0ther-0ther");
	const [uri] = log.list().map(requestAddress);
	assert.ok(uri !== undefined);
	const show = () => {
		const text = textOf(uri);
		open.splice(0, 1, { uri, getText: () => text });
		return text;
	};
	assert.match(show(), /^GET \/user\?q=s3cret/);
	add();
	assert.deepEqual(old, []);
	redactor.register("s3cret-s3cret");
	add();
	assert.deepEqual(old, [uri]);
	assert.doesNotMatch(show(), /s3cret/);
	for (let n = 0; n < 300; n++) add();
	assert.equal(old.length, 1);
	redactor.register("0ther-0ther");
	add();
	assert.equal(old.length, 2, "it is evicted, and open");
	assert.match(show(), /^GET \/user\?q=(?!.*0ther)/);
	add();
	assert.equal(old.length, 2);
	log.clear();
	assert.equal(old.length, 3);
	assert.match(show(), /no longer in the log/);
});
