import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "mocha";
import type { SendResult } from "#app/chat/result.ts";
import { TOOLS } from "#editor/models/tools.ts";
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
			...{ service: "messages", label: "Model", model: "sandbox" },
			...{ baseUrl: baseUrls.messages, key: keys.messages },
		});
		await add({ service: "codehost", label: "Host", baseUrl: baseUrls.codehost, token: keys.codehost.fineGrained });
		for (const repository of ["exchange/switchboard", "exchange/curiosities"]) {
			await run("codehost.addRepository", { connection: connections[1], repository });
		}
		const { apiKey, token } = keys.petstore;
		await add({ service: "petstore", label: "Pets", baseUrl: baseUrls.petstore, apiKey, token });
		await run("chat.selectConnection", { connection: connections[0] });
	});
	beforeEach(async () => {
		({ conversation } = await run<{ conversation: string }>("chat.new", {}));
	});
	afterEach(() => run("chat.stop", { conversation }));
	after(async () => {
		for (const connection of connections) await run("removeConnection", { connection });
		await sandbox.close();
	});

	const ask = (text: string) => run<SendResult>("chat.send", { text, conversation });
	const written = ({ blocks }: SendResult) => blocks.map(({ text }) => text).join("\n");
	const sold = async () => (await pets<{ sold?: number }>("getInventory")).sold ?? 0;
	const pets = async <T>(operation: string, params = {}) => {
		const argument = { connection: connections[2], operation, params };
		return (await run<{ data: T }>("petstore.call", argument)).data;
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

	it("reads from the pet store and the code host, and answers from what they say", async () => {
		const pending = await ask("Which pets are pending?");
		assert.equal(pending.outcome, "complete");
		assert.deepEqual(
			pending.calls?.map(({ name, state }) => [name, state]),
			[["switchboard_find_pets", "done"]],
		);
		const found = await pets<readonly { id: string; name: string }[]>("findPetsByStatus", { status: ["pending"] });
		for (const { name } of found.slice(0, 3)) assert.ok(written(pending).includes(name));
		const issue = await ask("Summarize issue 12 of exchange/switchboard");
		assert.equal(issue.calls?.[0]?.name, "switchboard_read_issue");
		assert.match(written(issue), /#12/);
	});

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

	it("lets an issue with orders in it change nothing", async () => {
		const before = await pets("getInventory");
		const { calls } = await ask("Summarize issue 15 of exchange/curiosities");
		assert.equal(calls?.[0]?.state, "done");
		assert.ok(calls?.every(({ name }) => TOOLS.some((tool) => tool.name === name && !tool.writes)));
		assert.deepEqual(await pets("getInventory"), before);
	});
});
