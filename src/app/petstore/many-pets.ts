import { withFacts } from "#api/http/fault.ts";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import { ClientError } from "#base/errors.ts";
import type { ChangedPet, PetBatch, PetService } from "./pet-service.ts";
import type { PetAddress } from "./pet-text.ts";

/** Options of work on many pets. */
export interface BatchOptions {
	/** Once aborted no other pet is begun; those under way end. */
	readonly signal?: AbortSignal | undefined;
	/** Hears after each pet how many are done, refused ones included. */
	readonly onProgress?: ((done: number) => void) | undefined;
	/** Batch that this is a part of; one of its own without it. */
	readonly batch?: PetBatch | undefined;
}

/** Outcome for each of many pets. */
export interface ManyDone<T extends PetAddress> {
	readonly done: readonly T[];
	readonly failed: readonly { readonly item: T; readonly error: ClientError }[];
	/** Items that were not begun, since it was canceled or their store takes no more with its credential. */
	readonly left: readonly T[];
	/** False where the answer of one was lost: it is among the done or the failed by what the store says then. */
	readonly confirmed: boolean;
}

/** More pets at once make some stores fail. */
const MOST_AT_ONCE = 4;

/**
 * Does something with each pet, some at a time; refusals of single ones are in the result. `one` resolves to the failure
 * of a write that was done and whose answer was lost.
 */
export async function inTurn<T extends PetAddress>(
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
export async function deletePets(
	service: PetService,
	pets: readonly PetAddress[],
	options: BatchOptions = {},
): Promise<ManyDone<PetAddress>> {
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
