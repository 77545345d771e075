import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Frame, Locator, Page } from "playwright-core";
import { ABOUT_ITSELF, composeAnswer } from "#sandbox/messages/answer.ts";
import { type Driver, openDriver } from "../panel/driver.ts";
import { awaitIdle, awaitOutcome, beginAnew, sendMessage } from "./chat-page.ts";
import { startDictatedService } from "./dictated-service.ts";
import { flagsOf } from "./flags.ts";
import { CACHE, ROOT } from "./paths.ts";
import { compressed, fixTimes } from "./pictures.ts";
import { foldOthers, treeView } from "./tree-view.ts";
import { until } from "./until.ts";

/** Color themes of the editor by the name that pictures are told apart by; the docs have the first two. */
const THEMES = {
	dark: "Default Dark Modern",
	light: "Default Light Modern",
	"hc-dark": "Default High Contrast",
	"hc-light": "Default High Contrast Light",
} as const;

type Theme = keyof typeof THEMES;

const PICTURES = join(ROOT, "docs", "pictures");

/** Contact sheets are for the eye and stay outside the tree. */
const SHEETS = join(CACHE, "sheets");

/** Port of the sandbox, which is seen in pictures of its connections. */
const PORT = "4600";

const REPOSITORY = "exchange/switchboard";

const STILL = {
	"editor.cursorBlinking": "solid",
	"editor.links": false,
	"workbench.reduceMotion": "on",
	"window.title": "Switchboard",
	"window.commandCenter": false,
	"remote.autoForwardPorts": false,
};

const ISSUE = 12;

const QUESTION = "Show me a table, a list and some code";

/** Text of the sandbox's own reply to the question. */
const ANSWER = [ABOUT_ITSELF, ...composeAnswer([{ role: "user", content: QUESTION }])].join("\n\n");

interface Scene {
	readonly driver: Driver;
	readonly page: Page;
	readonly chat: Frame;
}

interface Size {
	readonly width: number;
	readonly height: number;
	readonly scale: number;
}

/** Opens a window with the packaged extension. */
async function open(theme: Theme, size: Size): Promise<Scene> {
	const driver = await openDriver({
		...size,
		settings: { ...STILL, "workbench.colorTheme": THEMES[theme] },
		env: { SWITCHBOARD_SANDBOX_PORT: PORT },
	});
	return { driver, page: driver.workbench.page, chat: await driver.openChat() };
}

/** Waits until nothing is under way any more, and fixes what differs from run to run. */
async function settle({ page, chat }: Scene): Promise<void> {
	const atWork = page.locator(".monaco-progress-container.active");
	await until(async () => (await atWork.count()) === 0, "the parts of the window");
	await page.mouse.move(0, 0);
	await page.evaluate("document.fonts.ready.then(() => undefined)");
	await fixTimes(page);
	await fixTimes(chat);
}

/** A picture of the whole page, or of the area that some parts of it take up: of a tall one only the top or the bottom. */
async function shoot(
	scene: Scene,
	parts: readonly Locator[] = [],
	{ top = Number.POSITIVE_INFINITY, bottom = Number.POSITIVE_INFINITY } = {},
): Promise<Buffer> {
	await settle(scene);
	const boxes = (await Promise.all(parts.map((part) => part.boundingBox()))).filter((box) => box !== null);
	const x = Math.min(...boxes.map((box) => box.x));
	const y = Math.min(...boxes.map((box) => box.y));
	const width = Math.max(...boxes.map((box) => box.x + box.width)) - x;
	const whole = Math.max(...boxes.map((box) => box.y + box.height)) - y;
	const height = Math.min(whole, top, bottom);
	const clip = boxes.length === 0 ? {} : { clip: { x, y: bottom < whole ? y + whole - height : y, width, height } };
	return scene.page.screenshot({ animations: "disabled", caret: "hide", ...clip });
}

async function write(name: string, bytes: Uint8Array): Promise<void> {
	await writeFile(join(PICTURES, `${name}.png`), bytes);
	console.log(`docs/pictures/${name}.png: ${bytes.length} bytes`);
}

/** Waits until a page inside the window, such as a preview, shows a text. */
async function awaitPage({ page }: Scene, text: string): Promise<void> {
	const counts = () =>
		page.frames().map((frame) =>
			frame
				.getByText(text)
				.count()
				.catch(() => 0),
		);
	await until(async () => (await Promise.all(counts())).some((count) => count > 0), text);
}

/** Has the sandbox answer in a conversation of its own, or misbehave as told. */
async function reply({ driver, chat }: Scene, text: string, sandbox: object): Promise<void> {
	await beginAnew(chat, driver);
	await driver.execute("switchboard.chat.send", { text, metadata: { sandbox } });
	await awaitOutcome(chat, 0);
	await awaitIdle(chat);
}

/** Has the sandbox call a tool that asks. */
async function approval({ driver, chat }: Scene): Promise<void> {
	await beginAnew(chat, driver);
	await sendMessage(chat, "Sell pet 4");
	await chat.locator(".approval").waitFor();
}

