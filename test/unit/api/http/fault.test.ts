import { strict as assert } from "node:assert";
import { test } from "node:test";
import { codeOfStatus } from "#api/http/failure.ts";
import { isAbsent, withDroppedHeader, wordsOfReply } from "#api/http/fault.ts";
import { ClientError } from "#base/errors.ts";

test("a status speaks for a reply that says nothing", () => {
	assert.equal(wordsOfReply("", 500).message, "The service answered with status 500.");
	assert.equal(wordsOfReply("", 500).said, "", "a title names the status");
	assert.deepEqual(wordsOfReply("Too many pets", 500), { message: "Too many pets" });
	assert.match(wordsOfReply("", 302).message, /redirects to another address/);
});

test("only a service that says that there is no such thing has said that it is absent", () => {
	const withStatus = (status: number) => new ClientError("petstore", codeOfStatus(status), "", { status });
	assert.deepEqual([404, 410].map(withStatus).map(isAbsent), [true, true]);
	assert.deepEqual([301, 302, 307, 400, 405, 500].map(withStatus).map(isAbsent), Array(6).fill(false));
	assert.equal(isAbsent(new Error("404")), false);
});

test("a refusal that misses a key which was sent names servers that drop such headers", () => {
	const told = (message: string, header: string, status = 401) => {
		const error = new ClientError("petstore", "unauthorized", message, { status });
		return withDroppedHeader(error, { accept: "*/*", [header]: "k" }).message;
	};
	for (const message of [
		"API key is missing",
		"No API key provided.",
		"api_key header required",
		"Key not found",
		"You need an API key",
		"api_key is null",
		"Supply a key",
		"Please provide an API key",
		"An API key must be set",
	]) {
		assert.match(told(message, "api_key"), /\. It was sent as api_key: a server in front may drop headers with “_”/);
		assert.equal(told(message, "x-api-key"), message, "no server drops it");
	}
	for (const message of [
		"The key has expired",
		"Incorrect API key provided: sk-1",
		"The provided API key is invalid",
		"API key must be rotated",
		"Authentication is required with a valid key",
	]) {
		assert.equal(told(message, "api_key"), message);
	}
	assert.equal(told("The field is missing", "api_key", 400), "The field is missing");
});
