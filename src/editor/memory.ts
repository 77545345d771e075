import type * as vscode from "vscode";
import type { KeyValueStore } from "#app/ports.ts";

/** What the editor remembers between windows. It is no secret storage. */
export class Memory implements KeyValueStore {
	readonly #memento: vscode.Memento;

	constructor(memento: vscode.Memento) {
		this.#memento = memento;
	}

	get(key: string): unknown {
		return this.#memento.get<unknown>(key);
	}

	async set(key: string, value: unknown): Promise<void> {
		await this.#memento.update(key, value);
	}
}
