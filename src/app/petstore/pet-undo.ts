import { ClientError, invalid } from "#base/errors.ts";
import { type BatchOptions, inTurn, isWorthRetrying, type NotDone } from "./many-pets.ts";
import type { PetAddress, PetLists, PetService } from "./pet-service.ts";
import { isSamePet, type KnownPet, sendable } from "./pet-text.ts";
import type { UndoStep } from "./undo-memory.ts";

/** Outcome of an undo for each of its steps. */
export interface Undone extends NotDone<UndoStep> {
	/** Pets that are as before. */
	readonly pets: readonly KnownPet[];
	/** Last of the steps. */
	readonly step: UndoStep;
}

const FIELDS = ["category", "name", "photoUrls", "tags", "status"] as const;

/** Undoes changes that a service remembers, and nobody else's: a field that was changed again since is a refusal. */
export class PetUndo {
	readonly #service: PetService;

	constructor(service: PetService) {
		this.#service = service;
	}

	/**
	 * Undoes the last change of a pet, or the last of all with its batch. Rejects with ClientError where nothing was undone;
	 * it can be tried again then.
	 */
	async last(address: Partial<PetAddress> = {}, options?: BatchOptions): Promise<Undone> {
		const { undoable } = this.#service;
		const step = undoable.last(address);
		if (step === undefined) throw invalid("petstore", "pet", "has no change of this window that could be undone");
		const undone = await this.#undo(address.id === undefined ? undoable.of(step.batch) : [step], options);
		if (undone.pets.length > 0) return { ...undone, step };
		throw undone.failed[0]?.error ?? new ClientError("petstore", "aborted", "Nothing was undone.");
	}

	/** Undoes a batch: the last change first. */
	async batch(batch: symbol, options?: BatchOptions): Promise<Omit<Undone, "step">> {
		return this.#undo(this.#service.undoable.of(batch), options);
	}

	async #undo(steps: readonly UndoStep[], options: BatchOptions = {}): Promise<Omit<Undone, "step">> {
		const pets: KnownPet[] = [];
		const lists: PetLists = new Map();
		const { undoable } = this.#service;
		const rest = await inTurn(
			steps.toReversed(),
			async (step) => {
				try {
					pets.push(await this.#one(step, lists));
					undoable.forget(step);
				} catch (error) {
					const isFinal = steps.length > 1 && error instanceof ClientError && !isWorthRetrying(error);
					if (isFinal) undoable.forget(step);
					throw error;
				}
			},
			options,
		);
		return { pets, ...rest };
	}

	async #one(step: UndoStep, lists: PetLists): Promise<KnownPet> {
		const { connection, id, before, after } = step;
		const service = this.#service;
		if (after === undefined) {
			const whole = { ...sendable(before), id };
			try {
				const { pet, lost, now } = await service.add(connection, whole, step);
				if (lost !== undefined && !now) throw lost;
				return pet;
			} catch (error) {
				// It was not deleted, or is back by an undo whose answer was lost.
				const now = error instanceof ClientError && error.field === "id" ? await service.get(step) : undefined;
				if (now === undefined || !isSamePet({ ...now, ...whole }, now)) throw error;
				return now;
			}
		}
		const now = await service.get(step, { lists });
		const toRestore = FIELDS.filter((field) => {
			const [was, is, there] = [before, after, now].map((pet) => comparable(pet[field]));
			if (was === is || was === there) return false;
			if (is === there) return true;
			throw invalid("petstore", "pet", `${id} was changed again since: what is there now would be lost`);
		});
		if (toRestore.length === 0) return now;
		const restored: KnownPet = {
			...now,
			// Each of these fields has the type that it has in a pet.
			...(Object.fromEntries(toRestore.map((field) => [field, before[field]])) as Partial<KnownPet>),
		};
		return service.save(step, sendable(restored), now, { toldStatus: before.status, undoing: step });
	}
}

/** Text of a field's value; a list without anything may as well be absent, as XML cannot tell the two apart. */
function comparable(value: unknown): string | undefined {
	return Array.isArray(value) && value.length === 0 ? undefined : JSON.stringify(value);
}
