/// <reference types="node" />
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import type { MessageView } from "#protocol/panel.ts";
import { bundle, type PageServer, type Served, servePanel } from "../../support/page-server.ts";
import { type Opened, openAndScroll } from "./conversation.ts";
import { benchText, type TextKind } from "./texts.ts";
import { themeSheet } from "./themes.ts";

/** One measured run: main-thread milliseconds as the browser's own counters have them, and what the page saw. */
export interface Run {
	readonly taskMs: number;
	readonly scriptMs: number;
	readonly layoutMs: number;
	readonly styleMs: number;
	readonly frames: number;
	readonly dropped: number;
	/** 0 where no task was longer than 50 ms. */
	readonly longestTaskMs: number;
	readonly batches: number;
}

/** Input of a run. */
export interface Load {
	readonly kind: TextKind;
	readonly chars: number;
	readonly deltas: number;
	readonly durationMs: number;
}

/** A browser with the contenders' pages. */
export interface Arena {
	run(contender: string, load: Load): Promise<Run>;
	/** Opens a conversation in the panel and scrolls from its end to its start. */
	open(messages: readonly MessageView[]): Promise<Opened>;
	close(): Promise<void>;
}

/** Opens the browser and builds the pages; `peers` are scripts of further contenders by name. */
export async function openArena(executablePath: string, peers: ReadonlyMap<string, string>): Promise<Arena> {
	const script = (name: string) => bundle(fileURLToPath(new URL(`browser/${name}.ts`, import.meta.url)));
	const files: [string, string][] = [
		["/fake-editor.js", await script("fake-editor")],
		["/feed.js", await script("feed")],
		["/contender-text.js", await script("contender-text")],
		["/contender-panel.js", await script("contender-panel")],
		...[...peers].map(([name, body]) => [`/contender-${name}.js`, body] as [string, string]),
	];
	const served: Served = new Map([
		...files.map(([path, body]) => [path, { type: "text/javascript", body }] as const),
		["/theme-dark.css", { type: "text/css", body: themeSheet("dark") }],
	]);
	const server = await servePanel(served);
	const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
	return {
		run: (contender, load) => runOnce(browser, server, { contender, load }),
		async open(messages) {
			const page = await browser.newPage({ viewport: { width: 420, height: 800 } });
			try {
				await page.goto(`${server.origin}/?theme=dark`);
				return await openAndScroll(page, messages);
			} finally {
				await page.close();
			}
		},
		async close() {
			await browser.close();
			await server.close();
		},
	};
}

async function runOnce(browser: Browser, server: PageServer, of: { contender: string; load: Load }): Promise<Run> {
	const { contender, load } = of;
	const page = await browser.newPage({ viewport: { width: 420, height: 800 } });
	try {
		await page.goto(`${server.origin}/?theme=dark&contender=${contender}`);
		const cdp = await page.context().newCDPSession(page);
		await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
		const counters = async () => {
			const { metrics } = await cdp.send("Performance.getMetrics");
			return new Map(metrics.map(({ name, value }) => [name, value * 1000]));
		};
		await page.waitForTimeout(200);
		const before = await counters();
		const seen = await feed(page, load);
		const after = await counters();
		const spent = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
		return {
			...seen,
			taskMs: spent("TaskDuration"),
			scriptMs: spent("ScriptDuration"),
			layoutMs: spent("LayoutDuration"),
			styleMs: spent("RecalcStyleDuration"),
		};
	} finally {
		await page.close();
	}
}

type Seen = Pick<Run, "frames" | "dropped" | "longestTaskMs" | "batches">;

function feed(page: Page, load: Load): Promise<Seen> {
	const text = benchText(load.kind, load.chars);
	return page.evaluate(
		([text, deltas, durationMs]) => {
			const page = globalThis as unknown as { feed(text: string, options: object): Promise<Seen> };
			return page.feed(text, { deltas, durationMs });
		},
		[text, load.deltas, load.durationMs] as const,
	);
}
