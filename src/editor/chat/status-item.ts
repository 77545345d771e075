import * as vscode from "vscode";
import { type Conversations, isAsking } from "#app/chat/conversations.ts";
import type { CodehostStatuses, Urgency } from "#app/codehost/status.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Countdown } from "../kit/countdown.ts";
import { leaving } from "../kit/leaving.ts";
import { Card } from "../kit/tree.ts";
import { describeStatus } from "../words/status-words.ts";
import type { ChatPanels } from "./panels.ts";

/** Status bar item: the most urgent state, others on hover, and hidden calls and replies. */
export class StatusItem implements Disposable {
	readonly #statuses: CodehostStatuses;
	readonly #conversations: Conversations;
	readonly #panels: ChatPanels;
	readonly #clock: Clock;
	readonly #held = new DisposableStore();
	#item: vscode.StatusBarItem | undefined;
	readonly #countdown: Countdown;
	#urgencies: readonly Urgency[] = [];

	constructor(statuses: CodehostStatuses, conversations: Conversations, panels: ChatPanels, clock: Clock) {
		this.#statuses = statuses;
		this.#conversations = conversations;
		this.#panels = panels;
		this.#clock = clock;
		const { onDidWork, onDidShow, onDidWait } = conversations;
		for (const changed of [statuses.onDidChange, onDidWork, onDidShow, onDidWait, panels.onDidChangeVisibility]) {
			this.#held.add(changed(() => this.#update()));
		}
		// Time alone can make something urgent.
		const ends = () => [...this.#urgencies.map(({ until }) => until ?? null), Number.POSITIVE_INFINITY];
		this.#countdown = this.#held.add(new Countdown(clock, ends, () => this.#update()));
		this.#held.add({ dispose: () => this.#item?.dispose() });
		this.#update();
	}

	dispose(): void {
		this.#held.dispose();
	}

	#update(): void {
		const urgencies = this.#statuses.urgencies();
		this.#urgencies = urgencies;
		this.#countdown.plan();
		const { busy, active } = this.#conversations;
		const away = busy
			.filter((session) => session !== active || !this.#panels.isVisible)
			.map(({ id, title, entries }) => ({ id, title, asks: isAsking(entries.at(-1)) }));
		const words = describeStatus(urgencies, away, this.#clock.now());
		if (words === null) {
			this.#item?.hide();
			return;
		}
		const { parts, grave, command } = words;
		const [text, spoken] = leaving([words.text, words.spoken] as const);
		this.#item ??= vscode.window.createStatusBarItem("switchboard.status", vscode.StatusBarAlignment.Right, 50);
		this.#item.name = "Switchboard";
		this.#item.text = text;
		const card = new Card();
		for (const part of parts) card.title(part.title).text(part.text);
		this.#item.tooltip = card.markdown;
		this.#item.accessibilityInformation = { label: spoken, role: "button" };
		this.#item.backgroundColor = grave ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		const { id, argument } = command;
		this.#item.command = { command: id, title: "Show", ...(argument === undefined ? {} : { arguments: [argument] }) };
		this.#item.show();
	}
}
