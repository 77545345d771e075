import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator } from "playwright-core";
import { imageSizeOf, imageTypeOf } from "#base/image.ts";
import type { MessageView } from "#protocol/panel.ts";
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

/** Rows of the composer's buttons that are in sight, by the middle of each, and the text that is shown in the last. */
const BAR_ROWS = `(() => {
	const rows = new Map();
	for (const button of document.querySelectorAll(".composer-bar button")) {
		const { top, height, width } = button.getBoundingClientRect();
		const row = Math.round((top + height / 2) / 8);
		if (width > 0) rows.set(row, [...(rows.get(row) ?? []), button.id]);
	}
	return [...rows.values()];
})()`;

test("in a narrow panel Send stands beside Tools, and all controls keep their names", async () => {
	for (const [width, more] of [
		[270, {}],
		[240, {}],
		[270, { contextTokens: 2_100 }],
	] as const) {
		const { page, tell } = await browser.open({ width, height: 600 });
		const composer = { tools: { on: 12 }, effort: "Medium", tokens: 1_800, ...more };
		await tell(conversation([turn("Go"), reply("Well.")], composer));
		const rows = await page.evaluate<string[][]>(BAR_ROWS);
		const compact = "contextTokens" in more ? ["compact"] : [];
		assert.deepEqual(
			rows.toSorted(),
			[["attach", "tools", "effort", "tokens", ...compact, "send"], ["target"]].toSorted(),
		);
		await page.getByRole("button", { name: "Thinking effort: Medium" }).waitFor();
		await page.getByRole("button", { name: "About 1,800 tokens would be sent" }).waitFor();
		const shown = await page.evaluate<string>(
			`getComputedStyle(document.querySelector("#tokens"), "::before").content`,
		);
		assert.equal(shown, compact.length > 0 ? '"85%"' : '"~1.8K"');
	}
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
