import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CancellationToken, LanguageModelToolInformation } from "vscode";
import { wireTools } from "#api/messages/wire-content.ts";
import { Emitter } from "#base/emitter.ts";
import { editorToolBox } from "#editor/models/tool-box.ts";
import { TOOLS } from "#editor/models/tools.ts";
import { assertRedacted, PLANTED, REPEATED } from "../../support/planted.ts";
import { toolWindow } from "./tool-window.ts";

/** Cancellation as the editor has it. */
class CancellationTokenSource {
	readonly #cancelled = new Emitter<unknown>();
	isCancelled = false;
	readonly token: CancellationToken;

	constructor() {
		const isCancelled = () => this.isCancelled;
		this.token = {
			get isCancellationRequested() {
				return isCancelled();
			},
			onCancellationRequested: this.#cancelled.event,
		};
	}

	cancel(): void {
		this.isCancelled = true;
		this.#cancelled.fire(undefined);
	}

	dispose(): void {
		this.#cancelled.dispose();
	}
}

type Invoked = { readonly name: string; readonly input: object; readonly token: CancellationToken | undefined };

/** A tool box in an editor with these tools beside ours, which answer with `content`. */
async function boxWith(
	t: TestContext,
	others: readonly Partial<LanguageModelToolInformation>[],
	answer: () => unknown = () => [],
) {
	const { rooms, store } = await toolWindow(t, "petstore");
	const own = TOOLS.map(({ name, modelDescription }) => ({ name, description: modelDescription }));
	const tools = [...own, ...others].map((tool) => {
		return { name: "", description: "", inputSchema: undefined, tags: [], ...tool };
	});
	const invoked: Invoked[] = [];
	const lm = {
		tools,
		async invokeTool(name: string, { input }: { readonly input: object }, token?: CancellationToken) {
			invoked.push({ name, input, token });
			return { content: (await answer()) as unknown[] };
		},
	};
	const standard = TOOLS.filter(({ writes }) => !writes).map(({ name }) => name);
	// The rest of the editor's interface is not used.
	const editor = {
		lm,
		CancellationTokenSource,
		extensions: {
			all: [
				{ id: "acme.pets", packageJSON: MANIFEST },
				{ id: "odd.one", packageJSON: { contributes: { languageModelTools: [null, { name: 5 }] } } },
				{ id: "GitHub.copilot-chat", packageJSON: { contributes: { languageModelTools: [{ name: "skill" }] } } },
			],
		},
	} as unknown as Parameters<typeof editorToolBox>[1];
	const box = editorToolBox(rooms, editor, () => undefined);
	const offered = async (...names: readonly string[]) => box.offered({ tools: names });
	return { box, offered, invoked, standard, rooms, store };
}

const { signal } = new AbortController();

/** Another extension that has words for people for one of its tools. */
const MANIFEST = {
	contributes: { languageModelTools: [{ name: "told", displayName: "Told", userDescription: "Tells" }] },
};

test("a foreign tool is shown in its manifest's words, or its name and first sentence", async (t) => {
	const description = "Reads files, e.g. of a folder. Use it when the person asks for one.\n- never twice";
	const { box } = await boxWith(t, [
		{ name: "told", description },
		{ name: "mcp_a_read", description },
	]);
	assert.deepEqual(
		box
			.all()
			.slice(TOOLS.length)
			.map((tool) => [tool.label, tool.description, tool.definition.description]),
		[
			["Told", "Tells", description],
			["mcp_a_read", "Reads files, e.g. of a folder.", description],
		],
	);
});

