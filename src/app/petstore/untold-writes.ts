import type { RequestNotice } from "#api/http/notice.ts";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { pathOf } from "../requests/logged-request.ts";
import type { PetstoreClients } from "./clients.ts";
import type { PetChanges } from "./pet-changes.ts";

/** What they are known by. */
export interface UntoldWritesParts {
	readonly clients: PetstoreClients;
	readonly changes: PetChanges;
	readonly clock: Clock;
	/** Hears of a connection in whose store nobody knows what the pets are now. */
	readonly heard: (connection: string) => void;
}

interface Waiting {
	/** Writes of which nobody has told yet. */
	readonly untold: number;
	readonly timer: Disposable;
}

/** The path of a request that changes pets, without the base path. */
export const PET_WRITES = /\/pet(?:\/[^/?]+(?:\/uploadImage)?)?(?:\?|$)/;

/**
 * How long nothing more may be written before it counts: of many writes in a row only the last does, and whoever tells of
 * one may have to read the pet first. Milliseconds.
 */
const QUIET_MS = 500;

/** True for a request that has changed something, or may have where its answer was lost. */
export function mayHaveWritten({ method, error }: RequestNotice): boolean {
	return method !== "GET" && (error === undefined || isNotConfirmed(error));
}

/** Notices what this window writes to the pets of a store without telling how they are then. */
export class UntoldWrites implements Disposable {
	readonly #parts: UntoldWritesParts;
	readonly #held = new DisposableStore();
	readonly #waiting = new Map<string, Waiting>();

	constructor(parts: UntoldWritesParts) {
		this.#parts = parts;
		this.#held.add(
			parts.clients.onRequest((notice) => {
				if (mayHaveWritten(notice) && PET_WRITES.test(pathOf(notice.url))) this.#written(notice.connection);
			}),
		);
		this.#held.add(
			parts.changes.onDidChange(({ connection }) => {
				// A write is over before anybody can tell of it.
				const waiting = this.#waiting.get(connection);
				if (waiting === undefined) return;
				// What is told twice tells of no write that is still to come.
				this.#waiting.set(connection, { ...waiting, untold: Math.max(0, waiting.untold - 1) });
			}),
		);
	}

	dispose(): void {
		this.#held.dispose();
		for (const { timer } of this.#waiting.values()) timer.dispose();
		this.#waiting.clear();
	}

	#written(connection: string): void {
		const { untold = 0, timer: before } = this.#waiting.get(connection) ?? {};
		before?.dispose();
		const timer = this.#parts.clock.after(QUIET_MS, () => {
			const isUntold = (this.#waiting.get(connection)?.untold ?? 0) > 0;
			this.#waiting.delete(connection);
			if (isUntold) this.#parts.heard(connection);
		});
		this.#waiting.set(connection, { untold: untold + 1, timer });
	}
}
