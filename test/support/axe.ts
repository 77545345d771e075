import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Frame, Page } from "playwright-core";

const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe says of an element that breaks a rule. */
interface Violation {
	readonly id: string;
	readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds wrong with a document, a line for each element; its colors as they are at the moment. */
export async function axeViolations(page: Frame | Page): Promise<readonly string[]> {
	if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(source);
	// Only what is wrong is wanted; axe would work out all about the rest as well.
	const found = await page.evaluate<readonly Violation[]>(
		`axe.run(document, { resultTypes: ["violations"], preload: false }).then(({ violations }) => violations)`,
	);
	return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}\n${node.failureSummary}`));
}
