import assert from "node:assert/strict";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import type { PageView } from "#protocol/page.ts";
import type { BlockChange, ComposerView, MessageView, ReplyView, ToHost, ToPanel } from "#protocol/panel.ts";
import { THEME_NAMES, themeSheet } from "../bench/panel/themes.ts";
import { chromiumArguments, obtainChromium } from "./chromium.ts";
import { bundle, servePanel } from "./page-server.ts";
import { ROOT } from "./paths.ts";

/** The chat panel in a plain browser page, under its own policy. The test speaks for the host. */
export interface PanelPage {
	readonly page: Page;
	/** Delivers messages of the host, in order. */
	tell(...messages: readonly (ToPanel | PageView)[]): Promise<void>;
	/** The messages of the panel so far. */
	posted(): Promise<readonly ToHost[]>;
	/** Addresses that the page has asked for beside its own files. */
	readonly foreign: readonly string[];
}

type PageTheme = "dark" | "light" | "hc" | "hclight";

/** A browser whose pages are panels. */
export interface PanelBrowser {
	/** Opens a panel, or a page of ours by the name of its bundle. */
	open(
		size?: { readonly width: number; readonly height: number },
		theme?: PageTheme,
		name?: "panel" | "page",
	): Promise<PanelPage>;
	/** Ends it; throws when a panel has had an error or has broken its content security policy. */
	dispose(): Promise<void>;
}

/** Starts the browser; a test file does so once. */
export async function openPanelBrowser(): Promise<PanelBrowser> {
	const executablePath = process.env["SWITCHBOARD_BROWSER"] ?? (await obtainChromium((line) => console.log(line)));
	const body = await bundle(join(ROOT, "test/bench/panel/browser/fake-editor.ts"));
	const themes = THEME_NAMES.map(
		(name) => [`/theme-${name}.css`, { type: "text/css", body: themeSheet(name) }] as const,
	);
	const server = await servePanel(new Map([["/fake-editor.js", { type: "text/javascript", body }], ...themes]));
	const browser = await chromium.launch({ executablePath, args: chromiumArguments() });
	const problems: string[] = [];
	return {
		async open(size = { width: 400, height: 800 }, theme: PageTheme = "dark", name = "panel") {
			const page = await browser.newPage({ viewport: size });
			page.setDefaultTimeout(150_000);
			const foreign: string[] = [];
			page.on("request", (request) => void (request.url().startsWith(server.origin) || foreign.push(request.url())));
			page.on("pageerror", (error) => problems.push(String(error)));
			page.on("console", (message) => {
				// The browser asks the server for an icon.
				if (message.type() === "error" && !/404/.test(message.text())) problems.push(message.text());
			});
			await page.goto(`${server.origin}/?theme=${theme}&name=${name}`);
			return {
				page,
				foreign,
				tell: (...messages) => page.evaluate(`${JSON.stringify(messages)}.forEach((each) => editor.tell(each))`),
				posted: () => page.evaluate<ToHost[]>("editor.posted"),
			};
		},
		async dispose() {
			await browser.close();
			await server.close();
			assert.deepEqual(problems, []);
		},
	};
}

const CONVERSATION = "c1";
const COMPOSER: ComposerView = { connection: "Sandbox", model: "sandbox", busy: false };

/** The message that puts a conversation on screen. */
export function conversation(messages: readonly MessageView[], composer: Partial<ComposerView> = {}): ToPanel {
	return {
		type: "conversation",
		conversation: { id: CONVERSATION, messages, composer: { ...COMPOSER, ...composer } },
	};
}

/** A turn of the person. */
export function turn(text: string, id = "u1"): MessageView {
	return { role: "user", id, text };
}

/** A whole reply with a text block, unless `rest` says otherwise. */
export function reply(text: string, rest: Partial<ReplyView> = {}): ReplyView {
	return {
		role: "assistant",
		id: "r1",
		model: "sandbox",
		connection: "Sandbox",
		blocks: [{ key: "0", index: 0, type: "text", text, open: false }],
		phase: { name: "ended", outcome: "complete", durationMs: 3240 },
		usage: { inputTokens: 18, outputTokens: 412 },
		firstTextMs: 380,
		...rest,
	};
}

/** A reply under way, to which {@link delta} adds. */
export function openReply(text: string): ReplyView {
	return reply(text, {
		blocks: [{ key: "0", index: 0, type: "text", text, open: true }],
		phase: { name: "streaming", elapsedMs: 0 },
	});
}

/** More text of the reply under way. */
export function delta(text: string, batch: number): ToPanel {
	const change: BlockChange = { key: "0", index: 0, type: "text", mode: "append", text, open: true };
	return { type: "blocks", conversation: CONVERSATION, batch, message: "r1", changes: [change] };
}
