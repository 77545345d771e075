import * as vscode from "vscode";
import { systemClock } from "#base/clock.ts";
import { withoutIcons, withoutLinks } from "./plain.ts";

/** A notification with Cancel is worth its space only for what takes longer than this. Milliseconds. */
const NOTIFY_AFTER_MS = 3000;

/**
 * Runs something the person started: a quiet sign in the status bar at once, a notification with Cancel once it has
 * taken three seconds. Cancelling aborts the signal.
 */
export async function withProgress<T>(title: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
	const abort = new AbortController();
	const work = run(abort.signal);
	const settled = work.then(
		() => undefined,
		() => undefined,
	);
	void vscode.window.withProgress(
		{ location: vscode.ProgressLocation.Window, title: withoutIcons(title) },
		() => settled,
	);
	const patience = systemClock.after(NOTIFY_AFTER_MS, () => {
		const { Notification: location } = vscode.ProgressLocation;
		const options = { location, title: withoutLinks(title), cancellable: true };
		void vscode.window.withProgress(options, (_progress, token) => {
			token.onCancellationRequested(() => abort.abort());
			return settled;
		});
	});
	try {
		return await work;
	} finally {
		patience.dispose();
	}
}
