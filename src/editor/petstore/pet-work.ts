import * as vscode from "vscode";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import type { Pets } from "#app/petstore/pets.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { type Doing, withProgress } from "../progress.ts";

/** All that is under way for the Pets view: its bar runs meanwhile, and a button in its title ends it. */
export class PetWork implements Disposable {
	readonly #pets: Pets;
	readonly #held = new DisposableStore();
	readonly #running = new Set<AbortController>();
	#endProgress: (() => void) | undefined;

	constructor(pets: Pets) {
		this.#pets = pets;
		this.#held.add(pets.onDidChange(() => this.#show()));
		this.#held.add({ dispose: () => this.#endProgress?.() });
	}

	/** Does something that can be stopped, with progress; it is told how to say how far it is. */
	async run<T>(title: string, work: (signal: AbortSignal, tell: Doing["tell"]) => Promise<T>): Promise<T> {
		const stop = new AbortController();
		this.#running.add(stop);
		this.#show();
		try {
			return await withProgress(title, (signal, { tell }) => work(signal, tell), { stop: stop.signal });
		} finally {
			this.#running.delete(stop);
			this.#show();
		}
	}

	/** Ends all of it; what is done stays done. Says whether there was something to end. */
	stop(): boolean {
		const isBusy = this.#isBusy;
		for (const each of this.#running) each.abort();
		this.#pets.cancel();
		return isBusy;
	}

	dispose(): void {
		this.stop();
		this.#held.dispose();
	}

	get #isBusy(): boolean {
		return this.#running.size > 0 || this.#pets.isLoading;
	}

	#show(): void {
		if (this.#isBusy === (this.#endProgress !== undefined)) return;
		void vscode.commands.executeCommand("setContext", CONTEXT.petstoreBusy, this.#isBusy);
		if (!this.#isBusy) {
			this.#endProgress?.();
			this.#endProgress = undefined;
			return;
		}
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#endProgress = resolve;
		void vscode.window.withProgress({ location: { viewId: VIEWS.pets } }, () => promise);
	}
}
