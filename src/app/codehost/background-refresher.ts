import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import type { ClientError } from "#base/errors.ts";
import { backgroundDelayMs, hasRoom, type RoomConditions } from "./background.ts";
import type { IssueLists } from "./issue-lists.ts";
import { type AddedRepository, keyOf, type Repositories } from "./repositories.ts";
import { type CodehostStatuses, isClosed, isRefused, isUnknown } from "./status.ts";

/** Rooms that a background refresh works with. */
export interface BackgroundParts {
	readonly lists: IssueLists;
	readonly repositories: Repositories;
	readonly statuses: CodehostStatuses;
	readonly clock: Clock;
	/** True if the window has the focus. */
	readonly focused: () => boolean;
	/** The wanted interval; 0 means never. Milliseconds. */
	readonly intervalMs: () => number;
}

/** The refreshes of one repository. */
interface Turn {
	/** When the last one ended, or the first was planned. Milliseconds since the epoch. */
	since: number;
	/** Failures of the repository itself since it was last read. */
	failures: number;
}

/** The refreshes of one connection. */
interface Round {
	/** By key of the repository. */
	readonly turns: Map<string, Turn>;
	/** Rounds that failed for reasons of the connection since anything was last read through it. */
	failures: number;
	/** The round's own share of chance: planning it again must not move it about. In [0, 1). */
	random: number;
	timer: Disposable | undefined;
	isUnderWay: boolean;
}

/**
 * Refreshes what is loaded from time to time, for each connection by its own limit, while the window is focused. What fails
 * is asked for ever more rarely: a repository that cannot be read alone, and all of a connection where none can. Where the
 * credential was refused it waits until that has changed: by another credential, or by a call of a person that went well.
 */
export class BackgroundRefresher implements Disposable {
	readonly #parts: BackgroundParts;
	readonly #held = new DisposableStore();
	readonly #rounds = new Map<string, Round>();

	constructor(parts: BackgroundParts) {
		this.#parts = parts;
		this.#held.add(parts.repositories.onDidChange(() => this.plan()));
		this.#held.add(parts.statuses.onDidChange((connection) => this.#hear(connection)));
		this.#held.add(
			parts.lists.onDidChange(({ repository, event }) => event.type === "state" && this.#hearOf(repository)),
		);
		this.#held.add({ dispose: () => this.#stop() });
		this.plan();
	}

	/** Looks anew at when to refresh: the focus of the window or the wanted interval may be others. */
	plan(): void {
		const { repositories, clock } = this.#parts;
		const all = repositories.list();
		const connections = new Set(all.map(({ connection }) => connection));
		for (const [connection, { timer }] of this.#rounds) {
			if (connections.has(connection)) continue;
			timer?.dispose();
			this.#rounds.delete(connection);
		}
		for (const connection of connections) {
			let round = this.#rounds.get(connection);
			if (round === undefined) {
				round = { turns: new Map(), failures: 0, random: clock.random(), timer: undefined, isUnderWay: false };
				this.#rounds.set(connection, round);
			}
			const keys = new Set(all.filter((each) => each.connection === connection).map(keyOf));
			for (const key of round.turns.keys()) if (!keys.has(key)) round.turns.delete(key);
			for (const key of keys) if (!round.turns.has(key)) round.turns.set(key, { since: clock.now(), failures: 0 });
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

	/** Something has changed on a connection: that something was read through it shows that it is well again. */
	#hear(connection: string): void {
		const round = this.#rounds.get(connection);
		if (round === undefined) return;
		const status = this.#parts.statuses.list().find((each) => each.connection === connection);
		if (status?.access === "open" && status.error === null && !round.isUnderWay) round.failures = 0;
		this.#plan(connection, round);
	}

	/** Something has come of a list that somebody waited for. */
	#hearOf(repository: AddedRepository): void {
		const { lists, clock } = this.#parts;
		const round = this.#rounds.get(repository.connection);
		const turn = round?.turns.get(keyOf(repository));
		if (round === undefined || turn === undefined || turn.failures === 0) return;
		const { state, lastError } = lists.of(repository);
		if (state.name !== "loaded" || lastError !== null) return;
		turn.failures = 0;
		turn.since = clock.now();
		this.#plan(repository.connection, round);
	}

