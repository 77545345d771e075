import * as vscode from "vscode";
import type { Log } from "#app/ports.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Redactor } from "#base/redaction.ts";

/** The log channel of the product. Every line goes through the redactor; the channel is made when first written to. */
export class EditorLog implements Log, Disposable {
	readonly #redactor: Redactor;
	#channel: vscode.LogOutputChannel | undefined;

	constructor(redactor: Redactor) {
		this.#redactor = redactor;
	}

	info(message: string): void {
		this.#open().info(this.#redactor.redactForLog(message));
	}

	warn(message: string): void {
		this.#open().warn(this.#redactor.redactForLog(message));
	}

	error(message: string): void {
		this.#open().error(this.#redactor.redactForLog(message));
	}

	show(): void {
		this.#open().show(true);
	}

	dispose(): void {
		this.#channel?.dispose();
	}

	#open(): vscode.LogOutputChannel {
		this.#channel ??= vscode.window.createOutputChannel("Switchboard", { log: true });
		return this.#channel;
	}
}
