/// <reference types="node" />
/** Takes pictures of the panel in every theme and two widths: `node test/bench/panel/look.ts FOLDER`. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import type { ToPanel } from "#protocol/panel.ts";
import { bundle, servePanel } from "../../support/page-server.ts";
import { SAMPLE_SCENES } from "./scenes.ts";
import { THEME_NAMES, themeSheet } from "./themes.ts";

const folder = process.argv[2] ?? "panel-look";
const only = process.argv[3];
mkdirSync(folder, { recursive: true });
const fakeEditor = await bundle(fileURLToPath(new URL("browser/fake-editor.ts", import.meta.url)));
const server = await servePanel(
	new Map([
		["/fake-editor.js", { type: "text/javascript", body: fakeEditor }],
		...THEME_NAMES.map((name) => [`/theme-${name}.css`, { type: "text/css", body: themeSheet(name) }] as const),
	]),
);
const browser = await chromium.launch({
	executablePath: process.env["CHROMIUM_EXECUTABLE"] ?? "/usr/bin/chromium",
	args: ["--no-sandbox"],
});
for (const theme of THEME_NAMES) {
	for (const width of [260, 900]) {
		for (const [name, scene] of Object.entries(SAMPLE_SCENES)) {
			if (only !== undefined && !`${theme}-${width}-${name}`.includes(only)) continue;
			const page = await browser.newPage({ viewport: { width, height: 900 } });
			page.on("console", (message) => console.log(theme, width, name, message.text()));
			page.on("pageerror", (error) => console.log(theme, width, name, String(error)));
			await page.goto(`${server.origin}/?theme=${theme}`);
			await page.evaluate((messages: ToPanel[]) => {
				const { editor } = globalThis as unknown as { editor: { tell(message: ToPanel): void } };
				for (const message of messages) editor.tell(message);
			}, scene as ToPanel[]);
			if (name === "find") await page.keyboard.type("the");
			if (name === "rich") await page.locator("article").last().hover();
			await page.waitForTimeout(300);
			await page.screenshot({ path: `${folder}/${theme}-${width}-${name}.png` });
			await page.close();
		}
	}
}
await browser.close();
await server.close();
