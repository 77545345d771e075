import type * as vscode from "vscode";
import type { SecretStore } from "#app/ports.ts";

/** The editor's secret storage as the vault wants it. */
export function editorSecrets(storage: vscode.SecretStorage): SecretStore {
	return {
		get: async (key) => storage.get(key),
		set: async (key, value) => storage.store(key, value),
		delete: async (key) => storage.delete(key),
		onDidChange: (listener) => storage.onDidChange(({ key }) => listener(key)),
	};
}
