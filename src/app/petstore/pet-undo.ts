import { isAbsent } from "#api/http/fault.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type BatchOptions, inTurn } from "./many-pets.ts";
import type { PetBatch, PetService } from "./pet-service.ts";
import { isSamePet, type KnownPet, type PetAddress, sendable } from "./pet-text.ts";
import type { UndoStep } from "./undo-memory.ts";

const FIELDS = ["category", "name", "photoUrls", "tags", "status"] as const;

/**
 * Undoes the last change of a pet, or a batch, or the last of all with its batch: the last step first, and a field that
 * was changed again since is a refusal. Resolves to the outcome for each step, the pets that are as before, and the last
 * step. Rejects with ClientError where nothing was undone; it can be tried again then.
 */
export async function undoLast(
	service: PetService,
	{ batch: wanted, ...address }: Partial<PetAddress> & { readonly batch?: object | undefined } = {},
	options: BatchOptions = {},
) {
	const { undoable } = service;
	const step = wanted === undefined ? undoable.last(address) : undoable.of(wanted).at(-1);
	if (step === undefined) throw invalid("petstore", "pet", "has no change of this window that could be undone");
	const steps = address.id === undefined && step.batch ? undoable.of(step.batch) : [step];
	const pets: KnownPet[] = [];
	const batch: PetBatch = new Map();
	const one = async (each: UndoStep) => {
		try {
			pets.push(await undoStep(service, each, batch));
			undoable.forget(each);
		} catch (error) {
			// A pet that was changed or deleted since is left as it is.
			const isFinal = isAbsent(error) || (error instanceof ClientError && error.code === "invalid");
			if (isFinal && steps.length > 1) undoable.forget(each);
			throw error;
		}
		return undefined;
	};
	const undone = await inTurn(steps.toReversed(), one, options);
	if (pets.length > 0) return { ...undone, pets, step };
	throw undone.failed[0]?.error ?? new ClientError("petstore", "aborted", "Nothing was undone.");
}

async function undoStep(service: PetService, step: UndoStep, batch: PetBatch): Promise<KnownPet> {
	const { connection, id, before, after } = step;
	if (after === undefined) {
		const whole = { ...sendable(before), id };
		try {
			const { pet, lost, now } = await service.add(connection, whole, { undoing: step });
			if (lost !== undefined && !now) throw lost;
			return pet;
		} catch (error) {
			// It was not deleted, or is back by an undo whose answer was lost.
			const now = error instanceof ClientError && error.field === "id" ? await service.get(step) : undefined;
			if (now === undefined || !isSamePet({ ...now, ...whole }, now)) throw error;
			return now;
		}
	}
	const now = await service.get(step, { batch });
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

/** Text of a field's value; an empty list counts as absent, as in XML. */
function comparable(value: unknown): string | undefined {
	return Array.isArray(value) && value.length === 0 ? undefined : JSON.stringify(value);
}