/** Gives the chat more room, by its edge, as a person does. */
async function widenChat({ page }: Scene, pixels: number): Promise<void> {
	const box = await page.locator(".part.auxiliarybar").boundingBox();
	if (box === null) throw new Error("The chat has no room at all.");
	const [x, y] = [box.x - 1, box.y + box.height / 3];
	await page.mouse.move(x, y);
	await page.mouse.down();
	await page.mouse.move(x - pixels, y, { steps: 8 });
	await page.mouse.up();
}

/** Pictures of the docs in one theme. */
async function takePictures(theme: Theme): Promise<void> {
	const scene = await open(theme, { width: 1380, height: 760, scale: 2 });
	const { driver, page, chat } = scene;
	const sidebar = page.locator(".part.sidebar");
	const editors = page.locator(".part.editor");
	const panel = page.locator(".part.auxiliarybar");
	const composer = chat.locator("textarea#composer");
	const attach = () =>
		driver.execute("switchboard.chat.attach", { kind: "issue", repository: REPOSITORY, number: ISSUE });
	try {
		await driver.execute("switchboard.trySandbox", {});
		await driver.execute("switchboard.issues.focus");
		await driver.execute("switchboard.repositories.focus");
		await treeView(page, "Issues")
			.row(/issue 22:/)
			.waitFor();
		await driver.execute("switchboard.codehost.openIssue", { repository: REPOSITORY, number: ISSUE });
		await widenChat(scene, 110);
		await beginAnew(chat, driver);
		await sendMessage(chat, `Summarize issue ${ISSUE}`);
		await awaitOutcome(chat);
		await sendMessage(chat, QUESTION);
		await awaitOutcome(chat, 1);
		await awaitPage(scene, "On Tuesday that was an apple");
		if (theme === "dark") await write("whole-dark", compressed([await shoot(scene)]));
		await write(`chat-${theme}`, compressed([await shoot(scene, [panel])]));

		await beginAnew(chat, driver);
		await attach();
		await composer.pressSequentially("Is this the same as @issue:call");
		await chat.locator("[role=option]").nth(3).waitFor();
		await write(`attach-${theme}`, compressed([await shoot(scene, [panel], { bottom: 390 })]));
		await composer.fill("");

		await beginAnew(chat, driver);
		await sendMessage(chat, "Which pets are pending?");
		await awaitOutcome(chat);
		await sendMessage(chat, "Sell a pet that is available");
		await chat.locator(".approval").waitFor();
		await write(`tools-${theme}`, compressed([await shoot(scene, [panel])]));
		await driver.execute("switchboard.chat.stop", {});
		await awaitIdle(chat);

		await foldOthers(page, "Issues");
		await write(`issues-${theme}`, compressed([await shoot(scene, [sidebar, editors], { top: 620 })]));

		await driver.execute("switchboard.pets.focus");
		await foldOthers(page, "Pets");
		await treeView(page, "Pets")
			.row(/^Pet Biscuit/)
			.waitFor();
		await driver.execute("switchboard.petstore.openPet", { connection: "sandbox-petstore", pet: "2" });
		await awaitPage(scene, "Edit as JSON");
		await write(`pets-${theme}`, compressed([await shoot(scene, [sidebar, editors], { top: 460 })]));

		await driver.execute("switchboard.connections.focus");
		await foldOthers(page, "Connections");
		await driver.execute("switchboard.testAllConnections", {});
		await treeView(page, "Connections")
			.row(/Sandbox Code Host/)
			.click();
		await page
			.getByRole("treeitem", { name: /^Rate limit/i })
			.first()
			.waitFor();
		await write(`connections-${theme}`, compressed([await shoot(scene, [sidebar], { top: 380 })]));
	} finally {
		await driver.dispose();
	}
}

/** An animated picture of a reply that arrives; its service says the next words when a picture was taken. */
async function takeStream(): Promise<void> {
	const service = await startDictatedService();
	const scene = await open("dark", { width: 1000, height: 640, scale: 2 });
	const { driver, page, chat } = scene;
	try {
		await driver.execute("switchboard.addConnection", {
			service: "messages",
			label: "Built-in Sandbox",
			model: "sandbox",
			baseUrl: service.baseUrl,
			key: "dictated",
		});
		await widenChat(scene, 110);
		const sent = driver.execute("switchboard.chat.send", { text: QUESTION });
		await service.begun();
		const frames: Buffer[] = [];
		const take = async () => frames.push(await shoot(scene, [page.locator(".part.auxiliarybar")]));
		for (const piece of ANSWER.match(/[\s\S]{1,28}(?=\s|$)/g) ?? []) {
			service.say(piece);
			const end = piece.trim().match(/\w+(?=\W*$)/)?.[0] ?? "";
			await chat.locator("#transcript", { hasText: end }).waitFor();
			await take();
		}
		service.end();
		await sent;
		await awaitIdle(chat);
		await take();
		await write(
			"stream",
			compressed(
				frames,
				frames.map((_, index) => (index === frames.length - 1 ? 4_000 : 260)),
			),
		);
	} finally {
		await driver.dispose();
		await service.close();
	}
}

