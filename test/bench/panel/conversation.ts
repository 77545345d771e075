/// <reference types="node" />
import type { Page } from "playwright-core";
import type { BlockView, MessageView } from "#protocol/panel.ts";
import { benchText } from "./texts.ts";

/** What was seen of a long conversation. Times in milliseconds. */
export interface Opened {
	/** From its message to the frame after the one that shows its end. */
	readonly firstPaintMs: number;
	readonly longestOpeningFrameMs: number;
	/** Of those while scrolling from the end to the start. */
	readonly longestFrameMs: number;
	readonly frames: number;
	readonly framesOver50: number;
	/** CPU time of the longest task of the page's main thread meanwhile, which does not feel the rest of the machine. */
	readonly longestTaskCpuMs: number;
	/** After a collection, at the start, once nothing is left to be done. */
	readonly heapMb: number;
	readonly nodes: number;
	/** From its message until the messages in view are built to their last block. */
	readonly wholeMs: number;
	/** CPU time of the longest task of the page's main thread meanwhile. */
	readonly longestOpeningTaskCpuMs: number;
	/** Elements that the text has become, and those of them that are blocks of code, once all of it is built. */
	readonly elements: number;
	readonly codes: number;
}

/** What of a text shall be in the document. */
export type Expected = Pick<Opened, "elements" | "codes">;

const MESSAGES = 500;
const MESSAGE_CHARS = 2100;
/** When the conversation began. */
const AT = Date.UTC(2026, 1, 3, 12);
const WHEEL_PX = 1000;
const WHEEL_EVERY_MS = 24;

