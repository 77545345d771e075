import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { KnownUsers } from "#app/petstore/users.ts";
import { DisposableStore } from "#base/disposables.ts";
import { SANDBOX_IDS, sandboxConnector, sandboxExamples } from "#editor/connections/sandbox-connection.ts";
import { definitionOf, prepareTool, TOOLS } from "#editor/models/tools.ts";
import { planReply } from "#sandbox/messages/reply.ts";
import { messagesBody } from "#sandbox/messages/request.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { strictly } from "#sandbox/strict.ts";
import { MemoryStore } from "../../support/memory-editor.ts";
import { toolWindow } from "./tool-window.ts";

/** A window with a pet store of the person's, and the sandbox connected beside it. */
async function besideAStore(t: TestContext) {
	const { store, host, rooms } = await toolWindow(t, "petstore");
	await store.add();
	const held = new DisposableStore();
	t.after(() => held.dispose());
	const users = new KnownUsers(new MemoryStore(), store.registry);
	const started: Sandbox[] = [];
	let own: Readonly<Record<string, string>> = {};
	const start = async (given: typeof own) => {
		own = given;
		const sandbox = await startSandbox();
		started.push(sandbox);
		return sandbox;
	};
	const connect = sandboxConnector(start, store.registry, host.repositories, users, held);
	await connect();
	const [sandbox = assert.fail("it was not started")] = started;
	/** Asks the sandbox's model, and runs its calls until it answers. */
	const ask = async (question: string): Promise<string> => {
		const messages: object[] = [{ role: "user", content: question }];
		const tools = TOOLS.map(definitionOf);
		for (let round = 0; round < 5; round++) {
			const body = strictly(messagesBody, { model: "sandbox", max_tokens: 9_000, messages, tools });
			const { blocks } = planReply(body, {}, own);
			const calls = blocks.flatMap(({ tool, text }) => (tool ? [{ ...tool, input: JSON.parse(text) }] : []));
			if (calls.length === 0) return blocks.map(({ text }) => text).join("\n\n");
			const results = calls.map(async ({ id, name, input }) => {
				const content = await prepareTool(name, input, rooms).run(new AbortController().signal);
				return { type: "tool_result", tool_use_id: id, content };
			});
			messages.push({ role: "assistant", content: calls.map((call) => ({ type: "tool_use", ...call })) });
			messages.push({ role: "user", content: await Promise.all(results) });
		}
		return assert.fail("it never answers");
	};
	return { store, sandbox, ask, own: () => own };
}

const sold = ({ petstore }: Pick<Sandbox, "petstore">) =>
	[...petstore.store.pets.values()].filter(({ status }) => status === "sold").length;

test("beside a second store the sandbox's model works on its own, and shows no id", async (t) => {
	const { store, sandbox, ask, own } = await besideAStore(t);
	assert.deepEqual(own(), {
		petstore: "Sandbox Pet Store",
		"exchange/switchboard": "Sandbox Code Host",
		"ada/garden": "Sandbox Code Host",
		"exchange/archive": "Sandbox App",
	});
	const before = [sold(store.sandbox), sold(sandbox)];
	assert.match(await ask("Which pets are pending?"), /Pets that are pending: 3\n\n- Pip\n- Ripple\n- Mochi$/);
	assert.match(await ask("Sell a pet that is available"), /\*\*Biscuit\*\* is sold now\.$/);
	assert.deepEqual([sold(store.sandbox), sold(sandbox)], [before[0], (before[1] ?? 0) + 1]);
});

test("an example is offered only while its tools are on and its service is there", async (t) => {
	const { store } = await besideAStore(t);
	const { registry } = store;
	let added = [{ repository: "exchange/switchboard", connection: SANDBOX_IDS.codehost }];
	const repositories = { list: () => added };
	const examples = (...without: string[]) =>
		sandboxExamples(
			TOOLS.filter(({ name }) => !without.includes(name)),
			registry,
			repositories,
		);
	const [pending, issue, sale, what, show] = [
		"Which pets are pending?",
		"Summarize issue 12",
		"Sell a pet that is available",
		"What can you do?",
		"Show me a table, a list and some code",
	];
	assert.deepEqual(examples(), [pending, issue, sale]);
	assert.deepEqual(examples("switchboard_set_pet_status"), [pending, issue, what]);
	assert.deepEqual(examples("switchboard_find_pets"), [issue, what, show]);
	await registry.remove(SANDBOX_IDS.petstore);
	assert.deepEqual(examples(), [issue, what, show]);
	added = [];
	assert.deepEqual(examples(), [what, show]);
	assert.deepEqual(sandboxExamples([], registry, repositories), [what, show]);
});
