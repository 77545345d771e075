import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { StreamEvent } from "#api/messages/events.ts";
import { ConversationStore } from "#app/chat/conversation-store.ts";
import { Conversations } from "#app/chat/conversations.ts";
import type { SessionParts } from "#app/chat/session.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";
import { chatParts, MESSAGES } from "./chat-parts.ts";

/** A folder for conversations that goes with the test. */
export async function storageFolder(context: TestContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), "switchboard-chats-"));
	context.after(() => rm(path, { recursive: true, force: true, maxRetries: 5 }));
	return path;
}

let windows = 0;

/**
 * The chat of one window over real files, with a service that waits for the test. Every window counts as a process of
 * its own, of which only those in `alive` are running; it knows its secrets once `ready` resolves.
 */
export async function chatWindow(
	context: TestContext,
	{
		folder: given,
		alive = new Set(),
		ready = async () => undefined,
		more = {},
	}: {
		/** One of its own by default. */
		readonly folder?: string;
		readonly alive?: Set<number>;
		readonly ready?: () => Promise<void>;
		/** Parts of its conversations that differ. */
		readonly more?: Partial<SessionParts>;
	} = {},
) {
	const folder = given ?? (await storageFolder(context));
	const all = chatParts();
	windows += 1;
	const process = windows;
	alive.add(process);
	all.clock.randomValues = Array.from({ length: 200 }, () => Math.random());
	await all.registry.add(MESSAGES, undefined);
	const { redactor } = all;
	redactor.register("the-key-of-a");
	const secretFilter = { ...all.parts.secretFilter, ready };
	class Files extends ConversationFiles {
		override isRunning(number: number): boolean {
			return alive.has(number);
		}
	}
	const files = new Files(folder);
	const store = new ConversationStore({ files, clock: all.clock, log: all.log, secretFilter }, process);
	const conversations = new Conversations(
		{ ...all.parts, secretFilter, save: (session) => store.save(session), ...more },
		store,
	);
	context.after(() => store.dispose());
	const close = () => {
		alive.delete(process);
		store.dispose();
	};
	/** Waits until a condition holds; files have their own time. */
	const until = async (holds: () => unknown | Promise<unknown>) => {
		for (const deadline = Date.now() + 10_000; !(await holds()); await delay(2)) {
			if (Date.now() > deadline) throw new Error("It did not come about in time.");
			all.clock.advance(20);
		}
	};
	/** Sends a text and has it answered. */
	const talk = async (session: ReturnType<typeof conversations.create>, text: string, answer: string) => {
		const asked = all.sender.replies.length;
		const pending = session.send(text);
		await until(() => all.sender.replies.length > asked);
		all.sender.last.take({ kind: "content_block_delta", index: 0, blockType: "text", text: answer });
		all.sender.last.end({ outcome: "complete" });
		return pending;
	};
	return { ...all, folder, files, store, conversations, redactor, close, until, talk };
}

/** Two windows over one folder: a reply of which `events` have come is under way in one, and the other shows it. */
export async function twoWindows(context: TestContext, ...events: StreamEvent[]) {
	const shared = { folder: await storageFolder(context), alive: new Set<number>() };
	const [a, b] = [await chatWindow(context, shared), await chatWindow(context, shared)];
	const session = a.conversations.active;
	await a.talk(session, "one", "first");
	const reply = session.send("two");
	await a.until(() => a.sender.replies.length === 2);
	a.sender.last.take(...events);
	await a.store.flush();
	const other = (await b.conversations.open(session.id)) ?? assert.fail("it is not there");
	return { ...shared, a, b, session, reply, other };
}
