import assert from "node:assert/strict";
import { test } from "node:test";
import { anything, optional, trimmed } from "#base/schema.ts";
import { commandsOf, givenIn, inTitle, onRows, readArgument, readGiven } from "#editor/kit/command.ts";
import { Row } from "../../../support/command-table.ts";

const define = commandsOf<string>({ service: "petstore", palette: "ready" });
const input = { connection: trimmed(), pet: optional(trimmed()), extra: optional(anything()) };
const command = define("switchboard.petstore.openPet", "Open Pet...", { input, run: ({ argument }) => argument });

test("a command has the defaults of its room unless it says otherwise", () => {
	assert.equal(command.palette, "ready");
	assert.equal(define("switchboard.a", "A", { palette: false, run: () => 1 }).palette, false);
});

test("an argument is validated by the fields of its command, and no other is taken", () => {
	assert.equal(readArgument(command, undefined), undefined);
	assert.deepEqual(readArgument(command, { connection: " a ", extra: { any: 1 } }), {
		connection: "a",
		extra: { any: 1 },
	});
	for (const [argument, message] of [
		["a", "argument must be an object"],
		[{}, "connection is missing"],
		[{ connection: "a", cat: 1 }, "cat is not known; use connection, pet, extra"],
	] as const) {
		assert.throws(() => readArgument(command, argument), { message, service: "petstore" });
	}
});

test("an invalid argument is about its command's service, or its connection's", () => {
	const anyService = commandsOf<string>()("switchboard.showConnection", "Show Connection", { run: () => 1 });
	assert.throws(() => readArgument(anyService, { cat: 1 }, "codehost"), { service: "codehost" });
	assert.throws(() => readArgument(anyService, { cat: 1 }), { service: "messages" });
	assert.throws(() => readArgument(command, {}, "codehost"), { service: "petstore" });
});

test("what a call is about is read by its fields", () => {
	const fields = { connection: trimmed() };
	const read = (argument: Record<string, unknown> | undefined) =>
		readGiven({ argument, row: undefined }, fields, "codehost");
	assert.deepEqual(read({ connection: " a ", cat: 1 }), { connection: "a" });
	assert.equal(read(undefined), undefined);
	assert.throws(() => read({}), { message: "connection is missing", service: "codehost" });
});

test("a call is about its argument or row, and about nothing if the person is asked", () => {
	const row = new Row("a", { key: "a", fields: { connection: "b" }, look: { label: "", spoken: "", context: "" } });
	assert.deepEqual(givenIn({ argument: { connection: "a" }, row: undefined }), { connection: "a" });
	assert.deepEqual(givenIn({ argument: undefined, row }), { connection: "b" });
	assert.equal(givenIn({ argument: undefined, row: undefined }), undefined);
});

test("an entry of a menu stands where its view and its condition say", () => {
	assert.deepEqual(
		[inTitle("v", "navigation@1"), inTitle("v", "1_a@1", "c")].map(({ when }) => when),
		["view == v", "view == v && c"],
	);
	assert.deepEqual(
		onRows("v", "== store", "inline@1", "1_use@1").map(({ when, group }) => [when, group]),
		[
			["view == v && viewItem == store", "inline@1"],
			["view == v && viewItem == store", "1_use@1"],
		],
	);
});
