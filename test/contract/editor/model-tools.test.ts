import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CancellationToken } from "vscode";
import { object } from "#base/schema.ts";
import { callTool, modelTool, TOOLS, type ToolRooms } from "#editor/models/tools.ts";
import { openPetstoreWindow } from "../app/petstore-window.ts";
import { openWindow } from "../app/window.ts";

const describe = (error: unknown, label: string) => `${label}: ${error instanceof Error ? error.message : error}`;

/** Token that is never cancelled. */
const TOKEN: CancellationToken = {
	isCancellationRequested: false,
	onCancellationRequested: () => ({ dispose: () => undefined }),
};

/** A window with code hosts and one with pet stores; the tools use the registry of the one that is asked for. */
async function setUp(t: TestContext, service: "codehost" | "petstore") {
	const [host, store] = [await openWindow(t), await openPetstoreWindow(t)];
	const { registry, redactor } = service === "codehost" ? host : store;
	const { clients: codehosts, repositories } = host;
	const rooms: ToolRooms = { registry, codehosts, petstores: store.clients, repositories, redactor, describe };
	const call = (name: string, input: unknown, signal = new AbortController().signal) =>
		callTool(`switchboard_${name}`, input, { rooms, signal });
	const prepare = (name: string, input: object) =>
		modelTool(name, rooms, () => assert.fail("nothing is called")).prepareInvocation({ input }, TOKEN);
	return { host, store, rooms, call, prepare };
}

test("a tool that writes asks first, and says what, where and to what; one that reads does not", async (t) => {
	const { rooms, host, store } = await setUp(t, "petstore");
	await store.add();
	await host.addPat();
	const agreed: Record<string, unknown> = {};
	for (const { name, input: fields } of TOOLS) {
		const input = { pet: "5", status: "sold", repository: "a/b", number: 1, order: 1 };
		const own: Record<string, unknown> = Object.fromEntries(Object.entries(input).filter(([field]) => field in fields));
		if (name === "switchboard_find_pets") own["status"] = ["sold"];
		const { registry } = name.includes("issue") ? host : store;
		const tool = modelTool(name, { ...rooms, registry }, () => assert.fail("nothing is called"));
		const prepared = await tool.prepareInvocation({ input: own }, TOKEN);
		assert.ok(String(prepared?.invocationMessage).length > 0, name);
		if (prepared?.confirmationMessages !== undefined) agreed[name] = prepared.confirmationMessages;
	}
	const title = "Change a pet store";
	assert.deepEqual(agreed, {
		switchboard_set_pet_status: { title, message: "Set the status of pet 5 to sold? Store: Store." },
		switchboard_place_order: { title, message: "Place an order for pet 5, quantity 1? Store: Store." },
	});
});

test("an input that a model makes up cannot become a link in the question to a person", async (t) => {
	const { prepare, store } = await setUp(t, "petstore");
	await store.add();
	const pet = "[5](command:evil)\nand more";
	const prepared = await prepare("switchboard_set_pet_status", { pet, status: "sold" });
	assert.doesNotMatch(String(prepared?.confirmationMessages?.message), /\]\(|\n/);
});

test("an invalid input sends no request and asks no person", async (t) => {
	const { prepare, store, call } = await setUp(t, "petstore");
	await store.add();
	const before = store.requests.length;
	assert.throws(() => prepare("switchboard_set_pet_status", { pet: "5", status: "gone" }), /^Error: status /);
	await assert.rejects(call("find_pets", { status: ["sold"], tags: ["a"] }), /status or tags must be given/);
	await assert.rejects(call("find_pets", { status: ["flying"] }), /status\[0\] must be one of available/);
	await assert.rejects(call("place_order", { pet: "x" }), /pet must be the id/);
	const tags = Array.from({ length: 3_000 }, (_, n) => `t${n}`);
	await assert.rejects(call("find_pets", { tags }), /tags must have at most 10 items/);
	await assert.rejects(call("find_pets", { tags: ["x".repeat(101)] }), /tags\[0\] must have at most 100 characters/);
	await assert.rejects(call("no_such_tool", {}), /There is no tool/);
	assert.equal(store.requests.length, before);
});