test("a conversation offers the tools that read, in the sandbox all, or those chosen", async (t) => {
	const { box, offered, standard, rooms, store } = await boxWith(t, [{ name: "other_tool" }]);
	// All of ours have something to work on.
	Object.assign(rooms, { repositories: { areRead: true } });
	const place = { label: "A", baseUrl: "http://127.0.0.1:1", profile: "sandbox" } as const;
	rooms.registry.addPassing({ ...place, service: "codehost", id: "a", credential: { kind: "pat" } }, "a-token");
	await store.add();
	assert.deepEqual(
		box.offered({}).map(({ name }) => name),
		[...standard].sort(),
	);
	const trial = {
		id: "s",
		service: "messages",
		label: "S",
		baseUrl: "http://127.0.0.1:1",
		profile: "sandbox",
	} as const;
	assert.equal(box.offered({}, trial).length, TOOLS.length);
	const chosen = await offered("switchboard_place_order", "other_tool", "gone");
	assert.deepEqual(
		chosen.map(({ name }) => name),
		["other_tool", "switchboard_place_order"],
	);
	assert.deepEqual(await offered(), []);
	assert.deepEqual(box.names({ tools: ["gone"] }), ["gone"]);
	const names = box.all().map(({ name }) => name);
	assert.equal(new Set(names).size, names.length);
});

test("a tool of others has a valid name of its own and its own schema", async (t) => {
	const long = "x".repeat(80);
	const inputSchema = { type: "object", required: ["a"] };
	const others = [{ name: "my.tool", inputSchema }, { name: "my/tool" }, { name: long }, { name: `${long}y` }];
	const { box, offered, invoked } = await boxWith(t, others);
	const definitions = await offered(...others.map(({ name }) => name));
	const wire = definitions.map(({ name }) => name);
	assert.deepEqual(wire, ["my_tool", "my_tool_2", "x".repeat(64), `${"x".repeat(60)}_2`].sort());
	for (const name of wire) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
	assert.deepEqual(definitions[0]?.input_schema, inputSchema);
	for (const name of wire) await box.prepare(name, {}).run(signal);
	assert.deepEqual(invoked.map(({ name }) => name).sort(), others.map(({ name }) => name).sort());
});

test("a tool whose input is no object is not offered, and the choice of tools says so", async (t) => {
	const odd = [
		[],
		{ type: "array" },
		{ type: "string" },
		{ type: "object", properties: [] },
		{ required: "a" },
		{ properties: { a: "string" } },
		{ properties: { a: [] } },
		{ required: [1] },
		{ $ref: "#/$defs/a" },
	];
	const fine = [
		undefined,
		null,
		{},
		{ type: ["object", "null"] },
		{ anyOf: [{ required: ["a"] }] },
		{ properties: { a: true, b: { $ref: "#/$defs/b" } }, required: ["a"] },
	];
	const others = [...odd, ...fine].map((inputSchema, at) => ({
		name: `t${at + 10}`,
		inputSchema: inputSchema as object,
	}));
	const { box, offered } = await boxWith(t, [...others, { name: "t24" }]);
	const names = others.map(({ name }) => name);
	const tools = await offered(...names);
	assert.deepEqual(
		tools.map(({ name }) => name),
		names.slice(odd.length),
		"of two with one name one",
	);
	const left = box.all().filter(({ description }) => description.startsWith("Not offered to models:"));
	assert.deepEqual(
		left.map(({ name }) => name),
		names.slice(0, odd.length),
	);
	for (const tool of wireTools(tools, false) ?? []) {
		const { type, properties } = Object(Reflect.get(tool, "input_schema"));
		assert.deepEqual([type, properties], ["object", {}]);
	}
});

