import * as vscode from "vscode";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import { COMMANDS } from "#app/contributions.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { withoutIcons } from "../plain.ts";
import { Card } from "../tree.ts";
import { describeUrgency, endOf } from "./words.ts";

/** Time alone can make something urgent. Milliseconds. */
const TICK_MS = 30_000;
/** The same while seconds are shown, or what is shown is about to end. */
const SHORT_TICK_MS = 1_000;

/** The one item in the status bar: the most urgent state of a credential or limit; hidden when all is well. */
export class StatusItem implements Disposable {
	readonly #statuses: CodehostStatuses;
	readonly #clock: Clock;
	readonly #held = new DisposableStore();
	#item: vscode.StatusBarItem | undefined;
	#timer: Disposable | undefined;

	constructor(statuses: CodehostStatuses, clock: Clock) {
		this.#statuses = statuses;
		this.#clock = clock;
		this.#held.add(statuses.onDidChange(() => this.#update()));
		this.#held.add({ dispose: () => this.#timer?.dispose() });
		this.#held.add({ dispose: () => this.#item?.dispose() });
		this.#update();
	}

	dispose(): void {
		this.#held.dispose();
	}

	#update(): void {
		const urgency = this.#statuses.urgent();
		this.#timer?.dispose();
		const endsAt = urgency === null ? null : endOf(urgency);
		const isSoon = endsAt !== null && Math.abs(endsAt - this.#clock.now()) < 3 * TICK_MS;
		this.#timer = this.#clock.after(isSoon ? SHORT_TICK_MS : TICK_MS, () => this.#update());
		if (urgency === null) {
			this.#item?.hide();
			return;
		}
		this.#item ??= this.#make();
		const { text, detail, grave } = describeUrgency(urgency, this.#clock.now());
		// Only the icon in front is ours.
		this.#item.text = describeUrgency({ ...urgency, label: withoutIcons(urgency.label) }, this.#clock.now()).text;
		this.#item.tooltip = new Card().title(urgency.label).text(detail).markdown;
		const spoken = text.replace(/^\$\(\w+\) /, "");
		this.#item.accessibilityInformation = { label: `${spoken}. ${detail}`, role: "button" };
		this.#item.backgroundColor = grave ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
		this.#item.command = {
			command: COMMANDS.showConnection,
			title: "Show Connection",
			arguments: [{ connection: urgency.connection }],
		};
		this.#item.show();
	}

	#make(): vscode.StatusBarItem {
		const item = vscode.window.createStatusBarItem("switchboard.status", vscode.StatusBarAlignment.Right, 50);
		item.name = "Switchboard";
		return item;
	}
}
