import assert from "node:assert/strict";
import { after, before, describe, it } from "mocha";
import type { SendResult } from "#app/chat/result.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { run } from "../support/checked-run.ts";
import { until } from "../support/until.ts";

type Message = { id: string; calls?: readonly { key: string; state: string; name: string }[] };

describe("a conversation whose model calls tools, in an editor", () => {
	let sandbox: Sandbox;
	let conversation: string;
	const connections: string[] = [];
	const add = async (argument: object) => {
		connections.push((await run<{ id: string }>("addConnection", { profile: "sandbox", ...argument })).id);
	};

	before(async () => {
		// Beside those of other suites, a model would have to say which store it means.
		const { results } = await run<{ results: readonly { connection: string }[] }>("testAllConnections", {});
		for (const { connection } of results) await run("removeConnection", { connection });
		sandbox = await startSandbox({ messages: { wordDelayMs: 0 } });
		const { baseUrls, keys } = sandbox;
		await add({
			service: "messages",
			label: "Model",
			model: "sandbox",
			baseUrl: baseUrls.messages,
			key: keys.messages,
		});
		const { apiKey, token } = keys.petstore;
		await add({ service: "petstore", label: "Pets", baseUrl: baseUrls.petstore, apiKey, token });
		await run("chat.selectConnection", { connection: connections[0] });
		({ conversation } = await run<{ conversation: string }>("chat.new", {}));
	});
	after(async () => {
		for (const connection of connections) await run("removeConnection", { connection });
		await sandbox.close();
	});

	const ask = (text: string) => run<SendResult>("chat.send", { text, conversation });
	const sold = async () => {
		const argument = { connection: connections[1], operation: "getInventory" };
		return (await run<{ data: { sold?: number } }>("petstore.call", argument)).data.sold ?? 0;
	};
	/** Waits for a call that asks, and gives what names it. */
	async function asking() {
		let found: { message: string; key: string } | undefined;
		await until(async () => {
			const { messages } = await run<{ messages: readonly Message[] }>("chat.listMessages", { conversation });
			for (const { id, calls = [] } of messages) {
				const call = calls.find(({ state }) => state === "asking");
				if (call !== undefined) found = { message: id, key: call.key };
			}
			return found !== undefined;
		}, "a call that asks");
		return { conversation, ...found };
	}

	it("changes a pet only once the person allows it", async () => {
		const before = await sold();
		const reply = ask("Sell a pet that is available");
		const call = await asking();
		assert.equal(await sold(), before);
		assert.deepEqual(await run("chat.answerCall", { ...call, answer: "once" }), { answer: "once" });
		assert.equal((await reply).outcome, "complete");
		assert.equal(await sold(), before + 1);
		const again = ask("Sell a pet that is available");
		await run("chat.answerCall", { ...(await asking()), answer: "deny", word: "Not today" });
		assert.deepEqual(
			(await again).calls?.map(({ state }) => state),
			["done", "denied"],
		);
		assert.equal(await sold(), before + 1);
	});
});
