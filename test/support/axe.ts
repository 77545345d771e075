import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Finding of axe about an element that breaks a rule. */
interface Violation {
	readonly id: string;
	readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Findings of axe in a document with its current colors, one line per element. */
export async function axeViolations(page: Frame | Page): Promise<readonly string[]> {
	if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
	// Only what is wrong is wanted; axe would work out all about the rest as well.
	const found = await page.evaluate<readonly Violation[]>(
		`axe.run(document, { resultTypes: ["violations"], preload: false }).then(({ violations }) => violations)`,
	);
	return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`));
}
