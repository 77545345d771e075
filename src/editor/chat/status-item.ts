import * as vscode from "vscode";
import { type Conversations, isAsking } from "#app/chat/conversations.ts";
import type { CodehostStatuses, Urgency } from "#app/codehost/status.ts";
import type { Clock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { countdownTo } from "../kit/countdown.ts";
import { leaving } from "../kit/leaving.ts";
import { Card } from "../kit/tree.ts";
import { describeStatus } from "../words/status-words.ts";
import type { ChatPanels } from "./panels.ts";

/** Shows the most urgent state in the status bar, others on hover, and hidden calls and replies; `held` ends it. */
export function showStatus(
	statuses: CodehostStatuses,
	conversations: Conversations,
	panels: ChatPanels,
	clock: Clock,
	held: DisposableStore,
): void {
	let item: vscode.StatusBarItem | undefined;
	let urgencies: readonly Urgency[] = [];
	// Time alone can make something urgent.
	const ends = () => [...urgencies.map(({ until }) => until ?? null), Number.POSITIVE_INFINITY];
	const countdown = held.add(countdownTo(clock, ends, update));
	const { onDidWork, onDidShow, onDidWait } = conversations;
	for (const changed of [statuses.onDidChange, onDidWork, onDidShow, onDidWait, panels.onDidChangeVisibility]) {
		held.add(changed(update));
	}
	update();

	function update(): void {
		urgencies = statuses.urgencies();
		countdown.plan();
		const { busy, active } = conversations;
		const away = busy
			.filter((session) => session !== active || !panels.isVisible)
			.map(({ id, title, entries }) => ({ id, title, asks: isAsking(entries.at(-1)) }));
		const words = describeStatus(urgencies, away, clock.now());
		if (words === null) {
			item?.hide();
			return;
		}
		const { parts, grave, command } = words;
		const [text, spoken] = leaving([words.text, words.spoken] as const);
		item ??= held.add(vscode.window.createStatusBarItem("switchboard.status", vscode.StatusBarAlignment.Right, 50));
		item.name = "Switchboard";
		item.text = text;
		const card = new Card();
		for (const part of parts) card.title(part.title).text(part.text);
		item.tooltip = card.markdown;
		item.accessibilityInformation = { label: spoken, role: "button" };
		item.backgroundColor = grave ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		item.command = { command: command.id, title: "Show", arguments: [command.argument] };
		item.show();
	}
}
