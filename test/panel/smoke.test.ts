import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { awaitOutcome, readTranscript, sendMessage } from "../support/chat-page.ts";
import { type Driver, openDriver } from "./driver.ts";

let driver: Driver;

before(async () => {
	driver = await openDriver();
});

after(() => driver.dispose());

test("a message typed into the composer of the installed package gets a reply that says it is complete", async () => {
	await driver.execute("switchboard.trySandbox");
	const chat = await driver.openChat();
	await sendMessage(chat, "What can you do?");
	const reply = await awaitOutcome(chat);
	assert.equal(reply.outcome, "complete", reply.card);
	assert.notEqual(reply.text, "");
	assert.deepEqual(
		(await readTranscript(chat)).map(({ role }) => role),
		["user", "assistant"],
	);
});
