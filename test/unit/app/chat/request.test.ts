import assert from "node:assert/strict";
import { test } from "node:test";
import { turnText } from "#app/chat/attachments.ts";
import type { AskedWith } from "#app/chat/reply-under-way.ts";
import { keepRequest, nextTurn, requestOf, requestTokens } from "#app/chat/request.ts";
import { ChatSession } from "#app/chat/session.ts";
import { ClientError } from "#base/errors.ts";
import { sizeOf } from "#base/tokens.ts";
import { chatParts, MESSAGES } from "../../../support/chat-parts.ts";
import { settle } from "../../../support/scripted-sender.ts";

const FILE = { id: "a1", kind: "file", label: "a.ts", text: "let a = '```';" } as const;

async function setUp() {
	const all = chatParts();
	const { id } = await all.registry.add(
		{
			...MESSAGES,
			profile: "anthropic",
			model: "m",
			models: [{ name: "m", capabilities: { prefill: true, caching: false } }],
		},
		"key-12345",
	);
	const asked = new Map<string, AskedWith>();
	const parts = { ...all.parts, asked: keepRequest.bind(undefined, asked) };
	const session = new ChatSession("chat", parts);
	const say = async (words: string, attachments: readonly (typeof FILE)[] = []) => {
		const sending = session.send(words, { attachments });
		await all.sender.answer(`answer to ${words}`);
		return sending;
	};
	const next = (words: string, attachments: readonly (typeof FILE)[] = []) =>
		requestOf(session, { next: { text: words, attachments } }, { asked, parts });
	return { ...all, connection: id, session, asked, parts, say, next };
}

test("the preview is the request as sent, with a placeholder for the key", async () => {
	const { next, say, sender } = await setUp();
	await say("one");
	const shown = await next("two", [FILE]);
	await say("two", [FILE]);
	const { messages, model, maxTokens } = sender.last.request;
	assert.deepEqual(shown.body, { model, messages, max_tokens: maxTokens, stream: true });
	assert.equal(messages.length, 3);
	assert.match(
		String(messages[2]?.content),
		/^The person attached .*\n\nFile: a\.ts\n````\nlet a = '```';\n````\n\ntwo$/s,
	);
	assert.deepEqual([shown.method, shown.url], ["POST", "https://a.example/v1/messages"]);
	assert.equal(shown.headers["x-api-key"], "{key}");
	assert.doesNotMatch(JSON.stringify(shown), /key-12345/);
});

test("the preview of the next message has no secret in it, like the request", async () => {
	const { session, asked, parts } = await setUp();
	const redact = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("hush-12345", "[redacted]"));
	let isReady = false;
	const secretFilter = {
		ready: async () => {
			isReady = true;
		},
		redact: <T>(value: T) => (isReady ? redact(value) : value),
		heldBack: () => 0,
	};
	const next = { text: "mine is hush-12345", attachments: [{ ...FILE, text: "hush-12345" }] };
	const { body } = await requestOf(session, { next }, { asked, parts: { ...parts, secretFilter } });
	assert.doesNotMatch(JSON.stringify(body), /hush-12345/);
	assert.equal(JSON.stringify(body).split("[redacted]").length, 3);
});

test("a request is shown with the size of its images in place of their bytes", async () => {
	const { say, session, asked, parts } = await setUp();
	const { id } = await say("one");
	const kept = asked.get(id) ?? assert.fail();
	const source = { type: "base64", media_type: "image/png", data: "a".repeat(64) } as const;
	asked.set(id, {
		...kept,
		request: { ...kept.request, messages: [{ role: "user", content: [{ type: "image", source }] }] },
	});
	const image = async () => "A".repeat(5_000);
	const next = { text: "", attachments: [] };
	const { body } = await requestOf(session, { message: id, next }, { asked, parts: { ...parts, image } });
	assert.match(JSON.stringify(body), /"data":"<5 KB of base64>"/);
	assert.doesNotMatch(JSON.stringify(body), /aaaa|AAAA/);
});

