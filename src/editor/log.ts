import * as vscode from "vscode";
import type { Log } from "#app/ports.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Redactor } from "#base/redaction.ts";

/** Log channel of the extension, created at the first line. Every line is redacted. */
export class EditorLog implements Log, Disposable {
	readonly info = (message: string) => this.#write("info", message);
	readonly warn = (message: string) => this.#write("warn", message);
	readonly error = (message: string) => this.#write("error", message);
	readonly #redactor: Redactor;
	#channel: vscode.LogOutputChannel | undefined;

	constructor(redactor: Redactor) {
		this.#redactor = redactor;
	}

	show(): void {
		this.#open().show(true);
	}

	dispose(): void {
		this.#channel?.dispose();
	}

	#write(level: keyof Log, message: string): void {
		this.#open()[level](this.#redactor.redact(message));
	}

	#open(): vscode.LogOutputChannel {
		this.#channel ??= vscode.window.createOutputChannel("Switchboard", { log: true });
		return this.#channel;
	}
}
