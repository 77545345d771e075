import { setImmediate } from "node:timers/promises";
import type * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { USAGE_PANEL } from "#app/contributions.ts";
import type { Budget } from "#app/usage/budget.ts";
import { CSV_HEADER, csvLine } from "#app/usage/csv.ts";
import type { Ledger, UsageLine } from "#app/usage/ledger.ts";
import { boundsOf, GROUPINGS, USAGE_PERIODS, type UsagePeriod, UsageSummary } from "#app/usage/summary.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable, DisposableStore } from "#base/disposables.ts";
import { oneOf, parsed } from "#base/schema.ts";
import { leaving } from "../kit/leaving.ts";
import { pageTab } from "../kit/page.ts";
import { plainLine } from "../kit/text.ts";
import { usagePage } from "./usage-page.ts";

/** Schema of a period. */
export const PERIOD = oneOf(...(Object.keys(USAGE_PERIODS) as UsagePeriod[]));

/** Pause between two drawings while replies come in. Milliseconds. */
const REDRAW_MS = 1_000;

/** Lines that are summed or exported without a pause, in a few milliseconds. */
const LINES_AT_ONCE = 2_000;

/** Usage of all connections in an editor tab, drawn again as the ledger grows, and its export. */
export function usagePanel(
	ledger: Ledger,
	budget: Pick<Budget, "words">,
	registry: ConnectionRegistry,
	clock: Clock,
	extensionUri: vscode.Uri,
	held: DisposableStore,
) {
	let period: UsagePeriod = "month";
	let summary = new UsageSummary(period);
	let wanted: UsagePeriod = period;
	let waiting: Disposable | undefined;
	let midnight: Disposable | undefined;
	const labels = new Map<string, string>();
	const labelOf = (id: string) => registry.get(id)?.label ?? `${labels.get(id) ?? id} (removed)`;
	const eachOf = async (chosen: UsagePeriod, take: (line: UsageLine) => void) => {
		const { from, until, months } = boundsOf(chosen, clock.now());
		for (const [place, line] of (await ledger.read(months)).entries()) {
			if (place % LINES_AT_ONCE === LINES_AT_ONCE - 1) await setImmediate();
			if (line.label !== undefined) labels.set(line.connection, line.label);
			if (line.at >= from && line.at < until) take(line);
		}
	};
	const show = async (chosen: UsagePeriod) => {
		wanted = chosen;
		const next = new UsageSummary(chosen);
		await eachOf(chosen, (line) => next.add(line));
		// The last choice counts, also where an earlier one takes longer.
		if (wanted === chosen) [period, summary] = [chosen, next];
		page.draw();
		midnight?.dispose();
		midnight = clock.after(boundsOf("today", clock.now()).until - clock.now(), () => page.isOpen && void show(wanted));
		return next;
	};
	const limits = () =>
		registry.list("messages").flatMap((each) => {
			if (each.limits === undefined) return [];
			return `${plainLine(each.label)}: ${budget.words(each).join(", ")}`;
		});
	const page = pageTab(USAGE_PANEL, extensionUri, held, {
		view: () => usagePage(period, summary, limits(), labelOf),
		pressed(id) {
			const chosen = parsed(PERIOD, id);
			if (chosen !== undefined) void show(chosen);
		},
	});
	held.add({ dispose: () => [waiting, midnight].map((timer) => timer?.dispose()) });
	held.add(
		ledger.onDidChange(() => {
			waiting ??= clock.after(REDRAW_MS, () => {
				waiting = undefined;
				if (page.isOpen) void show(wanted);
			});
		}),
	);
	held.add(registry.onDidChange(() => page.draw()));
	return {
		/** Opens the page at a period, or at that of the last time, and resolves to its usage. */
		async open(chosen = period) {
			const { total, groups } = await show(chosen);
			page.show();
			const listed = GROUPINGS.map((each) => [each, Object.fromEntries(groups[each])]);
			return { period: chosen, total, ...Object.fromEntries(listed) };
		},
		/** Replies of a period, or of that on screen, as CSV with a row each. */
		async csv(chosen = period) {
			const rows: string[] = [];
			await eachOf(chosen, (line) => rows.push(leaving(csvLine(line, labelOf(line.connection)))));
			return { period: chosen, replies: rows.length, text: CSV_HEADER + rows.join("") };
		},
	};
}

/** Page of usage, for its commands. */
export type UsagePanel = ReturnType<typeof usagePanel>;
