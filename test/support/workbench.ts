import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
	type BrowserContext,
	type ConsoleMessage,
	chromium,
	type Frame,
	type Locator,
	type Page,
} from "playwright-core";
import manifest from "../../package.json" with { type: "json" };
import { chromiumArguments } from "./chromium.ts";
import { CACHE } from "./paths.ts";
import { insist, until } from "./until.ts";

/** Options of a browser that opens the workbench. */
export interface WorkbenchOptions {
	/** The executable: see `obtainChromium`. */
	readonly browser: string;
	readonly url: string;
	/** The browser's profile; secrets live in it, encrypted. */
	readonly profileDir: string;
	/** Port of the server, if the browser is to see it at `SEEN_PORT`. */
	readonly serverPort?: number;
	readonly width?: number | undefined;
	readonly height?: number | undefined;
	/** Pixels of the picture per pixel of the page; 1 by default. */
	readonly scale?: number | undefined;
	/** Lets the pages be read at this loopback port, too. */
	readonly debuggingPort?: number;
	/** Called with the exit code of a test suite that the page was told to run. */
	readonly onTestsEnded?: (code: number) => void;
}

/** The workbench of a VS Code server in a headless browser. */
export interface Workbench {
	readonly page: Page;
	/** Runs a command as a person does: F1, its title, Enter. */
	runCommand(title: string): Promise<void>;
	/** The document of the chat panel; waits until there is one. In the sidebar, or in an editor. */
	chat(where?: "view" | "editor"): Promise<Frame>;
	/** Writes a PNG into the cache and resolves to its path. */
	screenshot(name: string): Promise<string>;
	/** Runs "Reload Window" and waits until the window is ready again. */
	reload(): Promise<void>;
	/** Opens another window of the same server in the same browser. */
	another(url: string): Promise<Workbench>;
	/** Errors thrown in the panel's document, and everything its content security policy has blocked. */
	panelProblems(): readonly string[];
	dispose(): Promise<void>;
}

/** Time limit for the workbench to come up, on a slow machine. */
const READY_MS = 180_000;
/** Time limit of every other wait. */
const LIMIT_MS = 180_000;

/**
 * A card that the editor shows over a row covers what stands beside it, and on a busy machine it comes once the pointer has
 * left, and stays. A person moves on around it; a click of a test goes through it.
 */
const CARDS_LET_THROUGH = `{
	const sheet = new CSSStyleSheet();
	sheet.replaceSync(".context-view:has(.monaco-hover), .monaco-hover, .monaco-hover * { pointer-events: none !important }");
	document.adoptedStyleSheets.push(sheet);
}`;

/** Opens the workbench and waits until it is restored. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
	const { width = 1280, height = 800, scale = 1, debuggingPort } = options;
	const context = await chromium.launchPersistentContext(options.profileDir, {
		executablePath: options.browser,
		headless: true,
		timeout: READY_MS,
		viewport: { width, height },
		deviceScaleFactor: scale,
		permissions: ["clipboard-read", "clipboard-write"],
		args: [
			...chromiumArguments(options.serverPort),
			...(debuggingPort === undefined ? [] : [`--remote-debugging-port=${debuggingPort}`]),
		],
	});
	context.setDefaultTimeout(LIMIT_MS);
	context.setDefaultNavigationTimeout(READY_MS);
	await context.addInitScript(CARDS_LET_THROUGH);
	try {
		const page = context.pages()[0] ?? (await context.newPage());
		const problems = collectPanelProblems(context);
		const { onTestsEnded } = options;
		if (onTestsEnded) await page.exposeFunction("codeAutomationExit", (code: number) => onTestsEnded(code));
		await page.goto(options.url);
		await ready(page);
		return workbenchOf(context, page, problems);
	} catch (error) {
		await context.close();
		throw error;
	}
}

function workbenchOf(context: BrowserContext, page: Page, problems: readonly string[]): Workbench {
	const runCommand = async (title: string) => {
		const input = page.locator(".quick-input-widget").getByPlaceholder(PALETTE, { exact: true });
		const name = page.locator(".label-name", { hasText: exactly(title) });
		const row = page.locator(".quick-input-list .monaco-list-row.focused").filter({ has: name });
		let isEntered = false;
		const enter = async () => {
			// The key is lost while the focus moves, such as into a webview that is just loading.
			if (!(await input.isVisible())) await page.keyboard.press("F1");
			await input.waitFor({ timeout: 2_000 });
			// What just ends elsewhere may close the palette again.
			await input.fill(`>${title}`, { timeout: 5_000 });
			await row.waitFor({ timeout: 10_000 });
			await input.evaluate(HEAR_ENTER);
			await input.press("Enter", { timeout: 5_000 });
			isEntered = await page.evaluate<boolean>(HAS_HEARD_ENTER).catch(() => true);
		};
		const isTaken = async () => isEntered && !(await input.isVisible());
		await insist(enter, isTaken, { what: `the command ${title}`, againMs: 15_000 });
	};
	return {
		page,
		runCommand,
		chat: (where = "view") => chatFrame(page, where),
		async screenshot(name) {
			const folder = join(CACHE, "screenshots");
			await mkdir(folder, { recursive: true });
			const path = join(folder, `${name}.png`);
			await page.screenshot({ path });
			return path;
		},
		async reload() {
			for (let tries = 1; ; tries++) {
				const loaded = page.waitForEvent("load", { timeout: LIMIT_MS }).then(
					() => true,
					() => false,
				);
				await runCommand("Developer: Reload Window");
				// What closes the palette in the very moment of the key has it lost.
				if (await loaded) break;
				if (tries === 3) throw new Error("The window was not reloaded.");
			}
			await ready(page);
		},
		async another(url) {
			// Not a tab: one that lies behind another draws nothing, and the editor waits for a frame.
			const [other] = await Promise.all([
				context.waitForEvent("page"),
				page.evaluate(`void window.open(${JSON.stringify(url)}, "_blank", "popup,width=1280,height=800")`),
			]);
			await ready(other);
			return { ...workbenchOf(context, other, problems), dispose: () => other.close() };
		},
		panelProblems: () => problems,
		dispose: () => context.close(),
	};
}

/** Placeholder of the command palette, which no prompt of an extension has. */
const PALETTE = "Type the name of a command to run.";

