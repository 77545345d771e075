import type * as vscode from "vscode";
import type { KeyValueStore } from "#app/ports.ts";
import type { Clock } from "#base/clock.ts";
import { leaving } from "./kit/leaving.ts";

/** Time after a write in which the editor may restore older values. Milliseconds. */
const SETTLING_MS = 2_000;

/**
 * Key-value storage that the editor keeps between windows. Not for secrets.
 *
 * After each write the editor sends all stored values back to the window, without what was written meanwhile. So a
 * window reads its own writes until they have settled, and repeats a lost one.
 */
export class Memory implements KeyValueStore {
	readonly #memento: vscode.Memento;
	readonly #clock: Clock;
	readonly #written = new Map<string, { readonly value: unknown; readonly before: readonly string[] }>();

	constructor(memento: vscode.Memento, clock: Clock) {
		this.#memento = memento;
		this.#clock = clock;
	}

	get(key: string): unknown {
		const written = this.#written.get(key);
		return written === undefined ? this.#memento.get<unknown>(key) : written.value;
	}

	async set(key: string, given: unknown): Promise<void> {
		const value = leaving(given);
		// Of two writes in a row the editor may restore what was there before the first.
		const before = [...(this.#written.get(key)?.before ?? []), JSON.stringify(this.get(key))];
		const written = { value, before };
		this.#written.set(key, written);
		try {
			await this.#memento.update(key, value);
		} catch (error) {
			if (this.#written.get(key) === written) this.#written.delete(key);
			throw error;
		}
		this.#clock.after(SETTLING_MS, () => {
			if (this.#written.get(key) !== written) return;
			this.#written.delete(key);
			const now = JSON.stringify(this.get(key));
			// Anything else is what another window has written.
			const isLost = before.includes(now) && now !== JSON.stringify(value);
			if (isLost) void this.set(key, value).catch(() => undefined);
		});
	}
}
