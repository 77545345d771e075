import type { Pet } from "#api/petstore/model.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";

/** What happened to a pet: `after` is what is known of it now, undefined once it is gone. */
export interface PetChange {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's id, as exact digits. */
	readonly id: string;
	readonly after: Pet | undefined;
}

/** Where whoever changes a pet says so, and whoever shows pets hears of it. */
export class PetChanges implements Disposable {
	readonly #changed = new Emitter<PetChange>();

	readonly onDidChange = this.#changed.event;

	tell(change: PetChange): void {
		this.#changed.fire(change);
	}

	dispose(): void {
		this.#changed.dispose();
	}
}
