import * as vscode from "vscode";
import type { Row } from "./tree.ts";

/** Two clicks on a row that are no further apart are a double click. Milliseconds. */
const DOUBLE_MS = 700;

/** Knows a double click: the editor runs the command of a row for each of its two clicks, and does not tell them apart. */
export class Clicks {
	#last: { readonly row: Row; readonly at: number } | undefined;

	/** Notes that a row was clicked; whether that made a double click. */
	isSecond(row: Row): boolean {
		const at = performance.now();
		const last = this.#last;
		this.#last = { row, at };
		return last?.row === row && at - last.at < DOUBLE_MS;
	}
}

/** Keeps the editor in front when another is opened: until then it is a preview. */
export async function keepInFront(): Promise<void> {
	await vscode.commands.executeCommand("workbench.action.keepEditor");
}
