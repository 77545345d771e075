/** Resource that is held until disposed. Structurally the same as `vscode.Disposable`. */
export interface Disposable {
	dispose(): unknown;
}

/** Wraps a function so that it runs at most once. */
export function toDisposable(release: () => unknown): Disposable {
	let held = true;
	return {
		dispose() {
			if (!held) return;
			held = false;
			release();
		},
	};
}

/**
 * Holds disposables and lets go of them in reverse order. One added after the store itself was disposed is disposed at
 * once, so that a registration that finishes late cannot leak. Every one is disposed even when another throws; the
 * first error is thrown at the end.
 */
export class DisposableStore implements Disposable {
	readonly #held: Disposable[] = [];
	#disposed = false;

	get disposed(): boolean {
		return this.#disposed;
	}

	add<T extends Disposable>(disposable: T): T {
		if (this.#disposed) disposable.dispose();
		else this.#held.push(disposable);
		return disposable;
	}

	dispose(): void {
		this.#disposed = true;
		const failures: unknown[] = [];
		for (let next = this.#held.pop(); next !== undefined; next = this.#held.pop()) {
			try {
				next.dispose();
			} catch (error) {
				failures.push(error);
			}
		}
		if (failures.length > 0) throw failures[0];
	}
}
