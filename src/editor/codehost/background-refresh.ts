import * as vscode from "vscode";
import { BackgroundRefresher, type BackgroundParts as RefresherParts } from "#app/codehost/background-refresher.ts";
import { SETTINGS } from "#app/contributions.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { refreshIntervalMs } from "../settings.ts";

/** Rooms that a background refresh works with. */
export type BackgroundParts = Omit<RefresherParts, "focused" | "intervalMs">;

/** Refreshes in the background while this window is focused, as often as the settings say. */
export class BackgroundRefresh implements Disposable {
	readonly #held = new DisposableStore();

	constructor(parts: BackgroundParts) {
		const refresher = new BackgroundRefresher({
			...parts,
			focused: () => vscode.window.state.focused,
			intervalMs: refreshIntervalMs,
		});
		this.#held.add(refresher);
		this.#held.add(vscode.window.onDidChangeWindowState(() => refresher.plan()));
		this.#held.add(
			vscode.workspace.onDidChangeConfiguration((event) => {
				if (event.affectsConfiguration(SETTINGS.refreshMinutes)) refresher.plan();
			}),
		);
	}

	dispose(): void {
		this.#held.dispose();
	}
}
