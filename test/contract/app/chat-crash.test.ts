import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { entryText } from "#app/chat/conversation.ts";
import { ConversationStore } from "#app/chat/conversation-store.ts";
import { systemClock } from "#base/clock.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { type Sandbox, startSandbox } from "#sandbox/sandbox.ts";
import { MemoryLog } from "../../support/memory-editor.ts";
import type { ChatSign, ChatTask } from "./chat-process.ts";

const PROGRAM = fileURLToPath(new URL("chat-process.ts", import.meta.url));

/** Words that differ, so that a piece that is missing or twice is seen. */
const STORY = Array.from({ length: 3_000 }, (_, n) => `word${n}`).join(" ");

const KILLS = 50;

/** A write opens, writes, looks and closes, or renames; and one may just be under way. */
const OPERATIONS = 8;

let sandbox: Sandbox;
let folder: string;

before(async () => {
	sandbox = await startSandbox();
	folder = await mkdtemp(join(tmpdir(), "switchboard-crash-"));
});

after(async () => {
	await sandbox.close();
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The store as the next window has it. */
function nextWindow() {
	const none = { redact: <T>(value: T) => value, heldBack: () => 0 };
	const secretFilter = { ready: async () => undefined, ...none };
	const parts = { files: new ConversationFiles(folder), clock: systemClock, log: new MemoryLog(), secretFilter };
	return new ConversationStore(parts, process.pid);
}

function start(task: Pick<ChatTask, "conversation" | "turns" | "faults" | "types">) {
	const whole: ChatTask = { ...task, folder, baseUrl: sandbox.baseUrls.messages, key: sandbox.keys.messages };
	const child = spawn(process.execPath, [PROGRAM, JSON.stringify(whole)], { stdio: ["ignore", "pipe", "inherit"] });
	const signs: ChatSign[] = [];
	createInterface(child.stdout).on("line", (line) => {
		// The last one may have been cut off.
		if (line.endsWith("}")) signs.push(JSON.parse(line));
	});
	const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
	return { child, signs, ended };
}

async function streaming({ signs, child }: { readonly signs: readonly ChatSign[]; readonly child: ChildProcess }) {
	while (!signs.some(({ received }) => received > 0)) {
		assert.equal(child.exitCode, null, "the process ended before it had text");
		await delay(5);
	}
}

async function killOnce(conversation: string): Promise<void> {
	const window = start({
		conversation,
		turns: [`precious words of ${conversation}`],
		types: true,
		faults: { say: [STORY], wordDelayMs: 1 },
	});
	if (Math.random() < 0.8) await streaming(window);
	await delay(Math.random() * 700);
	window.child.kill("SIGKILL");
	await window.ended;
	// Since its last sign of life it did nothing: on a busy machine that may be a while before its end, and each of the
	// operations that a write consists of takes its time there.
	const last = window.signs.at(-1);
	if (last === undefined) return;
	const allowed = 250 + OPERATIONS * last.lag;
	const sure = window.signs.findLast(({ at }) => at <= last.at - allowed) ?? { received: 0, typed: 0 };
	const store = nextWindow();
	const found = await store.open(conversation);
	const draft = store.drafts.of(conversation).text.length;
	store.dispose();
	assert.ok(draft >= sure.typed && draft <= last.typed, `${draft} of ${sure.typed} typed`);
	// A request that has left is one whose turn is on the disk, however short ago that was.
	if (last.asked > 0) assert.equal(found?.entries.map(entryText)[0], `precious words of ${conversation}`);
	const reply = found?.entries[1];
	const text = reply === undefined ? "" : entryText(reply);
	assert.ok(text.length >= sure.received, `${text.length} of ${sure.received} received`);
	assert.ok(STORY.startsWith(text));
	if (reply !== undefined) assert.equal(reply.role === "assistant" && reply.ended?.outcome, "interrupted");
	assert.equal(found?.isUnderWay ?? false, false);
}

test("a process killed during a reply has kept the turn, the draft and the text", async () => {
	const names = Array.from({ length: KILLS }, (_, n) => `kill-${n}`);
	const next = async () => {
		for (let name = names.shift(); name !== undefined; name = names.shift()) await killOnce(name);
	};
	await Promise.all([next(), next(), next()]);
});
