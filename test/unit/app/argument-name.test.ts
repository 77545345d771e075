import assert from "node:assert/strict";
import { test } from "node:test";
import { inArgumentsOf } from "#app/argument-name.ts";
import { COMMANDS } from "#app/contributions.ts";
import { ClientError, invalid } from "#base/errors.ts";

const told = (command: Parameters<typeof inArgumentsOf>[0], field: string) => {
	const error = inArgumentsOf(command, invalid("codehost", field, "is wrong"));
	return [error.field, error.message];
};

test("what a command refuses is called as its argument is called, in the field and in the sentence", () => {
	assert.deepEqual(told(COMMANDS.chatSend, "max_tokens"), ["maxTokens", "maxTokens is wrong"]);
	assert.deepEqual(told(COMMANDS.chatSend, "stop_sequences[0]"), ["stopSequences[0]", "stopSequences[0] is wrong"]);
	assert.deepEqual(told(COMMANDS.addConnection, "private_key"), ["privateKey", "privateKey is wrong"]);
	assert.deepEqual(told(COMMANDS.editConnection, "credential.expiresAt"), ["expiresAt", "expiresAt is wrong"]);
	assert.deepEqual(told(COMMANDS.petstoreOpenOrder, "orderId"), ["id", "id is wrong"]);
	assert.deepEqual(told(COMMANDS.petstoreCall, "orderId"), ["orderId", "orderId is wrong"]);
	assert.deepEqual(told(COMMANDS.editConnection, "baseUrl"), ["baseUrl", "baseUrl is wrong"]);
});

test("a field that the caller has called so is refused by the name that it was given", () => {
	const unknown = invalid("messages", "max_tokens", "is not an argument of this command");
	assert.equal(inArgumentsOf(COMMANDS.chatSend, unknown, { text: "x", max_tokens: 1 }), unknown);
});

test("what is no argument of the command keeps its name", () => {
	assert.deepEqual(told(COMMANDS.codehostWhoAmI, "max_tokens"), ["max_tokens", "max_tokens is wrong"]);
	assert.deepEqual(told(COMMANDS.chatSend, "messages[0].content"), [
		"messages[0].content",
		"messages[0].content is wrong",
	]);
	const unnamed = new ClientError("codehost", "network", "gone");
	assert.equal(inArgumentsOf(COMMANDS.chatSend, unnamed), unnamed);
});

test("what a service says of a field stays in its own words, and everything else of the error is kept", () => {
	const cause = new Error("cause");
	const facts = {
		status: 400,
		requestId: "r",
		retryAfterMs: 5,
		reason: "suspended",
		field: "max_tokens",
		cause,
	} as const;
	const error = inArgumentsOf(COMMANDS.chatSend, new ClientError("messages", "invalid", "max_tokens is high", facts));
	assert.equal(error.message, "max_tokens is high");
	assert.deepEqual(
		{ ...error, cause: error.cause },
		{ ...new ClientError("messages", "invalid", "", facts), field: "maxTokens", cause },
	);
});
