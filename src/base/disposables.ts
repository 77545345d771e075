/** Resource that is held until disposed; compatible with `vscode.Disposable`. */
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

/** Disposes what it holds in reverse order, even if one throws. An item added after disposal is disposed at once. */
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

/** Base of a class that owns resources, such as its emitters and subscriptions: they end with it. */
export abstract class ResourceOwner implements Disposable {
	protected readonly held = new DisposableStore();

	dispose(): void {
		this.held.dispose();
	}
}
