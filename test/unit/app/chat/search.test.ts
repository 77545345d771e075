import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type FoundPlace, search } from "#app/chat/search.ts";
import { chatWindow } from "../../../support/chat-window.ts";
import { textDelta as delta } from "../../../support/scripted-sender.ts";

async function setUp(context: TestContext) {
	const window = await chatWindow(context);
	const { files, store } = window;
	/** All that is found, by the id of the conversation. */
	const find = async (query: string, signal?: AbortSignal) => {
		const found: FoundPlace[] = [];
		for await (const place of search(query, await store.list(), files, signal)) found.push(place);
		return found.sort((a, b) => a.conversation.id.localeCompare(b.conversation.id));
	};
	const snippets = async (query: string) => (await find(query)).map(({ snippet }) => snippet);
	return { ...window, find, snippets };
}

test("a search covers turns, replies and titles in any case, and shows an excerpt", async (context) => {
	const { store, conversations, talk, find } = await setUp(context);
	await talk(conversations.create("one"), "Where is the Needle?", "In the haystack.");
	await talk(conversations.create("two"), "And now?", `${"hay ".repeat(50)}a\nneedle ${"hay ".repeat(50)}`);
	await talk(conversations.create("three"), "Nothing", "at all");
	await talk(conversations.create("four"), "Nothing", "at all");
	await store.change("four", { t: "facts", title: "Needles and pins" });
	const found = await find(" NEEDLE ");
	assert.deepEqual(
		found.map(({ conversation, message }) => [conversation.id, message === undefined]),
		[
			["four", true],
			["one", false],
			["two", false],
		],
	);
	assert.equal(found[1]?.snippet, "Where is the Needle?");
	assert.match(found[2]?.snippet ?? "", /^…[hay ]+ a needle hay [hay ]+…$/);
	assert.equal(found[2]?.message, conversations.get("two")?.entries[1]?.id);
	for (const query of ["", "text", '"t":']) assert.deepEqual(await find(query), []);
});

test("neither a title nor an excerpt reorders or breaks its row", async (context) => {
	const { store, conversations, talk, find } = await setUp(context);
	await talk(conversations.create("one"), "\u202eWhere is\u0000 the\u2066 Needle?", "In the haystack.");
	await store.change("one", { t: "facts", title: "\u202eMine\nand\u2067 yours" });
	assert.equal(conversations.get("one")?.title, "Mine and yours");
	const [place] = await find("needle");
	assert.equal(place?.snippet, "Where is the Needle?");
	assert.deepEqual([place?.conversation.title, place?.conversation.snippet], ["Mine and yours", "In the haystack."]);
});

test("a text is found that was written in pieces", async (context) => {
	const { store, conversations, sender, until, snippets } = await setUp(context);
	const pending = conversations.active.send("hello");
	await until(() => sender.replies.length > 0);
	for (const piece of ["a nee", "d", "le in pieces ü", "ber"]) {
		sender.last.take(delta(piece));
		await store.flush();
	}
	sender.last.end({ outcome: "complete" });
	await pending;
	assert.equal((await snippets("needle in pieces über")).length, 1);
});

test("a search that is given up ends", async (context) => {
	const { store, conversations, talk, files } = await setUp(context);
	for (const name of ["one", "two", "three"]) await talk(conversations.create(name), "needle", "yes");
	const abort = new AbortController();
	let found = 0;
	for await (const _ of search("needle", await store.list(), files, abort.signal)) {
		found += 1;
		abort.abort();
	}
	assert.equal(found, 1);
});

test("an excerpt surrounds its match, also after letters longer in lower case", async (context) => {
	const { conversations, talk, snippets } = await setUp(context);
	await talk(conversations.active, `${"\u0130".repeat(300)} a needle in \u0130stanbul ${"x".repeat(300)}`, "ok");
	for (const query of ["NEEDLE", "in \u0130stan", "in istan"]) {
		assert.match((await snippets(query)).join("|"), /^…[^|]*a needle in \u0130stanbul[^|]*$/);
	}
});

