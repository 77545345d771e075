import assert from "node:assert/strict";
import { test } from "node:test";
import type { InputMessage } from "#api/messages/model.ts";
import { Branches, NOTHING } from "#app/chat/branches.ts";
import type { SessionEvent } from "#app/chat/changes.ts";
import { recordsOf } from "#app/chat/changes.ts";
import type { ConversationState, ReplyEntry } from "#app/chat/conversation.ts";
import { Conversations, isAsking } from "#app/chat/conversations.ts";
import { exportJson, exportMarkdown, importJson } from "#app/chat/export-conversation.ts";
import { forkAt } from "#app/chat/fork.ts";
import { imagesOf } from "#app/chat/images.ts";
import { inputMessages } from "#app/chat/input-messages.ts";
import { journalLine } from "#app/chat/journal.ts";
import { JournalReader } from "#app/chat/journal-reader.ts";
import { requestTokens } from "#app/chat/request.ts";
import { search } from "#app/chat/search.ts";
import { ChatSession } from "#app/chat/session.ts";
import { FOREIGN, type ToolBox } from "#app/chat/tool-box.ts";
import { conversationView } from "#app/chat/view.ts";
import { CONTRACT_CAPABILITIES } from "#app/connections/model-capabilities.ts";
import { LIMITS } from "#base/limits.ts";
import { describeEnding } from "#editor/words/reply-words.ts";
import { chatWindow, storageFolder } from "../../../support/chat-window.ts";
import { callBlock, settle, textDelta as text } from "../../../support/scripted-sender.ts";
import { ScriptedTools, toolChat } from "../../../support/tool-chat.ts";

/** A conversation of three rounds, with the lines of its journal, one write for each of its events. */
async function kept() {
	const all = await toolChat();
	const { session, sender, tools, call, answer } = all;
	let written = NOTHING;
	const lines: string[] = [];
	session.onDidChange(() => {
		lines.push(...recordsOf(written, session.state, 1).map(journalLine));
		written = session.state;
	});
	const sending = session.send("go");
	await settle();
	const thought = { key: "0", index: 0, type: "thinking", text: "Hm.", open: true };
	sender.last.put(thought);
	sender.last.put({ ...thought, signature: "signed", open: false, key: "1", index: 1 });
	sender.last.take(text("Let me see.", 2));
	sender.last.put({ key: "3", index: 3, type: "tool_use", text: '{"at":"a"}', open: false, ...LOOK });
	sender.last.put({ key: "4", index: 4, type: "tool_use", text: "", open: false, stopped: true, ...SELL });
	await call();
	tools.runs[0]?.done(`${FOREIGN}\na needle`);
	await answer("conversation");
	tools.runs[1]?.done("sold");
	await settle();
	await call("drop");
	await answer("deny", "never");
	await sender.answer("Done.");
	await sending;
	return { ...all, lines };
}

const LOOK = { stopped: true, tool: { id: "call_a", name: "look" } };
const SELL = { tool: { id: "call_b", name: "sell" } };
const ABLE = { ...CONTRACT_CAPABILITIES, tools: true };

const readerOf = (lines: readonly string[]) => new JournalReader().take(Buffer.from(lines.join("")));
const repliesOf = ({ entries }: Pick<ConversationState, "entries">) =>
	entries.filter((each) => each.role === "assistant");
const callsOf = (state: Pick<ConversationState, "entries">) => repliesOf(state).flatMap(({ calls }) => calls);

/** Every call has its result in the message that follows it, first in that, and roles alternate. */
function assertPaired(messages: readonly InputMessage[]): void {
	const idsOf = (message: InputMessage | undefined, field: "id" | "tool_use_id") =>
		typeof message?.content === "object"
			? message.content.flatMap((block) =>
					field in block ? [(block as unknown as Record<string, string>)[field]] : [],
				)
			: [];
	for (const [n, message] of messages.entries()) {
		assert.equal(message.role, n % 2 === 0 ? "user" : "assistant");
		if (message.role === "assistant") assert.deepEqual(idsOf(messages[n + 1], "tool_use_id"), idsOf(message, "id"));
		const types = typeof message.content === "string" ? [] : message.content.map(({ type }) => type === "tool_result");
		if (message.role === "user") assert.deepEqual(types, types.toSorted().reverse());
	}
}