test("our tools are read by their schema; a foreign tool asks by name and extension", async (t) => {
	const others = ["mcp_files_read", "terminal_last_command", "told"].map((name) => ({ name }));
	const { box, store, invoked } = await boxWith(t, others);
	await store.add();
	const { run: _, look: __, ...prepared } = box.prepare("switchboard_set_pet_status", { pet: "7", status: "sold" });
	const [{ id: connection = "" } = {}] = store.registry.list();
	assert.deepEqual(prepared, {
		title: "Biscuit: available → sold, in Store",
		saysAll: true,
		icon: "arrow-swap",
		permission: `switchboard_set_pet_status ${connection} ${store.baseUrl}`,
		input: { pet: "7", status: "sold" },
	});
	assert.throws(() => box.prepare("switchboard_set_pet_status", { pet: "7" }), /^Error: status is missing/);
	assert.throws(() => box.prepare("no_such_tool", {}), /^Error: There is no tool no_such_tool/);
	const asked = others.map(({ name }) => box.prepare(name, {}));
	assert.deepEqual(
		asked.map(({ title, permission }) => [title, permission]),
		[
			[
				"Run tool mcp_files_read of an MCP server or the editor",
				"mcp_files_read extension an-MCP-server-or-the-editor",
			],
			[
				"Run tool terminal_last_command of an MCP server or the editor",
				"terminal_last_command extension an-MCP-server-or-the-editor",
			],
			["Run tool Told of acme.pets", "told extension acme.pets"],
		],
	);
	assert.deepEqual(invoked, []);
	await store.add();
	assert.equal(
		box.prepare("switchboard_get_inventory", { connection: store.registry.list()[1]?.id }).title,
		"Count pets by status, in Store 2",
	);
});

test("a tool that works only in the editor's own Chat is not offered and not run", async (t) => {
	const names = ["copilot_readFile", "vscode_renameSymbol", "run_in_terminal", "runSubagent", "skill"];
	const { box, offered } = await boxWith(
		t,
		[...names, "copilots"].map((name) => ({ name })),
	);
	assert.deepEqual(
		(await offered(...names, "copilots")).map(({ name }) => name),
		["copilots"],
	);
	for (const name of names) assert.throws(() => box.prepare(name, {}), /There is no tool/);
});

test("a permission ends where its connection moves to another address", async (t) => {
	const { box, store } = await boxWith(t, []);
	const connection = await store.add();
	const permission = () => box.prepare("switchboard_delete_order", { order: 1 }).permission;
	const before = permission();
	for (const baseUrl of [`${store.baseUrl}/v2`, "https://other.example"]) {
		store.settings.value = [{ ...connection, baseUrl }];
		assert.notEqual(permission(), before);
	}
});

test("the result of a foreign tool is text that is joined, redacted and bounded", async (t) => {
	const json = { mimeType: "application/json", data: new TextEncoder().encode('{"a":1}') };
	const image = { mimeType: "image/png", data: new Uint8Array(2_000) };
	let content: unknown[] = [{ value: "one" }, json, image, { value: { tree: [1] } }];
	const { box, rooms } = await boxWith(t, [{ name: "other" }], () => content);
	const output = async () => {
		const end = await box.prepare("other", {}).run(signal);
		return typeof end === "string" ? assert.fail("no output") : end;
	};
	const run = async () => (await output()).text.split("\n").slice(1);
	assert.deepEqual(await run(), ["one", '{"a":1}', "", "[Left out: image/png, 2 KB]", "", '{"tree":[1]}']);
	assert.deepEqual((await output()).images, []);
	const png = Buffer.from("89504e470d0a1a0a", "hex");
	content = [{ value: "Here:" }, { mimeType: "image/jpeg", data: png }];
	assert.deepEqual([(await run())[0], (await output()).images], ["Here:", [png.toString("base64")]]);
	rooms.redactor.register(PLANTED);
	content = [{ value: `${REPEATED}\n${"x".repeat(70_000)}` }];
	const lines = await run();
	assertRedacted(lines.join("\n"));
	assert.match(lines.at(-1) ?? "", /^\(Left out: the last 70 KB of 70 KB/);
});

test("stopping a tool of others cancels it", async (t) => {
	const { box, invoked } = await boxWith(t, [{ name: "other" }], () => new Promise(() => undefined));
	const stop = new AbortController();
	void box.prepare("other", { a: 1 }).run(stop.signal);
	stop.abort();
	assert.deepEqual([invoked[0]?.input, invoked[0]?.token?.isCancellationRequested], [{ a: 1 }, true]);
});
