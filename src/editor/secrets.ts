import type * as vscode from "vscode";
import type { SecretStore } from "#app/ports.ts";
import { type Disposable, toDisposable } from "#base/disposables.ts";

/** The editor's secret storage as the vault wants it. */
export class EditorSecrets implements SecretStore {
	readonly #storage: vscode.SecretStorage;

	constructor(storage: vscode.SecretStorage) {
		this.#storage = storage;
	}

	async get(key: string): Promise<string | undefined> {
		return this.#storage.get(key);
	}

	async set(key: string, value: string): Promise<void> {
		await this.#storage.store(key, value);
	}

	async delete(key: string): Promise<void> {
		await this.#storage.delete(key);
	}

	onDidChange(listener: (key: string) => void): Disposable {
		const subscription = this.#storage.onDidChange((event) => listener(event.key));
		return toDisposable(() => subscription.dispose());
	}
}