	#plan(connection: string, round: Round): void {
		round.timer?.dispose();
		round.timer = undefined;
		if (round.isUnderWay) return;
		const delays = [...round.turns.values()].flatMap((turn) => this.#delayOf(connection, { round, turn }) ?? []);
		if (delays.length === 0) return;
		round.timer = this.#parts.clock.after(Math.min(...delays), () => void this.#refresh(connection, round));
	}

	/** Milliseconds until the turn of a repository; null when there is to be none under these conditions. */
	#delayOf(connection: string, { round, turn }: { readonly round: Round; readonly turn: Turn }): number | null {
		const { intervalMs } = this.#parts;
		const room = this.#roomOf(connection);
		if (room === undefined) return null;
		const elapsedMs = Math.max(0, room.now - turn.since);
		const failures = Math.max(round.failures, turn.failures);
		return backgroundDelayMs({ ...room, failures, intervalMs: intervalMs(), elapsedMs }, round.random);
	}

	/** Undefined when the connection is gone. */
	#roomOf(connection: string, { inRound = false } = {}): RoomConditions | undefined {
		const { statuses, clock, focused } = this.#parts;
		const status = statuses.list().find((each) => each.connection === connection);
		if (status === undefined) return undefined;
		// Within a round most refusals may be of one repository: the others tell.
		const refused = isClosed(status) || (inRound ? isUnknown(status) : isRefused(status));
		return { focused: focused(), refused, rate: status.rate, now: clock.now() };
	}

	async #refresh(connection: string, round: Round): Promise<void> {
		const { clock, repositories } = this.#parts;
		const due = repositories.list().filter((each) => {
			const turn = each.connection === connection ? round.turns.get(keyOf(each)) : undefined;
			return turn !== undefined && this.#delayOf(connection, { round, turn }) === 0;
		});
		// A timer may be a little early by the wall clock.
		if (due.length === 0) return this.#plan(connection, round);
		round.isUnderWay = true;
		const failed = await this.#ask(connection, { round, due });
		round.isUnderWay = false;
		for (const repository of due) {
			const turn = round.turns.get(keyOf(repository));
			if (turn !== undefined) turn.since = clock.now();
		}
		round.failures += failed ? 1 : 0;
		round.random = clock.random();
		if (this.#rounds.get(connection) === round) this.#plan(connection, round);
	}

	/** One by one, so that what one has learned holds for the next. Whether the connection seems to be at fault. */
	async #ask(
		connection: string,
		{ round, due }: { readonly round: Round; readonly due: readonly AddedRepository[] },
	): Promise<boolean> {
		const { lists } = this.#parts;
		let isCut = false;
		const mayAsk = () => {
			const room = this.#roomOf(connection, { inRound: true });
			isCut = room === undefined || !hasRoom(room);
			return !isCut;
		};
		const failures: { readonly turn: Turn; readonly error: ClientError }[] = [];
		let isRead = false;
		for (const repository of due) {
			// A token may have to be got before a request of the list itself is asked about.
			if (!mayAsk()) break;
			const error = await lists.refreshQuietly(repository, mayAsk);
			const turn = round.turns.get(keyOf(repository));
			// One that was cut short has not shown that the repository can be read again.
			if (isCut) break;
			if (error === undefined || turn === undefined) continue;
			if (error === null) {
				isRead = true;
				turn.failures = 0;
			} else failures.push({ turn, error });
		}
		if (isRead) round.failures = 0;
		const ofRepositories = failures.filter(({ error }) => isRead || !OF_CONNECTIONS.has(error.code));
		for (const { turn } of ofRepositories) turn.failures += 1;
		return ofRepositories.length < failures.length;
	}
}

/** Errors that count against the connection, unless another of its repositories can be read. */
const OF_CONNECTIONS: ReadonlySet<ClientError["code"]> = new Set([
	"network",
	"timeout",
	"stalled",
	"server",
	"overloaded",
	"interrupted",
	"rate-limited",
]);
