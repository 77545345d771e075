import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { backgroundDelayMs, hasRoom, type RoomConditions } from "./background.ts";
import type { IssueLists } from "./issue-lists.ts";
import type { Repositories } from "./repositories.ts";
import { type CodehostStatuses, isClosed, isRefused } from "./status.ts";

/** What a refresh in the background works with. */
export interface BackgroundParts {
	readonly lists: IssueLists;
	readonly repositories: Repositories;
	readonly statuses: CodehostStatuses;
	readonly clock: Clock;
	/** Whether the window has the focus. */
	readonly focused: () => boolean;
	/** The wanted interval; 0 means never. Milliseconds. */
	readonly intervalMs: () => number;
}

/** The refreshes of one connection. */
interface Round {
	/** When the last one ended, or the first was planned. Milliseconds since the epoch. */
	since: number;
	failures: number;
	/** The round's own share of chance: planning it again must not move it about. In [0, 1). */
	random: number;
	timer: Disposable | undefined;
	isUnderWay: boolean;
}

/**
 * Refreshes what is loaded from time to time, for each connection by its own limit, while the window is focused. Where the
 * credential was refused it waits until that has changed: by another credential, or by a call of a person that went well.
 */
export class BackgroundRefresher implements Disposable {
	readonly #parts: BackgroundParts;
	readonly #held = new DisposableStore();
	readonly #rounds = new Map<string, Round>();

	constructor(parts: BackgroundParts) {
		this.#parts = parts;
		this.#held.add(parts.repositories.onDidChange(() => this.plan()));
		this.#held.add(
			parts.statuses.onDidChange((connection) => {
				const round = this.#rounds.get(connection);
				if (round !== undefined) this.#plan(connection, round);
			}),
		);
		this.#held.add({ dispose: () => this.#stop() });
		this.plan();
	}

	/** Looks anew at when to refresh: the focus of the window or the wanted interval may be others. */
	plan(): void {
		const { repositories, clock } = this.#parts;
		const connections = new Set(repositories.list().map(({ connection }) => connection));
		for (const [connection, { timer }] of this.#rounds) {
			if (connections.has(connection)) continue;
			timer?.dispose();
			this.#rounds.delete(connection);
		}
		for (const connection of connections) {
			let round = this.#rounds.get(connection);
			if (round === undefined) {
				round = { since: clock.now(), failures: 0, random: clock.random(), timer: undefined, isUnderWay: false };
				this.#rounds.set(connection, round);
			}
			this.#plan(connection, round);
		}
	}

	dispose(): void {
		this.#held.dispose();
	}

	#stop(): void {
		for (const { timer } of this.#rounds.values()) timer?.dispose();
		this.#rounds.clear();
	}

	#plan(connection: string, round: Round): void {
		const { clock, intervalMs } = this.#parts;
		round.timer?.dispose();
		round.timer = undefined;
		const room = this.#roomOf(connection);
		if (room === undefined || round.isUnderWay) return;
		const elapsedMs = Math.max(0, room.now - round.since);
		const conditions = { ...room, failures: round.failures, intervalMs: intervalMs(), elapsedMs };
		const delayMs = backgroundDelayMs(conditions, round.random);
		if (delayMs !== null) round.timer = clock.after(delayMs, () => void this.#refresh(connection, round));
	}

	/** Undefined when the connection is gone. */
	#roomOf(connection: string): RoomConditions | undefined {
		const { statuses, clock, focused } = this.#parts;
		const status = statuses.list().find((each) => each.connection === connection);
		if (status === undefined) return undefined;
		return { focused: focused(), refused: isRefused(status) || isClosed(status), rate: status.rate, now: clock.now() };
	}

	async #refresh(connection: string, round: Round): Promise<void> {
		const { lists, clock } = this.#parts;
		round.isUnderWay = true;
		let isCut = false;
		const mayAsk = () => {
			const room = this.#roomOf(connection);
			isCut = room === undefined || !hasRoom(room);
			return !isCut;
		};
		const isWell = await lists.refresh({ connection, quiet: true, mayAsk });
		round.isUnderWay = false;
		if (!isWell) round.failures += 1;
		// One that was cut short has not shown that the service is well again.
		else if (!isCut) round.failures = 0;
		round.since = clock.now();
		round.random = clock.random();
		if (this.#rounds.get(connection) === round) this.#plan(connection, round);
	}
}
