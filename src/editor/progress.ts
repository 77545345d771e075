import * as vscode from "vscode";
import type { WaitNotice } from "#api/http/notice.ts";
import type { Asking } from "#app/connections/probe-result.ts";
import { systemClock } from "#base/clock.ts";
import { ClientError, withFacts } from "#base/errors.ts";
import { countdownTo } from "./kit/countdown.ts";
import { describeWait } from "./kit/error-words.ts";
import { leaving } from "./kit/leaving.ts";
import { withoutIcons, withoutLinks } from "./kit/plain.ts";

/** A notification with Cancel is worth its space only for what takes longer than this. Milliseconds. */
const NOTIFY_AFTER_MS = 1_000;

/** Cancellation and progress of an operation. */
export interface Doing {
	/** Aborts when the person cancels. */
	readonly signal: AbortSignal;
	readonly onWait: NonNullable<Asking["onWait"]>;
	/** Shows how far it has come: in words and, where that is known, in hundredths of the whole. */
	readonly tell: (line: string, percent?: number) => void;
}

/**
 * Runs an operation with progress: quiet in the status bar at first, after a second a notification with Cancel, which
 * aborts the signal with the reason `stopped`. Between the questions of a `wizard`, which is its title, a busy box takes
 * their place, and leaving it cancels. Counts down rate limits and retries. `label` names the connection or host; `stop`
 * aborts from elsewhere.
 */
export async function withProgress<T>(
	title: string,
	run: (signal: AbortSignal, doing: Doing) => Promise<T>,
	{
		label = "the service",
		stop,
		wizard,
	}: { readonly label?: string; readonly stop?: AbortSignal; readonly wizard?: string | undefined } = {},
): Promise<T> {
	const abort = new AbortController();
	const signal = stop === undefined ? abort.signal : AbortSignal.any([abort.signal, stop]);
	const places: (() => void)[] = [];
	const show = () => {
		for (const each of places) each();
	};
	let wait: WaitNotice | null = null;
	const countdown = countdownTo(systemClock, () => [wait?.until ?? null], show);
	let come: { readonly line: string; readonly percent?: number } = { line: "" };
	const work = run(signal, {
		signal,
		onWait(begun) {
			wait = begun;
			show();
			countdown.plan();
		},
		tell: (line, percent) => {
			come = percent === undefined ? { line } : { line, percent };
			show();
		},
	});
	const settled = Promise.allSettled([work]);
	const words = () => leaving(wait === null ? come.line : describeWait(wait, { label, now: systemClock.now() }));
	const showIn = (
		report: vscode.Progress<{ message: string; increment?: number }>,
		plain: (line: string) => string,
	) => {
		let shown = 0;
		const place = () => {
			const { percent } = come;
			const message = plain(words());
			// Without a share of the whole the bar runs to and fro.
			report.report(percent === undefined ? { message } : { message, increment: percent - shown });
			shown = percent ?? shown;
		};
		places.push(place);
		place();
		return settled;
	};
	const showInEditor = () => {
		const { Window, Notification } = vscode.ProgressLocation;
		void vscode.window.withProgress({ location: Window, title: withoutIcons(leaving(title)) }, (report) =>
			showIn(report, withoutIcons),
		);
		return systemClock.after(NOTIFY_AFTER_MS, () => {
			const options = { location: Notification, title: withoutLinks(leaving(title)), cancellable: true };
			void vscode.window.withProgress(options, (report, token) => {
				token.onCancellationRequested(() => abort.abort());
				return showIn(report, withoutLinks);
			});
		});
	};
	const showInBox = () => {
		const box = vscode.window.createInputBox();
		const own = leaving({ title: wizard, placeholder: title });
		Object.assign(box, { ...own, busy: true, ignoreFocusOut: true });
		places.push(() => {
			box.prompt = words();
		});
		box.onDidHide(() => abort.abort());
		box.show();
		return box;
	};
	const shown = wizard === undefined ? showInEditor() : showInBox();
	try {
		return await work;
	} catch (error) {
		if (!(abort.signal.aborted && error instanceof ClientError && error.code === "aborted")) throw error;
		throw withFacts(error, { reason: "stopped" });
	} finally {
		shown.dispose();
		countdown.dispose();
	}
}