/** Has the palette note whether the key comes to it: where the focus moves just then, it closes as if it had come. */
const HEAR_ENTER = `(box) => {
	window.hasEntered = false;
	box.addEventListener("keydown", ({ key }) => (window.hasEntered ||= key === "Enter"));
}`;

/** A page that was loaded anew since knows nothing of it: the command was to do that. */
const HAS_HEARD_ENTER = "window.hasEntered !== false";

/** A title, whether or not its dots for "more is asked" are given. One may be the beginning of another. */
function exactly(title: string): RegExp {
	return new RegExp(`^${title.replace(/\.{3}$/, "").replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&")}(\\.{3})?$`);
}

async function ready(page: Page): Promise<void> {
	await page.locator(".monaco-workbench .part.statusbar").waitFor({ state: "visible", timeout: READY_MS });
	// Several parts may be at work.
	const atWork = page.locator(".monaco-workbench .monaco-progress-container.active");
	await until(async () => (await atWork.count()) === 0, "the parts of the window", READY_MS);
}

/** VS Code wraps a webview's document into an outer frame of its own and floats that over the place it belongs to. */
async function chatFrame(page: Page, where: "view" | "editor"): Promise<Frame> {
	const deadline = Date.now() + READY_MS;
	for (;;) {
		const places = await page.evaluate<("view" | "editor" | "hidden")[]>(PLACES);
		const nth = places.indexOf(where);
		// One that is found may be on its way out.
		const frame = nth === -1 ? undefined : await documentOf(page.locator(PANELS).nth(nth)).catch(() => undefined);
		if (frame !== undefined) return frame;
		if (Date.now() > deadline) throw new Error(`The chat panel has no document in the ${where}.`);
		await delay(50);
	}
}

/** The document inside an outer frame, once it has been told what it is to show; undefined while there is none. */
async function documentOf(outer: Locator): Promise<Frame | undefined> {
	const inner = outer.contentFrame().locator("iframe#active-frame");
	if ((await inner.count()) === 0) return undefined;
	const frame = await (await inner.elementHandle({ timeout: 1_000 }))?.contentFrame();
	if (frame === null || frame === undefined) return undefined;
	await frame.locator("#composer").waitFor({ timeout: 10_000 });
	// Until then it has no title either.
	await frame.locator(".conversation-title h1", { hasText: /./ }).waitFor({ state: "attached", timeout: 10_000 });
	return frame;
}

/** Part of the address of each of our webviews. */
const OWNER = `extensionId=${manifest.publisher}.${manifest.name}&`;

/** The outer frames of our webviews. */
const PANELS = `iframe.webview[src*="${OWNER}"]`;

/** Place of each frame by its middle: over the editors, over another part, or hidden. */
const PLACES = `[...document.querySelectorAll('${PANELS}')].map((frame) => {
	const { left, top, width, height } = frame.getBoundingClientRect();
	if (width === 0 || height === 0 || getComputedStyle(frame).visibility === "hidden") return "hidden";
	const editors = document.querySelector(".part.editor").getBoundingClientRect();
	const [x, y] = [left + width / 2, top + height / 2];
	const over = x > editors.left && x < editors.right && y > editors.top && y < editors.bottom;
	return over ? "editor" : "view";
})`;

function collectPanelProblems(context: BrowserContext): readonly string[] {
	const problems: string[] = [];
	context.on("console", (message: ConsoleMessage) => {
		const text = message.text();
		const { url } = message.location();
		// What a test itself does to the page has no address.
		const isOfNobody = url === "" && text.includes("Content Security Policy");
		const isOurs = url.includes(OWNER) || isOurFile(url) || isOfNobody;
		if (isOurs && message.type() === "error") problems.push(text);
	});
	context.on("weberror", (webError) => {
		const error = webError.error();
		if (isOurFile(error.stack ?? "")) problems.push(error.stack ?? error.message);
	});
	return problems;
}

/** Files of the panel, by their address or anywhere in a stack, and not VS Code's own. */
function isOurFile(text: string): boolean {
	return /\/dist\/panel\.js/.test(text);
}