/** One entry of a contact sheet. */
type Entry = readonly [name: string, show: (scene: Scene) => Promise<unknown>];

const command =
	(id: string, argument?: object) =>
	({ driver }: Scene) =>
		driver.execute(`switchboard.${id}`, argument ?? {});

/** Asks in the palette, as a person does; the question stays open. */
const question = (title: string) => async (scene: Scene) => {
	await scene.page.keyboard.press("Escape");
	await scene.driver.workbench.runCommand(`Switchboard: ${title}`);
	await scene.page.locator(".quick-input-widget:visible input").first().waitFor();
};

const view =
	(id: string, name: string) =>
	async ({ driver, page }: Scene) => {
		await page.keyboard.press("Escape");
		await driver.execute(`switchboard.${id}.focus`);
		await foldOthers(page, name);
	};

const STORE = { connection: "sandbox-petstore" };

/** Scenes of a sheet, in an order in which each finds what it needs. */
const ENTRIES: readonly Entry[] = [
	["empty views", ({ driver }) => driver.execute("switchboard.repositories.focus")],
	["walkthrough", command("getStarted")],
	["add a connection", question("Add Connection")],
	["the sandbox", (scene) => scene.page.keyboard.press("Escape").then(() => command("trySandbox")(scene))],
	["repositories", view("repositories", "Repositories")],
	["issues", view("issues", "Issues")],
	["an issue", command("codehost.openIssue", { repository: REPOSITORY, number: ISSUE })],
	["filter issues", question("Filter Issues")],
	["pets", view("pets", "Pets")],
	["a pet", command("petstore.openPet", { ...STORE, pet: "2" })],
	["store", view("store", "Store")],
	["inventory", ({ driver }) => driver.execute("switchboard.petstore.showInventory", STORE)],
	["a user", command("petstore.openUser", { ...STORE, username: "ada" })],
	["connections", view("connections", "Connections")],
	["requests", view("requests", "Requests")],
	["a reply", (scene) => reply(scene, QUESTION, { think: true, wordDelayMs: 0 })],
	["cut off", (scene) => reply(scene, QUESTION, { say: ["It begins well, and"], stopReason: "max_tokens" })],
	["refused", (scene) => reply(scene, QUESTION, { say: ["No."], stopReason: "refusal" })],
	["interrupted", (scene) => reply(scene, QUESTION, { cut: { afterDeltas: 2, how: "reset" } })],
	["an approval", (scene) => approval(scene)],
	["an error", (scene) => reply(scene, QUESTION, { fail: { status: 401, times: 9 } })],
	["history", question("Show History")],
	["models", question("Select Model")],
	["tools", question("Choose Tools")],
];

/** A page with one picture per entry, for one theme and width. */
async function takeSheet(theme: Theme, width: number): Promise<void> {
	const scene = await open(theme, { width, height: 800, scale: 1 });
	const shots: string[] = [];
	try {
		for (const [name, show] of ENTRIES) {
			const limit = setTimeout(30_000, undefined, { ref: false }).then(() =>
				Promise.reject(new Error("took over 30 s")),
			);
			await Promise.race([show(scene), limit]).catch((error: unknown) => console.error(`${name}: ${error}`));
			const png = (await shoot(scene)).toString("base64");
			shots.push(`<figure><img src="data:image/png;base64,${png}"><figcaption>${name}</figcaption></figure>`);
		}
		const sheet = await scene.page.context().newPage();
		await sheet.setContent(
			`<style>body{display:grid;grid-template-columns:repeat(4,1fr);gap:8px;font:14px sans-serif;background:#777}
			figure{margin:0}img{width:100%}</style>${shots.join("")}`,
		);
		await sheet.setViewportSize({ width: 2400, height: 600 });
		await sheet.screenshot({ path: join(SHEETS, `${theme}-${width}.png`), fullPage: true });
		console.log(join(SHEETS, `${theme}-${width}.png`));
	} finally {
		await scene.driver.dispose();
	}
}

const USAGE = `Takes the pictures of the docs anew, with the packaged extension in a browser.

Usage: npm run screenshots -- [flags] [names]

  --sheet  Make contact sheets of every view instead, outside the tree; names choose some, such as dark-900
  --help   Print this`;

const { values: flags, positionals: names } = flagsOf(USAGE, { sheet: { type: "boolean" } });
if (flags.sheet === true) {
	await rm(SHEETS, { recursive: true, force: true });
	await mkdir(SHEETS, { recursive: true });
	for (const theme of Object.keys(THEMES) as Theme[]) {
		for (const width of [900, 1600]) {
			if (names.length === 0 || names.includes(`${theme}-${width}`)) await takeSheet(theme, width);
		}
	}
} else {
	await mkdir(PICTURES, { recursive: true });
	for (const theme of ["dark", "light"] as const) await takePictures(theme);
	await takeStream();
}
