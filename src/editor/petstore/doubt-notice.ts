import * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { withoutLinks } from "../plain.ts";

/** Says that nobody knows whether changes were done, and what to do about it. */
export function tellDoubts(connection: string, changes: readonly string[], registry: ConnectionRegistry): void {
	const label = registry.get(connection)?.label;
	const [first] = changes;
	if (label === undefined || first === undefined) return;
	const what = changes.length === 1 ? first : `${changes.length} changes were done, such as that ${first}`;
	const sentence = `${label} did not say whether ${what}: look there before you do it again.`;
	void vscode.window.showWarningMessage(withoutLinks(sentence));
}
