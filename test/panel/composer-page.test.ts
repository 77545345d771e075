import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { imageSizeOf, imageTypeOf } from "#base/image.ts";
import type { ComposerView, MessageView } from "#protocol/panel.ts";
import { conversation, openPanelBrowser, type PanelBrowser, reply, turn } from "../support/panel-page.ts";
import { until } from "../support/until.ts";

let browser: PanelBrowser;

before(async () => {
	browser = await openPanelBrowser();
});

after(() => browser.dispose());

/** Presses keys until the box says something, and returns what it said after each. */
async function pressUntil(box: Locator, keys: string, text: string): Promise<readonly string[]> {
	const seen = [await box.inputValue()];
	while (seen.at(-1) !== text) {
		await box.press(keys);
		seen.push(await box.inputValue());
		assert.notEqual(seen.at(-1), seen.at(-2), `${keys} changes nothing more`);
	}
	return seen;
}

test("Undo and Redo cover typing here and in another panel, and an inserted prompt", async () => {
	const { page, tell, posted } = await browser.open();
	await tell(conversation([]));
	const box = page.locator("#composer");
	await box.pressSequentially("here");
	await tell({ type: "typed", conversation: "c1", text: "here and there" });
	await box.press("Home");
	await box.pressSequentially("/bri");
	await until(async () => (await posted()).at(-1)?.type === "suggest", "a prompt to be looked for");
	const asked = (await posted()).at(-1);
	assert.ok(asked?.type === "suggest" && asked.query === "bri");
	const items = [{ id: "/brief", kind: "prompt", label: "/brief", detail: "" }];
	await tell({ type: "suggestions", request: asked.request, items, more: false });
	await box.press("Tab");
	assert.equal(await box.inputValue(), "here and there");
	await tell({ type: "draft", text: "In one sentence:", above: true });
	const whole = "In one sentence:\n\nhere and there";
	const undone = await pressUntil(box, "ControlOrMeta+z", "");
	for (const text of [whole, "here and there", "here"]) assert.ok(undone.includes(text), undone.join(" | "));
	await pressUntil(box, "ControlOrMeta+Shift+z", whole);
});

/** Pastes a picture of a size into the composer, as a file of that type. */
const PASTE = `async (type, width, height) => {
	const canvas = new OffscreenCanvas(width, height);
	const context = canvas.getContext("2d");
	context.fillStyle = "teal";
	context.fillRect(0, 0, width, height / 2);
	const files = new DataTransfer();
	files.items.add(new File([await canvas.convertToBlob({ type })], "picture", { type }));
	const event = new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true });
	document.querySelector("#composer").dispatchEvent(event);
}`;

/** A large picture in base64, as the host hands over one that was picked. */
const TALL = `(async () => {
	const canvas = new OffscreenCanvas(500, 2_000);
	canvas.getContext("2d");
	const picture = await canvas.convertToBlob({ type: "image/jpeg" });
	return btoa(String.fromCharCode(...new Uint8Array(await picture.arrayBuffer())));
})()`;