test("after a crash at any line a call has ended or asks again, and is never rerun", async () => {
	const { lines, session, parts, sender, tools } = await kept();
	const whole = new Map(callsOf(session).map((call) => [call.title, call]));
	const seen = new Set<string>();
	const [runs, asked] = [tools.runs.length, sender.replies.length];
	for (let cut = 1; cut <= lines.length; cut++) {
		const found = readerOf(lines.slice(0, cut)).found();
		for (const reply of repliesOf(found)) {
			for (const call of reply.calls) {
				seen.add(call.state);
				if (call.state === "interrupted" || call.state === "refused") {
					assert.equal(reply.ended?.outcome, "interrupted");
					assert.match(call.result ?? "", /^The window was closed /);
				} else assert.deepEqual(call, whole.get(call.title));
			}
		}
		assertPaired(inputMessages([...found.entries, turn(found.entries.at(-1)?.id)], ABLE));
		const restored = new ChatSession("again", parts, found);
		await settle();
		assert.deepEqual([restored.busy, tools.runs.length, sender.replies.length], [false, runs, asked]);
		restored.resume();
		await settle();
		assert.equal(restored.busy, isAsking(restored.entries.at(-1)));
		if (restored.busy) seen.add("asking");
		restored.stop();
		await settle();
		assert.deepEqual([restored.busy, tools.runs.length, sender.replies.length], [false, runs, asked]);
		if (restored.entries.at(-1) !== found.entries.at(-1)) continue;
		// Words for the card, and a way on where a call has no answer yet.
		const last = restored.entries.at(-1);
		if (last?.role !== "assistant" || last.calls.length === 0 || last.ended === undefined) continue;
		assert.ok(describeEnding(last.ended, last)?.actions.includes("continue"));
	}
	assert.deepEqual([...seen].sort(), ["asking", "denied", "done", "interrupted", "refused"]);
	const found = readerOf(lines).found();
	assert.deepEqual(callsOf(found), callsOf(session));
	const connectionId = repliesOf(session)[0]?.connectionId;
	assert.deepEqual(found.facts, { allowed: [`sell@s1 ${connectionId} https://a.example`] });
	const replayed = (state: Pick<ConversationState, "entries">) =>
		inputMessages(state.entries, { ...ABLE, model: "default", connectionId, thinking: "adaptive" });
	assert.deepEqual(replayed(found), replayed(session), "with the signature of its thinking");
	assert.match(JSON.stringify(replayed(found)), /"signature":"signed"/);
});

test("a call is on disk as running before it runs, so one that asked was not run", async (context) => {
	const folder = await storageFolder(context);
	const tools = new ScriptedTools();
	const atRun: ReturnType<typeof a.store.read>[] = [];
	const watched: ToolBox = {
		offered: () => tools.offered(),
		has: () => false,
		prepare(name, input) {
			const prepared = tools.prepare(name, input);
			const run = (signal: AbortSignal) => {
				atRun.push(a.store.read(session.id));
				return prepared.run(signal);
			};
			return { ...prepared, run };
		},
	};
	const a = await chatWindow(context, { folder, more: { tools: watched, capabilities: () => ABLE } });
	const session = a.conversations.active;
	const sending = session.send("go");
	await a.until(() => a.sender.replies.length > 0);
	a.sender.last.put(callBlock("look"), callBlock("sell", {}, 1));
	a.sender.last.end({ outcome: "tool-use" });
	await a.until(() => atRun.length > 0);
	assert.deepEqual(
		callsOf((await atRun[0]) ?? NOTHING).map(({ name, state }) => `${name} ${state}`),
		["look interrupted", "sell refused"],
	);
	await a.store.flush();
	a.close();
	session.dispose();
	await sending;
	assert.equal(callsOf(session)[0]?.state, "stopped");
	const b = await chatWindow(context, { folder, more: { tools, capabilities: () => ABLE } });
	const restored = (await b.conversations.open(session.id)) ?? assert.fail("it is not there");
	assert.deepEqual(
		callsOf(restored).map(({ state }) => state),
		["interrupted", "asking"],
	);
	assert.deepEqual([restored.busy, tools.runs.length], [true, 1]);
	restored.dispose();
});

/** A conversation with these calls whose window closes while one of them asks, and is opened again. */
async function reopened(calls: readonly (string | readonly [string, object])[], more: object = {}) {
	const first = await toolChat();
	void first.session.send("go");
	await first.call(...calls);
	await settle();
	const lines = recordsOf(NOTHING, first.session.state, 1).map(journalLine);
	first.session.dispose();
	const again = await toolChat(more);
	const session = new ChatSession("again", again.parts, readerOf(lines).found());
	session.resume();
	await settle();
	const states = () => callsOf(session).map(({ name, state }) => `${name} ${state}`);
	const answer = async (answer: "once" | "conversation" | "deny") => {
		const key = callsOf(session).find(({ state }) => state === "asking")?.key ?? "";
		await session.answerCall(repliesOf(session)[0]?.id ?? "", key, { answer });
		await settle();
	};
	return { ...again, session, states, answer };
}

