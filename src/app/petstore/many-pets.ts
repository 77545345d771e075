import { isAbsent } from "#api/http/fault.ts";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import { isSameValue } from "#api/petstore/shape.ts";
import { ClientError, invalid, withFacts } from "#base/errors.ts";
import type { ChangedPet, PetBatch, PetService, UndoStep } from "./pet-service.ts";
import { isSamePet, type KnownPet, PET_FIELDS, type PetAddress, sendable } from "./pet-text.ts";

/** Options of work on many pets. */
export interface BatchOptions {
	/** Once aborted, no other pet is begun; those under way end. */
	readonly signal?: AbortSignal | undefined;
	/** Hears how many pets are done, refused ones included. */
	readonly onProgress?: ((done: number) => void) | undefined;
	/** Batch that this belongs to; a new one by default. */
	readonly batch?: PetBatch | undefined;
}

/** Outcome for each of many pets. */
export interface ManyDone<T extends Pick<PetAddress, "connection">> {
	readonly done: readonly T[];
	readonly failed: readonly { readonly item: T; readonly error: ClientError }[];
	/** Items that were not begun: the batch was canceled, or the store refused the credential. */
	readonly left: readonly T[];
	/** False if the answer of one was lost; it was then sorted by reading its pet again. */
	readonly confirmed: boolean;
}

/** More pets at once make some stores fail. */
const MOST_AT_ONCE = 4;

/** Runs work on each pet, four at a time, and collects the refusals. `one` resolves to the error of a lost answer. */
export async function inTurn<T extends Pick<PetAddress, "connection">>(
	items: readonly T[],
	one: (item: T) => Promise<ClientError | undefined>,
	{ signal, onProgress }: BatchOptions,
): Promise<ManyDone<T>> {
	const done: T[] = [];
	const left: T[] = [];
	const failed: { item: T; error: ClientError }[] = [];
	const refused = new Set<string>();
	const waiting = items.values();
	let confirmed = true;
	const work = async () => {
		for (const item of waiting) {
			if (signal?.aborted || refused.has(item.connection)) {
				left.push(item);
				continue;
			}
			try {
				confirmed = (await one(item)) === undefined && confirmed;
				done.push(item);
			} catch (error) {
				if (!(error instanceof ClientError)) throw error;
				failed.push({ item, error });
				if (isNotConfirmed(error)) confirmed = false;
				// Every other one of the store would be refused for the same reason.
				if (error.code === "unauthorized") refused.add(item.connection);
			}
			onProgress?.(done.length + failed.length);
		}
	};
	await Promise.all(Array.from({ length: MOST_AT_ONCE }, work));
	return { done, failed, left, confirmed };
}

/** Gives many pets a status, one form for each. */
export async function movePets(
	service: PetService,
	pets: readonly PetAddress[],
	status: string,
	options: BatchOptions = {},
): Promise<ManyDone<PetAddress>> {
	return changeMany(pets, options, async (pet, batch) => {
		const { lost, now } = await service.edit(pet, { status }, { batch });
		const seen = now === undefined ? "The pet could not be read since." : now === null ? "The pet is gone." : "";
		if (lost && now?.status !== status) {
			throw withFacts(lost, {}, seen || `The pet is ${now?.status ?? "without a status"} now.`);
		}
		return lost;
	});
}

/** Deletes many pets. */
export async function deletePets(service: PetService, pets: readonly PetAddress[], options: BatchOptions = {}) {
	return changeMany(pets, options, async (pet, batch) => {
		const { lost, now } = await service.remove(pet, { batch });
		if (lost && now) throw withFacts(lost, {}, "The pet is still there.");
		if (lost && now === undefined) throw lost;
		return lost;
	});
}

/** Changes each pet once, though it comes twice. */
async function changeMany(
	pets: readonly PetAddress[],
	options: BatchOptions,
	one: (pet: PetAddress, batch: PetBatch) => Promise<ChangedPet["lost"]>,
): Promise<ManyDone<PetAddress>> {
	const { batch = new Map() } = options;
	const unique = new Map(pets.map((pet) => [`${pet.id} ${pet.connection}`, pet]));
	return inTurn([...unique.values()], (pet) => one(pet, batch), options);
}

/** Undoes the last change of a pet, of a batch, or of all, newest step first; a field changed since is a refusal. */
export async function undoLast(
	service: PetService,
	{ batch: wanted, ...address }: Partial<PetAddress> & { readonly batch?: object | undefined } = {},
	options: BatchOptions = {},
) {
	const { undoable } = service;
	const step = wanted === undefined ? undoable.last(address) : undoable.of(wanted).at(-1);
	if (step === undefined)
		throw invalid("petstore", "pet", wanted ? "is restored already" : "was not changed in this window");
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
	if (before === undefined) {
		const now = await service.get(step, { batch });
		if (after === undefined || !isSamePet(now, after)) throw changedSince(id);
		const { pet, lost, now: left } = await service.remove(step, { batch, undoing: step });
		if (lost && left !== null) throw lost;
		return pet;
	}
	if (after === undefined) {
		const whole = { ...sendable(before), id };
		try {
			const { pet, lost, now } = await service.add(connection, whole, { undoing: step });
			if (lost !== undefined && !now) throw lost;
			return pet;
		} catch (error) {
			// It was not deleted, or is back by an undo whose answer was lost.
			const now = error instanceof ClientError && error.field === "id" ? await service.get(step) : undefined;
			if (now !== undefined && isSamePet({ ...now, ...whole }, now)) return now;
			if (now === undefined) throw error;
			const rule = `${id} belongs to another pet now: add the deleted one with New Pet, under a new id`;
			throw invalid("petstore", "id", rule);
		}
	}
	const now = await service.get(step, { batch });
	const toRestore = PET_FIELDS.filter((field) => {
		const [was, is, there] = [before[field], after[field], now[field]];
		if (isSameValue(was, is) || isSameValue(was, there)) return false;
		if (isSameValue(is, there)) return true;
		throw changedSince(id);
	});
	if (toRestore.length === 0) return now;
	const restored: KnownPet = {
		...now,
		// Each of these fields has the type that it has in a pet.
		...(Object.fromEntries(toRestore.map((field) => [field, before[field]])) as Partial<KnownPet>),
	};
	return service.save(step, sendable(restored), now, { ownStatus: before.status, undoing: step });
}

function changedSince(id: string): ClientError {
	return invalid("petstore", "pet", `${id} was changed again since: what is there now would be lost`);
}