test("a picture that is pasted or picked is scaled down and shown as a thumbnail", async () => {
	const { page, tell, posted, foreign } = await browser.open();
	await tell(conversation([]));
	const scaled = async (give: () => Promise<unknown>) => {
		const before = (await posted()).length;
		await give();
		await until(async () => (await posted()).length > before, "the picture");
		const message = (await posted()).at(-1);
		assert.ok(message?.type === "paste-image");
		const bytes = Buffer.from(message.data, "base64");
		return { ...message, type: imageTypeOf(bytes)?.type, size: imageSizeOf(bytes) };
	};
	const pasted = (type: string, width: number, height: number) =>
		scaled(() => page.evaluate(`(${PASTE})("${type}", ${width}, ${height})`));
	const [width, height] = [1_568, 523];
	const { data, ...large } = await pasted("image/png", 3_000, 1_000);
	assert.deepEqual(large, { type: "image/png", conversation: "c1", label: "picture", size: { width, height } });
	const tall = { key: "k1", mediaType: "image/jpeg", data: await page.evaluate<string>(TALL) };
	const picked = await scaled(() => tell({ type: "picked-image", ...tall }));
	assert.deepEqual([picked.key, picked.size], [tall.key, { width: 392, height: 1_568 }]);
	const paste = `(${PASTE})("image/png", 2_000, 2_000)`;
	const enter = `document.querySelector("#composer").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }))`;
	await page.evaluate(`${paste}.then(() => ${enter})`);
	await until(async () => (await posted()).at(-1)?.type === "send", "the message");
	const told = (await posted()).map(({ type }) => type).filter((type) => type !== "draft");
	assert.deepEqual(told.slice(-2), ["paste-image", "send"], "it goes with the message");
	const small = await pasted("image/jpeg", 40, 30);
	assert.deepEqual([small.type, small.size], ["image/jpeg", { width: 40, height: 30 }]);
	assert.equal((await pasted("image/webp", 40, 30)).type, "image/png", "not every engine decodes WebP");
	const picture = { id: "a1", kind: "image", label: "A picture", bytes: 9, image: { hash: "h1", width, height } };
	const attached = { type: "attachments", conversation: "c1", attachments: [picture] } as const;
	await tell(conversation([{ ...turn("Look"), attachments: [picture] } as MessageView]), attached);
	const wants = (await posted()).filter(({ type }) => type === "want-image");
	assert.deepEqual(wants, [{ type: "want-image", hash: "h1" }], "asked for once");
	await tell({ type: "image", hash: "h1", mediaType: "image/png", data });
	const shown = page.getByAltText("A picture");
	await until(async () => (await shown.evaluateAll(WIDTHS)).join() === "1568,1568", "both thumbnails");
	await shown.first().click();
	assert.deepEqual((await posted()).at(-1), { type: "open-attachment", id: "a1" });
	await tell(conversation([]), { ...attached, attachments: [] });
	assert.deepEqual(
		foreign.filter((address) => !address.startsWith("blob:")),
		[],
	);
});

/** Rows of the composer with their controls in sight, by the middle of each, top first; and controls that are cut off. */
const ROWS = `(() => {
	const rows = new Map();
	const cut = [];
	for (const control of document.querySelectorAll("#composer, .composer-bar button")) {
		const { top, left, right, bottom, width } = control.getBoundingClientRect();
		if (width === 0) continue;
		const row = Math.round((top + bottom) / 16);
		rows.set(row, [...(rows.get(row) ?? []), control.id]);
		if (left < 0 || right > innerWidth || bottom > innerHeight) cut.push(control.id);
	}
	const text = document.querySelector("#composer");
	const lines = Math.round(text.clientHeight / parseFloat(getComputedStyle(text).lineHeight));
	const ordered = [...rows].sort(([a], [b]) => a - b).map(([, controls]) => controls);
	return { rows: ordered, cut, lines, wide: document.documentElement.scrollWidth - innerWidth };
})()`;

interface Rows {
	readonly rows: readonly (readonly string[])[];
	readonly cut: readonly string[];
	readonly lines: number;
	readonly wide: number;
}

const FULL = {
	connection: "Ollama on the machine of the whole team",
	model: "qwen3-coder:30b-a3b-q4_K_M",
	tools: { on: 10, of: 15 },
	effort: "Medium",
	tokens: 1_800,
	contextTokens: 200_000,
	cost: { amount: 1.5, currency: "EUR" },
};

/** The composer of a panel in a state. */
async function rowsOf(width: number, height: number, composer: Partial<ComposerView>, text = ""): Promise<Rows> {
	const { page, tell } = await browser.open({ width, height });
	await tell(conversation([turn("Go"), reply("Well.")], composer));
	if (text !== "") await page.locator("#composer").fill(text);
	const found = await page.evaluate<Rows>(ROWS);
	await page.close();
	return found;
}

const BUTTONS = ["attach", "tools", "effort", "tokens", "send"];