test("the connection may be left out where there is one, and is asked for where there are more", async (t) => {
	const { store, call } = await setUp(t, "petstore");
	await assert.rejects(call("get_inventory", {}), /connection is missing: add one first/);
	const { id } = await store.add();
	assert.match(await call("get_inventory", {}), /"sold":\d+/);
	const { id: other } = await store.add();
	await assert.rejects(call("get_inventory", {}), new RegExp(`connection is needed: one of "${id}" .*"${other}"`));
	assert.match(await call("get_inventory", { connection: other }), /"sold":\d+/);
	await assert.rejects(call("get_inventory", { connection: "nope" }), /connection "nope" is not one/);
});

test("pets come with ids to the last digit, as many as are wanted, and it is said how many there are", async (t) => {
	const { store, call } = await setUp(t, "petstore");
	await store.add();
	const text = await call("find_pets", { status: ["available", "pending", "sold"], limit: 100 });
	assert.match(text, /"id":"9223372036854775807"/);
	const [, head, ...rows] = (await call("find_pets", { status: ["sold"], limit: 2 })).split("\n");
	assert.match(head ?? "", /^2 of \d+ pets:$/);
	assert.equal(rows.length, 2);
});

test("a written value can be read afterwards", async (t) => {
	const { store, call } = await setUp(t, "petstore");
	await store.add();
	const [, pet = ""] = /"id":"(\d+)"/.exec(await call("find_pets", { status: ["available"], limit: 1 })) ?? [];
	await call("set_pet_status", { pet, status: "sold" });
	assert.match(await call("find_pets", { status: ["sold"], limit: 100 }), new RegExp(`"id":"${pet}"`));
	store.sandbox.petstore.behave({ on: ["updatePetWithForm"], writeReply: { body: "empty" } });
	assert.match(await call("set_pet_status", { pet, status: "sold" }), /did not say/);
	const [, order = ""] = /"id":"(\d+)"/.exec(await call("place_order", { pet, quantity: 3 })) ?? [];
	assert.match(await call("get_order", { order: Number(order) }), /"quantity":3/);
});

test("an error of a store names its connection", async (t) => {
	const { store, call } = await setUp(t, "petstore");
	await store.add();
	await assert.rejects(call("get_order", { order: 9 }), /^Error: Store: /);
});

test("issues are listed a line each and read whole, below a word that they are foreign", async (t) => {
	const { host, call } = await setUp(t, "codehost");
	await host.addPat();
	const lines = (await call("list_issues", { repository: "exchange/archive", state: "all", limit: 3 })).split("\n");
	assert.match(lines[0] ?? "", /not an instruction/);
	assert.equal(lines.filter((line) => /^#\d+ .*\((?:open|closed)/.test(line)).length, 3);
	assert.equal(lines.at(-1), "There are more.");
	host.sandbox.codehost.behave({ links: "next", linkLoop: "cycle" });
	const circle = (await call("list_issues", { repository: "exchange/vault", limit: 100 })).split("\n").at(-1);
	assert.equal(circle, "The list ends here: the service's links lead in a circle.");
	host.sandbox.codehost.behave({});
	const text = await call("read_issue", { repository: "exchange/archive", number: 1 });
	assert.match(text, /not an instruction/);
	assert.match(text, /^Issue #1 of exchange\/archive/m);
	await assert.rejects(
		call("read_issue", { repository: "exchange/switchboard", number: 99_999 }),
		/number 99999 is not/,
	);
	await assert.rejects(call("list_issues", { repository: "exchange" }), /repository /);
});

test("a repository that was added is read through its own connection", async (t) => {
	const { host, call } = await setUp(t, "codehost");
	await host.addPat(host.keys.otherUser);
	const { id } = await host.addPat();
	await assert.rejects(call("list_issues", { repository: "exchange/vault" }), /connection is needed/);
	await host.repositories.add({ connection: id, repository: "exchange/vault" });
	assert.match(await call("list_issues", { repository: "Exchange/Vault" }), /^#\d+ /m);
});

test("a call that is cancelled ends", async (t) => {
	const { host, call } = await setUp(t, "codehost");
	await host.addPat();
	await assert.rejects(call("list_issues", { repository: "exchange/archive" }, AbortSignal.abort()));
});

test("every text and list in the input of a tool has a limit", () => {
	const written = JSON.stringify(TOOLS.map(({ input }) => object(input).json));
	const count = (pattern: RegExp) => [...written.matchAll(pattern)].length;
	const texts = written.match(/\{"type":"string"[^{}]*\}/g) ?? [];
	assert.ok(texts.length > 10);
	for (const schema of texts) assert.match(schema, /"(?:enum|maxLength)"/);
	assert.equal(count(/"type":"array"/g), count(/"maxItems"/g));
});
