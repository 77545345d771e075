import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestNotice } from "#api/http/notice.ts";
import { ClientError } from "#base/errors.ts";
import {
	type RequestAddress,
	RequestDocuments,
	requestAddress,
	requestDocument,
} from "#editor/requests/request-documents.ts";
import { logged, notice, openLog } from "../../../support/logged-requests.ts";

/** A log, and the documents that were called old. */
function open() {
	const parts = openLog();
	const old: RequestAddress[] = [];
	const changed = { fire: (uri: RequestAddress) => old.push(uri) };
	const documents = new RequestDocuments<RequestAddress>(parts.log, (id) => id ?? "", changed);
	const add = (changes: Partial<RequestNotice> = {}) => {
		parts.log.add({ ...notice, ...changes }, null);
		const [request] = parts.log.list();
		assert.ok(request !== undefined);
		return requestAddress(request);
	};
	return { ...parts, old, documents, add };
}

test("a document shows every logged fact of a request, and only those", () => {
	const error = new ClientError("petstore", "forbidden", "Not for you", { status: 403 });
	const request = logged({
		...{ service: "petstore", method: "POST", url: "http://127.0.0.1:4/v2/pet?x=1", status: 403, attempt: 2, error },
		...{ headers: { authorization: "Bearer {token}" }, body: '{"name":"Ada"}', sentBytes: 14 },
	});
	assert.equal(
		requestDocument(request, "Pets").replace(/^Began: .+$/m, "Began: then"),
		`POST /v2/pet?x=1

Service: Pet store
Connection: Pets
Host: 127.0.0.1:4 (http)
Status: 403
Error: forbidden: Not for you
Time: 41 ms
Try: 2
Sent: 14 bytes
Received: 12 bytes
Began: then

Headers that were sent
authorization: Bearer {token}

Body that was sent
{"name":"Ada"}
`,
	);
});

test("a document says that a sent body was not kept, and nothing without a body", () => {
	assert.match(requestDocument(logged({ sentBytes: 5 }), ""), /Body that was sent\nNot kept/);
	assert.doesNotMatch(requestDocument(logged(), ""), /Body/);
});

test("a request that is forgotten is gone from its document too", () => {
	const { log, documents, old, add } = open();
	const address = add();
	assert.match(documents.text(address), /^GET \/user\n/);
	add();
	assert.deepEqual(old, []);
	log.clear();
	assert.deepEqual(old, [address]);
	assert.match(documents.text(address), /no longer in the log/);
	assert.match(documents.text({ path: "/anything" }), /no longer in the log/);
});

test("a secret that becomes known later refreshes an open document, but no closed one", () => {
	const { redactor, documents, old, add } = open();
	const address = add({ url: "https://h.example/user?q=s3cret-s3cret" });
	const closed = add();
	assert.match(documents.text(address), /s3cret/);
	documents.text(closed);
	documents.forget(closed);
	redactor.register("s3cret-s3cret");
	add();
	assert.deepEqual(old, [address]);
	assert.doesNotMatch(documents.text(address), /s3cret/);
});

test("an open document keeps an evicted request, redacted, until the log is cleared", () => {
	const { log, redactor, documents, old, add } = open();
	const [address, other] = [add({ url: "https://h.example/user?q=s3cret-s3cret" }), add()];
	const text = documents.text(address);
	for (let n = 0; n < 300; n++) add();
	assert.deepEqual([old, documents.text(address)], [[], text]);
	assert.match(documents.text(other), /no longer in the log/);
	redactor.register("s3cret-s3cret");
	add();
	assert.deepEqual(old, [address]);
	assert.equal(documents.text(address), text.replace("s3cret-s3cret", "[redacted]"));
	log.clear();
	add();
	assert.match(documents.text(address), /no longer in the log/);
});

test("the name of a document holds nothing of the address", () => {
	const { add } = open();
	assert.equal(add({ url: "https://h.example/secret?x=secret" }).path, "/GET r1.txt");
});