test("an opened conversation asks again what a closed window asked, and goes on", async () => {
	const { session, sender, tools, states, answer, parts } = await reopened([["sell", { id: 2 }], "look", "drop"]);
	assert.deepEqual(states(), ["sell asking", "look interrupted", "drop waiting"], "reads are not repeated");
	assert.deepEqual([session.busy, tools.runs.length, sender.replies.length], [true, 0, 0]);
	await answer("once");
	assert.deepEqual([tools.names, tools.runs[0]?.input], [["sell"], { id: 2 }]);
	tools.runs[0]?.done("sold");
	await settle();
	await answer("deny");
	assert.deepEqual(states(), ["sell done", "look interrupted", "drop denied"]);
	const results = JSON.stringify(sender.last.request.messages.at(-1));
	assert.match(results, /"sold".*The window was closed before this call had ended.*did not allow/);
	await sender.answer("Done.");
	await settle();
	const { outcome } = repliesOf(session).at(-1)?.ended ?? {};
	assert.deepEqual([session.busy, outcome], [false, "complete"]);
	const kept = readerOf(recordsOf(NOTHING, session.state, 1).map(journalLine)).found();
	const later = new ChatSession("later", parts, kept);
	later.resume();
	assert.equal(later.busy, false);
});

test("opening a conversation runs nothing, even what may run without a question", async () => {
	const { session, tools, states, answer } = await reopened(["sell", "sell"], {
		approvals: { list: () => ["sell@s1 connection-1 https://a.example"], allow: async () => undefined },
	});
	assert.deepEqual([states(), tools.runs.length], [["sell asking", "sell waiting"], 0]);
	await answer("conversation");
	tools.runs[0]?.done("sold");
	await settle();
	assert.deepEqual(states(), ["sell done", "sell running"]);
	session.stop();
});

test("nothing asks again where its tool is gone, or the person stopped it", async () => {
	const gone = Object.assign(new ScriptedTools(), { offered: () => [] });
	const { session, sender, states } = await reopened(["sell"], { tools: gone });
	assert.deepEqual([session.busy, states(), sender.replies.length], [false, ["sell refused"], 0]);
	const other = await reopened(["sell"]);
	other.session.stop();
	await settle();
	other.session.resume();
	assert.deepEqual([other.session.busy, other.states()], [false, ["sell stopped"]]);
});

const turn = (parent = "") => ({ role: "user", id: "next", parent, text: "and?", attachments: [], at: 0 }) as const;

test("a window that follows another shows its calls as they go, and runs none", async () => {
	const { lines, session, parts, sender, tools } = await kept();
	const other = new ChatSession("chat", parts);
	other.setReadOnly(true);
	const events: SessionEvent["type"][] = [];
	other.onDidChange(({ type }) => events.push(type));
	const states = new Set<string>();
	const [runs, asked] = [tools.runs.length, sender.replies.length];
	const clock = { now: () => 1, monotonic: () => 1 };
	const reader = new JournalReader();
	for (const line of lines) {
		events.length = 0;
		other.follow(reader.take(Buffer.from(line)).found(clock));
		for (const { name, state } of callsOf(other)) states.add(`${name} ${state}`);
		if (line.includes('"t":"call"')) assert.deepEqual(events, ["block"], "as a change of its block alone");
	}
	for (const state of ["look running", "look done", "sell asking", "sell running", "drop denied"]) {
		assert.ok(states.has(state), state);
	}
	assert.deepEqual(callsOf(other), callsOf(session));
	assert.deepEqual([tools.runs.length, sender.replies.length], [runs, asked]);
	await assert.rejects(other.send("mine"), { code: "invalid" });
});

test("an export holds the calls: JSON whole, to go on from, and Markdown folded away", async () => {
	const { session } = await kept();
	const exported = { ...session.state, title: "T", path: session.entries };
	const imported = importJson(exportJson(exported));
	const told = ({ calls, reply }: ReplyEntry) => [
		calls,
		reply?.blocks.map(({ stopped: _, unstarted: __, ...block }) => ({ ...block, open: false })),
	];
	assert.deepEqual(repliesOf(imported).map(told), repliesOf(session).map(told));
	assert.equal(imported.facts.allowed, undefined, "nothing is allowed by a file");
	const open = exportJson(exported).replaceAll('"denied"', '"running"');
	assert.equal(callsOf(importJson(open)).at(-1)?.state, "interrupted");
	const details =
		'<details>\n<summary>look {"at":"a"} (done)</summary>\n\n```\n{"at":"a"}\n```\n\n```\na needle\n```\n\n</details>';
	assert.ok(exportMarkdown({ ...exported, path: new Branches(imported).path }).includes(details));
});