test("a phrase is found as read on screen, across line breaks and Markdown marks", async (context) => {
	const { conversations, talk, snippets } = await setUp(context);
	const said = "say hello\n\tworld now, see the **quick** fox and\ncall `foo_bar`, 2 ** 3";
	await talk(conversations.active, "Hi", said);
	for (const query of ["Hello  World", "the quick fox", "call foo_bar, 2", "the **quick** fox", "2 ** 3", "**"]) {
		assert.equal((await snippets(query)).length, 1, query);
	}
	for (const query of ["helloworld", "the slow fox", "the quick  foxes"]) {
		assert.deepEqual(await snippets(query), [], query);
	}
	assert.match((await snippets("hello world"))[0] ?? "", /^say hello world now/);
});

test("an accent is found however it is written, in what was said as in titles", async (context) => {
	const { store, conversations, talk, snippets } = await setUp(context);
	const [whole, apart] = ["caf\u00e9", "cafe\u0301"];
	await talk(conversations.create("a"), `In a ${whole} by the sea`, "ok");
	await talk(conversations.create("b"), `In a ${apart} by the sea`, "ok");
	await talk(conversations.create("c"), "Nothing", "at all");
	await store.change("c", { t: "facts", title: `The ${apart}` });
	const said = `In a ${whole} by the sea`;
	for (const query of [whole, apart]) assert.deepEqual(await snippets(query), [said, said, "at all"]);
});

test("an excerpt of a call or of attached data is its words, and never JSON", async () => {
	const pet = '{\n  "id": 7,\n  "name": "Biscuit \\"B\\"",\n  "tags": []\n}';
	const attachments = [{ id: "x", kind: "pet", label: "Pet 7", text: pet, language: "json" }];
	const input = '{"pet":"7","status":"so';
	const result = '2 of 2 pets:\n{"id":1,"name":"Clover","photoUrls":["a\\nb"]}\n{"id":2,"name":"Maple"}';
	const call = { key: "1", id: "c", name: "find", title: "Find pets", icon: "squirrel", state: "done", result };
	const records = [
		{ t: "turn", id: "u1", parent: null, text: "Sell it", attachments, at: 1 },
		{ t: "text", reply: "r1", key: "1", index: 1, type: "tool_use", at: 0, text: input },
		{ t: "call", reply: "r1", ...call },
	];
	const lines = new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
	const files = { pieces: () => ReadableStream.from([lines]) };
	const conversation = { id: "one", title: "One", snippet: "", at: 1, pinned: false, messages: 2 };
	const snippets = async (query: string) => {
		const found: string[] = [];
		for await (const { snippet } of search(query, [conversation], files)) found.push(snippet.trim());
		return found;
	};
	for (const [query, snippet] of [
		["biscuit", 'id: 7, name: Biscuit "B", tags:'],
		["status", "pet: 7, status: so"],
		["clover", "Find pets 2 of 2 pets: id: 1, name: Clover, photoUrls: a b id: 2, name: Maple"],
	] as const) {
		assert.deepEqual(await snippets(query), [snippet]);
	}
	for (const query of ['"id":', '{"pet"', "photoUrls:["]) assert.deepEqual(await snippets(query), [], query);
});

test("a conversation is found by the name of what is attached in it, and by its text", async (context) => {
	const { store, conversations, sender, until, find } = await setUp(context);
	const attachments = [{ id: "x", kind: "file", label: "haystack.ts", text: "let needle = 1;" }] as const;
	const pending = conversations.active.send("What is this?", { attachments });
	await until(() => sender.replies.length > 0);
	sender.last.end({ outcome: "complete" });
	const { parent } = await pending;
	await store.flush();
	for (const [query, snippet] of [
		["HAYSTACK.TS", "haystack.ts"],
		["Needle", "let needle = 1;"],
	] as const) {
		const found = (await find(query)).map((place) => [place.message, place.snippet]);
		assert.deepEqual(found, [[parent, snippet]]);
	}
});
