import type { Pet } from "#api/petstore/model.ts";
import { Emitter } from "#base/emitter.ts";
import type { Int64 } from "#base/int64.ts";

/** A change of a pet, as far as it has to be known to undo it. */
export interface UndoStep {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's own. */
	readonly id: Int64;
	/** The store that it was sent to; undefined where its connection was gone by then. */
	readonly store: string | undefined;
	readonly before: Pet;
	/** Undefined once it is gone. */
	readonly after: Pet | undefined;
	/** The move or deletion of many of which it is a part: all that have the same one count as one change. */
	readonly move?: symbol;
}

/** Changes that are remembered, a move as one. */
const MOST = 50;

/**
 * The last changes of this window, for as long as it lives. A change belongs to the store in which it was made: once its
 * connection leads elsewhere, or is gone, there is no such change any more.
 */
export class UndoMemory {
	readonly #storeOf: (connection: string) => string | undefined;
	#all: readonly UndoStep[] = [];
	readonly #changed = new Emitter<void>();

	/** `storeOf` tells which store a connection leads to; undefined once it is gone. */
	constructor(storeOf: (connection: string) => string | undefined) {
		this.#storeOf = storeOf;
	}

	readonly onDidChange = this.#changed.event;

	/** The steps, the last one last. */
	list(): readonly UndoStep[] {
		return this.#steps;
	}

	/** The last change: of all, of a connection, of a pet. */
	last(of: Partial<Pick<UndoStep, "connection" | "id">> = {}): UndoStep | undefined {
		const { connection: wanted, id: pet } = of;
		return this.#steps.findLast(
			({ connection, id }) => (wanted === undefined || connection === wanted) && (pet === undefined || id === pet),
		);
	}

	/** What can be undone of a move. */
	ofMove(move: symbol): readonly UndoStep[] {
		return this.#steps.filter((each) => each.move === move);
	}

	add(...steps: readonly UndoStep[]): void {
		if (steps.length === 0) return;
		const all = [...this.#steps, ...steps];
		const kept = new Set([...new Set(all.map(changeOf))].slice(-MOST));
		this.#set(all.filter((each) => kept.has(changeOf(each))));
	}

	forget(...steps: readonly (UndoStep | undefined)[]): void {
		const gone = new Set(steps);
		this.#set(this.#steps.filter((each) => !gone.has(each)));
	}

	get #steps(): readonly UndoStep[] {
		return this.#all.filter(({ connection, store }) => store !== undefined && store === this.#storeOf(connection));
	}

	#set(steps: readonly UndoStep[]): void {
		this.#all = steps;
		this.#changed.fire();
	}
}

function changeOf(step: UndoStep): UndoStep | symbol {
	return step.move ?? step;
}
