import * as vscode from "vscode";
import { backgroundDelayMs } from "#app/codehost/background.ts";
import type { IssueLists } from "#app/codehost/issue-lists.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { refreshIntervalMs } from "../settings.ts";

/** What a refresh in the background works with. */
export interface BackgroundParts {
	readonly lists: IssueLists;
	readonly repositories: Repositories;
	readonly statuses: CodehostStatuses;
	readonly clock: Clock;
}

/** Refreshes what is loaded from time to time, for each connection by its own limit, while the window is focused. */
export class BackgroundRefresh implements Disposable {
	readonly #parts: BackgroundParts;
	readonly #held = new DisposableStore();
	readonly #timers = new Map<string, Disposable>();
	readonly #failures = new Map<string, number>();

	constructor(parts: BackgroundParts) {
		this.#parts = parts;
		this.#held.add(vscode.window.onDidChangeWindowState(() => this.#planAll()));
		this.#held.add(parts.repositories.onDidChange(() => this.#planAll()));
		this.#held.add({ dispose: () => this.#stop() });
		this.#planAll();
	}

	dispose(): void {
		this.#held.dispose();
	}

	#stop(): void {
		for (const timer of this.#timers.values()) timer.dispose();
		this.#timers.clear();
	}

	#planAll(): void {
		this.#stop();
		const connections = new Set(this.#parts.repositories.list().map(({ connection }) => connection));
		for (const connection of connections) this.#plan(connection);
	}

	#plan(connection: string): void {
		const { statuses, clock } = this.#parts;
		const status = statuses.list().find((each) => each.connection === connection);
		if (status === undefined || this.#held.disposed) return;
		const failures = this.#failures.get(connection) ?? 0;
		const conditions = {
			focused: vscode.window.state.focused,
			rate: status.rate,
			failures,
			intervalMs: refreshIntervalMs(),
			now: clock.now(),
		};
		const delayMs = backgroundDelayMs(conditions, clock.random());
		if (delayMs === null) return;
		this.#timers.set(
			connection,
			clock.after(delayMs, () => void this.#refresh(connection)),
		);
	}

	async #refresh(connection: string): Promise<void> {
		this.#timers.delete(connection);
		const isWell = await this.#parts.lists.refresh({ connection, quiet: true });
		this.#failures.set(connection, isWell ? 0 : (this.#failures.get(connection) ?? 0) + 1);
		this.#timers.get(connection)?.dispose();
		this.#plan(connection);
	}
}
