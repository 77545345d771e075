import { isAbsent, withFacts } from "#api/http/fault.ts";
import { PET_STATUSES } from "#api/petstore/model.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import type { ChangedPet, PetLists, PetService } from "./pet-service.ts";

/** Options of work on many pets. */
export interface BatchOptions {
	/** Once aborted no other pet is begun; those under way end. */
	readonly signal?: AbortSignal | undefined;
	/** Hears after each pet how many are done, refused ones included. */
	readonly onProgress?: ((done: number) => void) | undefined;
	/** Batch that this is a part of; one of its own without it. */
	readonly batch?: symbol | undefined;
}

/** Items of a batch that are not done. */
export interface NotDone<T> {
	readonly failed: readonly { readonly item: T; readonly error: ClientError }[];
	/** Items that were not begun, since it was cancelled or the store takes no more with this credential. */
	readonly left: readonly T[];
}

/** Pets to change. */
export interface ManyPets {
	/** The id of the connection. */
	readonly connection: string;
	/** Ids as decimal digits; one that comes twice counts once. */
	readonly pets: readonly string[];
}

/** Outcome for each of many pets. */
export interface ManyChanged {
	readonly moved: readonly string[];
	readonly failed: readonly { readonly pet: string; readonly error: ClientError }[];
	readonly left: readonly string[];
	/** False where the answer of one was lost: it is among the moved or the failed by what the store says then. */
	readonly confirmed: boolean;
}

/** More pets at once make some stores fail. */
const MOST_AT_ONCE = 4;

/** Does something with each item, some at a time; refusals of single ones are in the result. */
export async function inTurn<T>(
	items: readonly T[],
	one: (item: T) => Promise<void>,
	{ signal, onProgress }: BatchOptions,
): Promise<NotDone<T>> {
	const failed: { item: T; error: ClientError }[] = [];
	const waiting = items.values();
	let [isRefused, begun, done] = [false, 0, 0];
	const work = async () => {
		while (!signal?.aborted && !isRefused) {
			const next = waiting.next();
			if (next.done) return;
			begun += 1;
			try {
				await one(next.value);
			} catch (error) {
				if (!(error instanceof ClientError)) throw error;
				failed.push({ item: next.value, error });
				// Every other one would be refused for the same reason.
				if (error.code === "unauthorized") isRefused = true;
			}
			done += 1;
			onProgress?.(done);
		}
	};
	await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, items.length) }, work));
	return { failed, left: items.slice(begun) };
}

/**
 * Gives many pets a status, one form for each. Rejects with ClientError `invalid` for `connection`, `pets` or `status`
 * before anything is sent.
 */
export async function movePets(
	service: PetService,
	{ status, ...which }: ManyPets & { readonly status: string },
	options: BatchOptions = {},
): Promise<ManyChanged> {
	if (!PET_STATUSES.some((each) => each === status)) {
		throw invalid("petstore", "status", `must be one of ${PET_STATUSES.join(", ")}`);
	}
	return changeMany(service, { ...which, options }, async (id, own) => {
		const { lost, now } = await service.edit({ connection: which.connection, id }, { status }, own);
		const seen = now === undefined ? "The pet could not be read since." : now === null ? "The pet is gone." : "";
		if (lost && now?.status !== status) {
			throw withFacts(lost, {}, seen || `The pet is ${now?.status ?? "without a status"} now.`);
		}
		return lost;
	});
}

/** Deletes many pets. Rejects with ClientError `invalid` for `connection` or `pets` before anything is sent. */
export async function deletePets(
	service: PetService,
	which: ManyPets,
	options: BatchOptions = {},
): Promise<ManyChanged> {
	return changeMany(service, { ...which, options }, async (id, own) => {
		const { lost, now } = await service.remove({ connection: which.connection, id }, own);
		if (lost && now) throw withFacts(lost, {}, "The pet is still there.");
		if (lost && now === undefined) throw lost;
		return lost;
	});
}

async function changeMany(
	service: PetService,
	{ connection, pets, options }: ManyPets & { readonly options: BatchOptions },
	one: (id: Int64, own: { lists: PetLists; batch: symbol }) => Promise<ChangedPet["lost"]>,
): Promise<ManyChanged> {
	const ids = [...new Set(pets.map(requireId))];
	await service.clients.open(connection);
	const own = { lists: new Map(), batch: options.batch ?? Symbol("batch") };
	const moved: string[] = [];
	let confirmed = true;
	const each = async (id: Int64) => {
		const lost = await one(id, own);
		confirmed &&= lost === undefined;
		moved.push(id);
	};
	const { failed, left } = await inTurn(ids, each, options);
	const isLost = failed.some(({ error }) => error.reason === "not-confirmed");
	return {
		moved,
		failed: failed.map(({ item, error }) => ({ pet: item, error })),
		left,
		confirmed: confirmed && !isLost,
	};
}

/** True if trying again could help: what somebody has changed or deleted since stays so. */
export function isWorthRetrying(error: ClientError): boolean {
	return error.code !== "invalid" && !isAbsent(error);
}

function requireId(text: string): Int64 {
	const id = int64Of(text);
	if (id === null) throw invalid("petstore", "pets", "must be ids of pets, as decimal digits");
	return id;
}
