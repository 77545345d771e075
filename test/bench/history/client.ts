import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConversationIndex } from "#app/chat/conversation-store.ts";
import { type JournalRecord, journalChunk, journalLine } from "#app/chat/journal.ts";
import { fileOf } from "#app/chat/journal-files.ts";
import { JournalReader } from "#app/chat/journal-reader.ts";
import { search } from "#app/chat/search.ts";
import { ConversationFiles } from "#editor/chat/conversation-files.ts";

/** What a window needs for a long history. Milliseconds and MB. */
export interface Measured {
	readonly rebuildMs: number;
	readonly rebuildTurnMs: number;
	readonly rebuildTurnCpuMs: number;
	readonly firstListMs: number;
	readonly listMs: number;
	readonly searchMs: number;
	readonly searchCpuMs: number;
	readonly commonMs: number;
	readonly turnMs: number;
	/** Of the same, without what other programs of the machine took. */
	readonly turnCpuMs: number;
	readonly grownMb: number;
	readonly openMs: number;
	readonly journalMb: number;
}

const CONVERSATIONS = 1_000;
const EXCHANGES = 10;
/** Characters of a reply, and of each piece that was written down. */
const REPLY = 5_000;
const PIECE = 250;
const WORDS = "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt".split(" ");

/** Writes conversations of 50 KB each, as a stream leaves them. */
async function write(files: ConversationFiles): Promise<number> {
	let bytes = 0;
	for (let n = 0; n < CONVERSATIONS; n++) {
		const { wrote } = await files.append(fileOf(`chat-${n}`), journalChunk(journalOfConversation(n)));
		bytes += wrote;
	}
	return bytes / 1e6;
}

function journalOfConversation(n: number): string {
	const id = `chat-${n}`;
	const records: JournalRecord[] = [{ t: "begin", v: 2, id, at: n }];
	const asked = { continues: false, connectionId: "c", connection: "C", model: "m", parameters: {} };
	for (let each = 0; each < EXCHANGES; each++) {
		const [turn, reply] = [`${id}-t${each}`, `${id}-r${each}`];
		const parent = each === 0 ? null : `${id}-r${each - 1}`;
		records.push({ t: "turn", id: turn, parent, text: `Question ${each} of ${n}`, attachments: [], at: n });
		records.push({ t: "reply", id: reply, parent: turn, ...asked, at: n });
		for (let at = 0; at < REPLY; at += PIECE) {
			let text = "";
			while (text.length < PIECE) text += `${WORDS[Math.floor(Math.random() * WORDS.length)]} `;
			records.push({ t: "text", reply, key: "0", index: 0, type: "text", at, text: text.slice(0, PIECE) });
		}
	}
	// It begins in one line of the journal and ends in the next.
	if (n === 77) {
		const last = { t: "text", reply: `${id}-r9`, key: "0", index: 0, type: "text" } as const;
		records.push({ ...last, at: REPLY, text: "the nee" }, { ...last, at: REPLY + 7, text: "dle" });
	}
	return records.map(journalLine).join("");
}

interface Timed {
	readonly ms: number;
	readonly cpuMs: number;
	readonly turnMs: number;
	readonly turnCpuMs: number;
}

/** Runs something and tells how long it took, and the longest turn of the event loop meanwhile. */
async function timed(work: () => Promise<unknown>): Promise<Timed> {
	let turnMs = 0;
	let turnCpuMs = 0;
	let last = performance.now();
	let lastCpu = threadMs();
	let on = true;
	const turn = () => {
		const [now, cpu] = [performance.now(), threadMs()];
		turnMs = Math.max(turnMs, now - last);
		turnCpuMs = Math.max(turnCpuMs, cpu - lastCpu);
		[last, lastCpu] = [now, cpu];
		if (on) setImmediate(turn);
	};
	setImmediate(turn);
	const begun = performance.now();
	const before = process.cpuUsage();
	await work();
	const ms = performance.now() - begun;
	const { user, system } = process.cpuUsage(before);
	on = false;
	return { ms, turnMs, turnCpuMs, cpuMs: (user + system) / 1_000 };
}

/** The processor time of this thread. */
function threadMs(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1_000;
}

/** Megabytes in use once everything is cleared away that can be. */
function heap(): number {
	globalThis.gc?.();
	return process.memoryUsage().heapUsed / 1e6;
}

async function run(): Promise<Measured> {
	const folder = await mkdtemp(join(tmpdir(), "switchboard-history-"));
	try {
		const files = new ConversationFiles(folder);
		const journalMb = await write(files);
		const index = () => new ConversationIndex(files, { read: async () => undefined });
		const rebuild = await timed(() => index().list());
		const opened = index();
		const first = await timed(() => opened.list());
		const again = await timed(() => opened.list());
		const conversations = await opened.list();
		const find = async (text: string) => {
			let found = 0;
			for await (const _ of search(text, conversations, files)) found += 1;
			return found;
		};
		await find("warm up, please");
		const before = heap();
		const rare = await timed(async () => {
			if ((await find("The Needle")) !== 1) throw new Error("the needle was not found");
		});
		const grownMb = heap() - before;
		const common = await timed(() => find("lorem"));
		const open = await timed(async () => (await new JournalReader().takeFrom(files, fileOf("chat-77"))).found());
		return {
			rebuildMs: rebuild.ms,
			rebuildTurnMs: rebuild.turnMs,
			rebuildTurnCpuMs: rebuild.turnCpuMs,
			firstListMs: first.ms,
			listMs: again.ms,
			searchMs: rare.ms,
			searchCpuMs: rare.cpuMs,
			turnMs: rare.turnMs,
			turnCpuMs: rare.turnCpuMs,
			commonMs: common.ms,
			grownMb,
			openMs: open.ms,
			journalMb,
		};
	} finally {
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

if (process.send !== undefined) process.send(await run());
