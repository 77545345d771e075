import assert from "node:assert/strict";
import { test } from "node:test";
import { type RequestFilter, readFilter, requestMatcher, SHOW_ALL, typedFilter } from "#app/requests/filter.ts";
import { ClientError } from "#base/errors.ts";
import { logged } from "../../../support/logged-requests.ts";

const failure = new ClientError("messages", "rate-limited", "Slow down.", { status: 429 });
const all = [
	logged({ url: "https://h.example/repos/acme/app/issues?page=2" }),
	logged(
		{ service: "messages", method: "POST", url: "https://h.example/v1/messages", status: 429, error: failure },
		"m-1",
	),
	logged({ service: "petstore", method: "DELETE", url: "https://h.example/v2/pet/7", status: 200 }, null),
];
const found = (filter: Partial<RequestFilter>) =>
	all
		.filter(requestMatcher({ ...SHOW_ALL, ...filter }, (id) => (id === "m-1" ? "My Model" : id)))
		.map((each) => each.service);

test("without a filter all are shown", () => {
	assert.equal(found({}).length, 3);
});

test("every word must occur in a shown field of the request, in any case", () => {
	assert.deepEqual(found({ text: "GET ISSUES" }), ["codehost"]);
	assert.deepEqual(found({ text: "my model 429" }), ["messages"]);
	assert.deepEqual(found({ text: "rate-limited" }), ["messages"]);
	assert.deepEqual(found({ text: "delete issues" }), []);
	assert.deepEqual(found({ text: "h.example" }), []);
});

test("a service and failures are chosen beside the words", () => {
	assert.deepEqual(found({ service: "petstore" }), ["petstore"]);
	assert.deepEqual(found({ failed: true }), ["messages"]);
	assert.deepEqual(found({ failed: true, service: "petstore" }), []);
});

test("a filter survives a round trip through its text", () => {
	for (const typed of ["", "pets 404", "pets service:petstore", "service:messages is:failed", "a is:failed"]) {
		const filter = readFilter(typed);
		assert.ok(filter !== undefined);
		assert.equal(typedFilter(filter), typed);
	}
	assert.deepEqual(readFilter("SERVICE:Messages  x IS:failed"), { text: "x", service: "messages", failed: true });
});

test("a service or a state that there is none of is refused, not looked for", () => {
	assert.equal(readFilter("service:mail"), undefined);
	assert.equal(readFilter("is:slow"), undefined);
});