/** A conversation of 500 messages: 250 questions, and 250 replies of about 4 KB of mixed markdown. */
export function longConversation(): MessageView[] {
	const parts = benchText("mixed", MESSAGES * MESSAGE_CHARS).split(/(?<=\n\n)(?=## )/);
	const messages: MessageView[] = [];
	let size = 0;
	for (let i = 0; messages.length < MESSAGES; i += 1) {
		messages.push({
			role: "user",
			id: `u${i}`,
			text: `Question ${i}: how does part ${i} of this work, and why?`,
			at: AT + i * 60_000,
		});
		let text = "";
		// A reply ends where a part does, so that it is the sum that says when: the last ones shall have their text, too.
		while (size + text.length < (i + 1) * 2 * MESSAGE_CHARS && parts.length > 0) text += parts.shift() ?? "";
		size += text.length;
		messages.push({
			role: "assistant",
			id: `r${i}`,
			model: "bench",
			connection: "Bench",
			blocks: [{ key: "0", index: 0, type: "text", text, open: false }],
			phase: { name: "ended", outcome: "complete", durationMs: 4000 },
			usage: { inputTokens: 1000, outputTokens: 1000 },
			firstTextMs: 300,
			at: AT + i * 60_000 + 100,
		});
	}
	return messages;
}

const DENSE_PARTS = 1800;
/** Elements that one of them becomes: a heading, a list, a table and a block of code, with what is inside but for the code. */
const DENSE_ELEMENTS = 71;

/** A reply of about 1 MB in which every few letters are an element of their own, and how many elements shall be there. */
export function denseReply(): Expected & { readonly messages: MessageView[] } {
	const items = (n: number) => Array.from({ length: 6 }, (_, i) => `- **${n}** *marked* \`${i}\``).join("\n");
	const rows = (n: number) =>
		Array.from({ length: 5 }, (_, i) => `| ${i} | **${n}** | [one](https://e.org/${n}) |`).join("\n");
	const code = (n: number) => Array.from({ length: 4 }, (_, i) => `const v${i}: number = f("word", ${n});`).join("\n");
	const part = (n: number) =>
		`### Part ${n}\n\n${items(n)}\n\n| a | b | c |\n|---|---|---|\n${rows(n)}\n\n\`\`\`ts\n${code(n)}\n\`\`\`\n\n`;
	const text = Array.from({ length: DENSE_PARTS }, (_, n) => part(n)).join("");
	const [question, reply] = longConversation();
	if (question === undefined || reply?.role !== "assistant") throw new Error("the conversation has changed");
	const blocks = reply.blocks.map((block) => ({ ...block, text }));
	return {
		messages: [question, { ...reply, blocks }],
		elements: DENSE_PARTS * DENSE_ELEMENTS,
		codes: DENSE_PARTS,
	};
}

const LONG_TURNS = 20;
const LONG_TURN_CHARS = 160_000;
const ONE_LINE_CHARS = 1_000_000;

/** 20 turns of 160 KB of a log, each with a reply of a few KB, and at the end one of 1 MB on one line. */
export function longTurns(): MessageView[] {
	const reply = longConversation()[1];
	const messages: MessageView[] = [];
	for (let i = 0; i < LONG_TURNS; i += 1) {
		messages.push({ role: "user", id: `u${i}`, text: logText(LONG_TURN_CHARS), at: AT + i * 60_000 });
		if (reply !== undefined) messages.push({ ...reply, id: `r${i}` });
	}
	messages.push({ role: "user", id: "line", text: "word ".repeat(ONE_LINE_CHARS / 5), at: AT + 3_600_000 });
	return messages;
}

const CALLING_REPLIES = 10;
const CALLS = 5;
const RESULT_CHARS = 10_000;

/** 10 turns and replies of a few KB, each of which begins with 5 calls of tools with results of 10 KB. */
export function manyCalls(): MessageView[] {
	return longConversation()
		.slice(0, 2 * CALLING_REPLIES)
		.map((message) => {
			if (message.role === "user") return message;
			const calls = Array.from({ length: CALLS }, (_, n): BlockView => {
				const call = {
					title: `Read issue #${n}`,
					icon: "issues",
					state: "done",
					result: logText(RESULT_CHARS),
				} as const;
				return { key: `c${n}`, index: n, type: "tool_use", text: `{"number":${n}}`, open: false, call };
			});
			return { ...message, blocks: [...calls, ...message.blocks.map((block) => ({ ...block, index: CALLS }))] };
		});
}

function logText(length: number): string {
	const line = (i: number) =>
		`2026-02-03T12:00:${i % 60} INFO worker[${i}] handled request ${i * 7919} in ${i % 300} ms\n`;
	let text = "";
	for (let i = 0; text.length < length; i += 1) text += line(i);
	return text.slice(0, length);
}

/** Opens the conversation in the panel's page and turns the wheel from its end to its start. */
export async function openAndScroll(page: Page, messages: readonly MessageView[]): Promise<Opened> {
	const cdp = await page.context().newCDPSession(page);
	await cdp.send("Performance.enable");
	const browser = page.context().browser();
	const trace = () => browser?.startTracing(page, { categories: ["toplevel"] });
	const longest = async () => longestTaskMs(JSON.parse((await browser?.stopTracing())?.toString() ?? "{}"));
	await trace();
	const opened = await page.evaluate(OPEN, messages);
	const longestOpeningTaskCpuMs = await longest();
	await page.waitForTimeout(1000);
	await page.mouse.move(200, 300);
	await trace();
	await page.evaluate("window.watched = watchFrames()");
	for (let turns = 0; turns < 4000; turns += 1) {
		await page.mouse.wheel(0, -WHEEL_PX);
		if (turns % 20 === 0 && (await page.evaluate(`document.querySelector("#transcript").scrollTop`)) === 0) break;
		await page.waitForTimeout(WHEEL_EVERY_MS);
	}
	const times = await page.evaluate<number[]>("window.watched()");
	const longestTaskCpuMs = await longest();
	await page.waitForTimeout(1500);
	await cdp.send("HeapProfiler.collectGarbage");
	const { metrics } = await cdp.send("Performance.getMetrics");
	const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
	return {
		...opened,
		longestFrameMs: Math.max(...times),
		frames: times.length,
		framesOver50: times.filter((ms) => ms > 50).length,
		longestTaskCpuMs,
		longestOpeningTaskCpuMs,
		elements: await page.locator(".markdown *:not(.section, .part, .code *)").count(),
		codes: await page.locator(".markdown .code code").count(),
		heapMb: metric("JSHeapUsedSize") / 2 ** 20,
		nodes: metric("Nodes"),
	};
}

interface TraceEvent {
	readonly name: string;
	readonly pid: number;
	readonly tid: number;
	/** Thread time in microseconds. */
	readonly tdur?: number;
	readonly args?: { readonly name?: string };
}

function longestTaskMs({ traceEvents = [] }: { readonly traceEvents?: readonly TraceEvent[] }): number {
	const threads = new Set(
		traceEvents
			.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
			.map(({ pid, tid }) => `${pid} ${tid}`),
	);
	return traceEvents
		.filter(({ name, pid, tid }) => name.endsWith("RunTask") && threads.has(`${pid} ${tid}`))
		.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0);
}

/** Runs in the page. */
async function OPEN(messages: unknown): Promise<Pick<Opened, "firstPaintMs" | "longestOpeningFrameMs" | "wholeMs">> {
	const page = globalThis as unknown as {
		editor: { tell(message: unknown): void };
		watchFrames(): () => number[];
		requestAnimationFrame(callback: () => void): void;
		document: { querySelector(selector: string): unknown };
	};
	page.watchFrames = () => {
		const times: number[] = [];
		let last = performance.now();
		let on = true;
		const next = () => {
			const now = performance.now();
			times.push(now - last);
			last = now;
			if (on) page.requestAnimationFrame(next);
		};
		page.requestAnimationFrame(next);
		return () => {
			on = false;
			return times;
		};
	};
	const composer = { connection: "Bench", model: "bench", busy: false };
	const watched = page.watchFrames();
	const begun = performance.now();
	page.editor.tell({ type: "conversation", conversation: { id: "c1", title: "Long", messages, composer } });
	await new Promise<void>((resolve) => {
		page.requestAnimationFrame(() => {
			const channel = new MessageChannel();
			channel.port1.addEventListener("message", () => resolve());
			channel.port1.start();
			channel.port2.postMessage(0);
		});
	});
	const firstPaintMs = performance.now() - begun;
	const isBuilt = () => page.document.querySelector(".markdown .unbuilt") === null;
	while (!isBuilt()) await new Promise((resolve) => setTimeout(resolve, 20));
	const wholeMs = performance.now() - begun;
	await new Promise((resolve) => setTimeout(resolve, 1000));
	return { firstPaintMs, wholeMs, longestOpeningFrameMs: Math.max(...watched()) };
}