test("a result is shown without the line that the model gets above it", async () => {
	const { session } = await kept();
	const shown = JSON.stringify(
		conversationView(session, { busy: false }, { now: 1, describe: describeEnding, session }),
	);
	assert.match(shown, /"result":"a needle"/);
	assert.ok(JSON.stringify(inputMessages(session.entries, ABLE)).includes(FOREIGN));
});

test("a fork takes the calls without permissions, and is refused while one asks", async () => {
	const { session, parts, drafts, call } = await kept();
	const conversations = new Conversations(parts);
	const { session: fork } = forkAt(session.entries.at(-1)?.id ?? "", session, { conversations, drafts });
	assert.deepEqual(callsOf(fork), callsOf(session));
	assert.equal(fork.facts.allowed, undefined);
	void session.send("again");
	await call("drop");
	assert.throws(() => forkAt(session.entries.at(-1)?.id ?? "", session, { conversations, drafts }), {
		code: "invalid",
	});
	session.stop();
});

test("a call's input and result are searchable and count in the request's size", async () => {
	const { session, lines } = await kept();
	const pieces = async function* () {
		yield Buffer.from(lines.join(""));
	};
	const listed = { id: "c", title: "T", snippet: "", at: 0, pinned: false, messages: 1 };
	for (const words of ["a needle", "look {"]) {
		const { value } = await search(words, [listed], { pieces }).next();
		assert.equal(value?.message, repliesOf(session)[0]?.id, words);
	}
	const without = session.entries.map((entry) => (entry.role === "user" ? entry : { ...entry, calls: [] }));
	assert.ok(requestTokens(session.entries) > requestTokens(without) + 20);
});

test("an image in a result reaches a model that sees, and is a line for others", async () => {
	const image = { hash: "a".repeat(64), mediaType: "image/png", bytes: 3, width: 1, height: 1 } as const;
	const tools = new ScriptedTools();
	const prepare: ToolBox["prepare"] = (title) => {
		return { title, icon: "eye", run: async () => ({ text: "Here:", images: ["AAAA"] }) };
	};
	const capabilities = () => ({ ...ABLE, images: true });
	const { session, sender, call, calls } = await toolChat({
		tools: Object.assign(tools, { prepare }),
		capabilities,
		keepImage: async () => image,
		image: async () => "AAAA",
	});
	void session.send("look");
	await call("look");
	await settle();
	const source = { type: "base64", media_type: "image/png", data: "AAAA" };
	const content = [
		{ type: "text", text: "Here:" },
		{ type: "image", source },
	];
	const result = { type: "tool_result", tool_use_id: "call_0", content };
	assert.deepEqual(sender.last.request.messages.at(-1)?.content, [result]);
	assert.deepEqual(calls()[0]?.images, [image]);
	const { entries } = readerOf(recordsOf(NOTHING, session.state, 1).map(journalLine)).found();
	assert.deepEqual(inputMessages(entries, { ...ABLE, images: true }).at(-1)?.content, [
		{ ...result, content: [content[0], { type: "image", source: { ...source, data: image.hash } }] },
	]);
	assert.match(
		JSON.stringify(inputMessages(entries, ABLE)),
		/Here:\\n\[An image was left out: images are off for this model\.\]/,
	);
	assert.deepEqual(imagesOf({ entries, facts: {} }), [image.hash]);
	session.stop();
});

test("an image counts as a result, and one that cannot be kept leaves the text", async () => {
	const tools = new ScriptedTools();
	const prepare: ToolBox["prepare"] = (title) => {
		return { title, icon: "eye", run: async () => ({ text: "Here:", images: ["AAAA", "BBBB"] }) };
	};
	const { session, call, calls } = await toolChat({
		tools: Object.assign(tools, { prepare }),
		keepImage: async (data: string) => {
			if (data === "BBBB") throw new Error("no image");
			return { hash: "a".repeat(64), mediaType: "image/png", bytes: LIMITS.messageResultBytes, width: 1, height: 1 };
		},
	});
	void session.send("look");
	await call("look");
	await settle();
	const [done] = calls();
	assert.deepEqual(
		[done?.state, done?.result, done?.images?.length],
		["done", "Here:\n[An image was left out: it could not be kept.]", 1],
	);
	assert.match(repliesOf(session).at(-1)?.ended?.spent ?? "", /KB of results/);
	session.stop();
});
