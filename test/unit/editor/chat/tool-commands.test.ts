import assert from "node:assert/strict";
import { test } from "node:test";
import { ChatSession } from "#app/chat/session.ts";
import { ToolApprovals } from "#app/chat/tool-box.ts";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { object, parse } from "#base/schema.ts";
import { sizeOf } from "#base/tokens.ts";
import type { ChatRoom } from "#editor/chat/chat-room.ts";
import { editorToolBox } from "#editor/models/tool-box.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { COMMAND_TABLE } from "../../../support/command-table.ts";
import { MemoryStore } from "../../../support/memory-editor.ts";

// Only once the table has put something in the place of the editor.
const { toolsView } = await import("#editor/chat/tool-commands.ts");
const { sizeOfRequest } = await import("#editor/chat/say.ts");

/** A conversation whose connection has the model "plain", and "able", which takes tools. */
async function setUp() {
	const { parts, registry } = chatParts();
	const connection = await registry.add({ ...MESSAGES, model: "plain" }, "key-12345");
	const store = await registry.add({ ...MESSAGES, service: "petstore", label: "Store" }, undefined);
	const session = new ChatSession("chat", parts);
	const approvals = new ToolApprovals(new MemoryStore());
	const editor = { lm: { tools: [{ name: "other", description: "" }] }, extensions: { all: [] } };
	// What is not there is not used.
	const of = <T>(value: object) => value as T;
	const isRead = { areRead: false };
	const tools = editorToolBox(of({ registry, repositories: isRead }), of(editor), () => ["switchboard_get_pet"]);
	const capabilities = (_: unknown, id: string) => {
		const unknown = id === "plain" ? CONTRACT_CAPABILITIES.unknown : [];
		return { ...CONTRACT_CAPABILITIES, tools: id === "able", unknown };
	};
	const known = ["plain", "able"].map((id) => ({ id, name: id, connection, capabilities: capabilities(0, id) }));
	const models = { known: () => known, capabilities };
	const room = of<ChatRoom>({ approvals, tools, models, registry, conversations: { require: async () => session } });
	const run = (name: string, argument: object) => {
		const command = COMMAND_TABLE.find(({ id }) => id === `switchboard.chat.${name}`);
		return command?.run({ argument: argument as never, row: undefined }, { chat: room } as never, "");
	};
	return { registry, session, connection, store, isRead, tools, approvals, room, run };
}

test("a choice of tools is the conversation's own until null takes it away", async () => {
	const { session, run } = await setUp();
	const chosen = ["other", "switchboard_add_pet"];
	assert.deepEqual(await run("chooseTools", { tools: chosen }), { conversation: "chat", tools: chosen });
	assert.deepEqual(session.facts.tools, chosen);
	await assert.rejects(async () => run("chooseTools", { tools: ["other", "none"] }), /tools\[1\] is not the name/);
	assert.deepEqual(await run("chooseTools", { tools: null }), { conversation: "chat", tools: ["switchboard_get_pet"] });
	assert.equal(session.facts.tools, undefined);
});

test("a revoked permission asks again everywhere, and the others stay", async () => {
	const { session, approvals, run } = await setUp();
	for (const permission of ["a@1", "b@1"]) await approvals.allow(permission);
	session.setFacts({ allowed: ["b@1", "b@2"] });
	const before = { conversation: "chat", always: ["a@1", "b@1"], allowed: ["b@1", "b@2"] };
	assert.deepEqual(await run("manageAllowedTools", {}), before);
	const after = { conversation: "chat", always: ["a@1"], allowed: ["b@2"] };
	assert.deepEqual(await run("manageAllowedTools", { revoke: ["b@1", "x@1"] }), after);
	assert.deepEqual([approvals.list(), session.facts.allowed], [["a@1"], ["b@2"]]);
	await run("manageAllowedTools", { revoke: ["b@2"] });
	assert.equal(session.facts.allowed, undefined);
});

test("the composer says who turned tools off, and nothing of what is not known", async () => {
	const { session, room, registry, connection } = await setUp();
	assert.deepEqual(toolsView(session, room), { tools: { on: 1, of: 10 } });
	session.setFacts({ parameters: { model: "unable" } });
	assert.deepEqual(toolsView(session, room), { tools: { on: 1, of: 10, off: "A gives unable no tools." } });
	await registry.setAbilities(connection.id, "unable", { tools: false });
	assert.deepEqual(toolsView(session, room), { tools: { on: 1, of: 10, off: "You turned off tools for unable." } });
	session.setFacts({ parameters: { model: "able" }, tools: [] });
	assert.deepEqual(toolsView(session, room), { tools: { on: 0, of: 10 } });
});

test("our tools are offered only where they have something to work on", async () => {
	const { registry, tools, isRead, session, connection, store } = await setUp();
	const topics = () => {
		const names = ["list_issues", "get_rate_limits", "list_connections", "get_pet"].map(
			(name) => `switchboard_${name}`,
		);
		return tools.offered({ tools: names }, connection).map(({ name }) => name.slice("switchboard_".length));
	};
	assert.deepEqual(topics(), ["get_pet", "list_connections"]);
	await registry.remove(store.id);
	assert.deepEqual(topics(), []);
	const host = { ...MESSAGES, service: "codehost", label: "H", credential: { kind: "pat" } } as const;
	await registry.add(host, "a-token");
	assert.deepEqual(topics(), ["get_rate_limits", "list_connections"]);
	isRead.areRead = true;
	assert.deepEqual(topics(), ["get_rate_limits", "list_connections", "list_issues"]);
	assert.equal(session.target.connection?.id, connection.id);
});

test("no program allows a call for longer than once", () => {
	const { input = {} } = COMMAND_TABLE.find(({ id }) => id === "switchboard.chat.answerCall") ?? {};
	const read = (answer: string) => parse(object(input), { message: "m", key: "0", answer }, "messages");
	for (const answer of ["once", "deny"]) assert.equal(read(answer)["answer"], answer);
	for (const answer of ["conversation", "always"]) assert.throws(() => read(answer), { field: "answer" });
});

test("the size of a request counts the tools that are on, where the model takes any", async () => {
	const { session, room, tools, connection } = await setUp();
	const size = () => sizeOfRequest([], session, room);
	session.setFacts({ parameters: { system: "" } });
	assert.equal(size(), 0);
	session.setFacts({ parameters: { system: "", model: "able" } });
	assert.equal(size(), sizeOf(JSON.stringify(tools.offered(session.facts, connection)[0])).tokens);
});