test("the request of a reply is the one that was sent, whatever has changed since", async () => {
	const { say, session, sender, defaults, asked, parts } = await setUp();
	const first = await say("one", [FILE]);
	const { messages } = sender.last.request;
	defaults.value = { model: "other", maxTokens: 7, system: "changed" };
	await say("two");
	const shown = async (message: string) =>
		requestOf(session, { message, next: { text: "", attachments: [] } }, { asked, parts });
	for (const message of [first.id, first.parent]) {
		const { body, note } = await shown(message);
		assert.deepEqual(body, { model: "m", messages, max_tokens: 100, stream: true });
		assert.equal(note, undefined);
	}
	await assert.rejects(shown("nobody"), /is not a reply/);
});

test("the request of a continued reply is the last one sent, with its continuation", async () => {
	const { session, sender, asked, parts } = await setUp();
	const sending = session.send("story");
	await sender.answer("Once upon ", "truncated");
	const going = session.continueReply((await sending).id);
	const shown = async (message: string) => {
		const { body } = await requestOf(session, { message, next: { text: "", attachments: [] } }, { asked, parts });
		assert.ok(typeof body === "object" && body !== null && "messages" in body);
		return body.messages;
	};
	await settle();
	const { id } = session.entries.at(-1) ?? assert.fail("there is none");
	assert.deepEqual(sender.last.request.messages.at(-1), { role: "assistant", content: "Once upon" });
	assert.deepEqual(await shown(id), sender.last.request.messages);
	sender.last.end({ outcome: "failed", error: new ClientError("messages", "invalid", "no prefill", { status: 400 }) });
	await settle();
	assert.match(String(sender.last.request.messages.at(-1)?.content), /^Your last message was cut off/);
	assert.deepEqual(await shown(id), sender.last.request.messages);
	sender.last.end({ outcome: "complete" });
	await going;
});

test("a reply of an earlier window is shown as it can be rebuilt, and that is said", async () => {
	const { say, session, sender, parts } = await setUp();
	const first = await say("one");
	const { messages } = sender.last.request;
	await say("two");
	const wanted = { message: first.id, next: { text: "", attachments: [] } };
	const { body, note } = await requestOf(session, wanted, { asked: new Map(), parts });
	assert.deepEqual(body, { model: "m", messages, max_tokens: 100, stream: true });
	assert.match(note ?? "", /^Rebuilt/);
});

test("without a connection there is no request to show", async () => {
	const { next, registry, connection } = await setUp();
	await registry.remove(connection);
	await assert.rejects(next("one"), /connection is missing/);
});

test("the requests of the last fifty replies are kept", async () => {
	const { parts, session, asked } = await setUp();
	const connection = session.target.connection ?? assert.fail("there is none");
	const request = { model: "m", messages: [], maxTokens: 1 };
	for (let at = 0; at <= 50; at++) parts.asked(`r${at}`, { connection, request });
	assert.equal(asked.get("r0"), undefined);
	assert.notEqual(asked.get("r1"), undefined);
	assert.notEqual(asked.get("r50"), undefined);
});

test("an estimate counts the instructions, the conversation and the attachments", async () => {
	const { say, session } = await setUp();
	await say("one");
	const next = nextTurn({ text: "", attachments: [FILE] });
	const texts = ["be kind", "one", "answer to one", turnText("", [FILE])];
	const sum = texts.reduce((tokens, text) => tokens + sizeOf(text).tokens, 0);
	assert.equal(requestTokens([...session.entries, next], "be kind"), sum);
	const image = { hash: "h", mediaType: "image/png", bytes: 9, width: 1, height: 1 };
	const seen = nextTurn({ text: "", attachments: [{ ...FILE, image }] });
	assert.equal(requestTokens([...session.entries, seen], "be kind"), sum + 1_600);
});
