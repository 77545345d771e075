import type { Pet } from "#api/petstore/model.ts";
import { Emitter } from "#base/emitter.ts";
import type { PetAddress } from "./pet-text.ts";

/** Change of a pet, as far as undo needs it. */
export interface UndoStep extends PetAddress {
	/** Store that it was sent to; undefined where its connection was gone by then. */
	readonly store: string | undefined;
	readonly before: Pet;
	/** Undefined for a deletion. */
	readonly after: Pet | undefined;
	/** Batch of a move or a deletion of many, which counts as one change. */
	readonly batch?: object | undefined;
}

/** Batches that are remembered. */
const MOST = 50;

/**
 * Last changes of this window. A change belongs to the store in which it was made: once its connection leads elsewhere, or
 * is gone, the change is passed over.
 */
export class UndoMemory {
	readonly #storeOf: (connection: string) => string | undefined;
	#all: readonly UndoStep[] = [];
	readonly #changed = new Emitter<void>();

	/** `storeOf` returns the store of a connection; undefined once it is gone. */
	constructor(storeOf: (connection: string) => string | undefined) {
		this.#storeOf = storeOf;
	}

	readonly onDidChange = this.#changed.event;

	/** All steps, the last one last. */
	get steps(): readonly UndoStep[] {
		return this.#all.filter(({ connection, store }) => store !== undefined && store === this.#storeOf(connection));
	}

	/** The last step: of all, of a connection, of a pet. */
	last({ connection, id }: Partial<PetAddress> = {}): UndoStep | undefined {
		return this.steps.findLast(
			(step) => (connection ?? step.connection) === step.connection && (id ?? step.id) === step.id,
		);
	}

	/** The steps of a batch. */
	of(batch: object): readonly UndoStep[] {
		return this.steps.filter((each) => each.batch === batch);
	}

	add(step: UndoStep): void {
		const all = [...this.steps, step];
		const changeOf = (each: UndoStep) => each.batch ?? each;
		const kept = new Set([...new Set(all.map(changeOf))].slice(-MOST));
		this.#set(all.filter((each) => kept.has(changeOf(each))));
	}

	forget(step: UndoStep): void {
		this.#set(this.steps.filter((each) => each !== step));
	}

	#set(steps: readonly UndoStep[]): void {
		this.#all = steps;
		this.#changed.fire();
	}
}