test("at 292 pixels the composer has three rows at most, with the model first", async () => {
	const nearlyFull = { ...FULL, tokens: 190_000 };
	const unknown = { ...FULL, unknown: ["tools", "images", "thinking"] } as const;
	for (const composer of [FULL, nearlyFull, unknown, { ...FULL, busy: true }, { busy: false }]) {
		const { rows, cut, lines, wide } = await rowsOf(292, 600, composer);
		const where = JSON.stringify(rows);
		assert.deepEqual([cut, lines, wide], [[], 2, 0], where);
		assert.ok(rows.length <= 3, where);
		assert.deepEqual([rows[0], rows[1]?.[0]], [["composer"], "target"], where);
		const last = rows.at(-1) ?? [];
		assert.ok(last.includes("attach") && last.some((id) => id === "send" || id === "stop"), where);
	}
	assert.deepEqual((await rowsOf(292, 600, FULL)).rows, [["composer"], ["target", ...BUTTONS]]);
	assert.deepEqual((await rowsOf(600, 600, FULL)).rows, [["composer"], ["target", ...BUTTONS]]);
});

test("down to 146 pixels all controls are in sight, the model on its own row", async () => {
	for (const width of [220, 170, 146]) {
		const { rows, cut, wide } = await rowsOf(width, 600, FULL);
		assert.deepEqual([rows, cut, wide], [[["composer"], ["target"], BUTTONS], [], 0], `${width}`);
	}
});

test("in a view of 150 pixels the composer is one line that writes, sends and stops", async () => {
	const text = "some words that would need many lines ".repeat(20);
	for (const width of [146, 292, 600]) {
		for (const [busy, buttons] of [
			[false, ["send"]],
			[true, ["send", "stop"]],
		] as const) {
			const { rows, cut, lines, wide } = await rowsOf(width, 150, { ...FULL, busy }, text);
			assert.deepEqual([rows, cut, lines, wide], [[["composer", ...buttons]], [], 1, 0], `${width} ${busy}`);
		}
	}
	const long = await rowsOf(292, 150, FULL, "word ".repeat(6_000));
	assert.deepEqual([long.rows, long.lines], [[["composer", "send"]], 1]);
});

test("the placeholder keeps to one line, and the ring tells its figures", async () => {
	const { page, tell } = await browser.open({ width: 150, height: 600 });
	await tell(conversation([turn("Go"), reply("Well.")], FULL));
	const empty = await page.locator("#composer").boundingBox();
	await page.locator("#composer").fill("x");
	assert.equal((await page.locator("#composer").boundingBox())?.height, empty?.height);
	const figures = page.locator("#figures");
	assert.equal(await figures.isVisible(), false);
	await page.locator("#tokens").hover();
	await figures.getByText("<1% of 200K, the model's context").waitFor();
	await page.mouse.move(1, 1);
	await until(async () => !(await figures.isVisible()), "the figures to go");
	await page.locator("#effort").focus();
	await page.keyboard.press("Tab");
	await figures.getByText("About 1.50 EUR in all versions").waitFor();
	await page.getByRole("button", { name: "So far 18 tokens in, 412 out" }).waitFor();
	const box = (await figures.boundingBox()) ?? { x: -1, y: -1, width: 0 };
	assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 150, JSON.stringify(box));
});

/** Widths of pictures as they came. */
const WIDTHS = (images: readonly object[]) =>
	images.map((image) => ("naturalWidth" in image ? image.naturalWidth : undefined));

test("a picture that cannot be attached is named, and why", async () => {
	const { page, tell, posted } = await browser.open();
	await tell(conversation([]));
	const before = (await posted()).length;
	await tell({ type: "picked-image", key: "k1", mediaType: "image/png", data: btoa("no image") });
	await until(async () => (await posted()).length > before, "the answer");
	assert.deepEqual((await posted()).at(-1), { type: "paste-image", conversation: "", key: "k1", label: "", data: "" });
	await page.evaluate(`{
		const dataTransfer = new DataTransfer();
		dataTransfer.items.add(new File(["text"], "a.txt", { type: "text/plain" }));
		document.querySelector("main").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
	}`);
	await page.locator(".composer-note", { hasText: "Only PNG" }).waitFor();
	assert.equal((await posted()).length, before + 1);
});
