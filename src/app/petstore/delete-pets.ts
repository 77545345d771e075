import { withFacts } from "#api/http/fault.ts";
import type { Clock } from "#base/clock.ts";
import { changeMany, petIds } from "./change-many.ts";
import type { MoveOptions, MoveResult, MoveWish } from "./move-pets.ts";
import type { PetDesk, PetLists } from "./pet-desk.ts";

/**
 * Deletes many pets, one after the other; the desk remembers them together. What the store refuses of single pets is in
 * the result. Rejects with ClientError `invalid` for `pets` before anything is sent.
 */
export async function deletePets(
	desk: PetDesk,
	{ connection, pets }: Omit<MoveWish, "status">,
	{ clock, signal, onProgress, move = Symbol("deletion") }: MoveOptions & { readonly clock: Clock },
): Promise<MoveResult> {
	const lists: PetLists = new Map();
	let confirmed = true;
	const { done, ...rest } = await changeMany(
		petIds(pets),
		async (id, cut) => {
			const address = { connection, id };
			const before = await desk.get(address, { signal, lists }).catch((error: unknown) => {
				if (!signal?.aborted) throw error;
			});
			if (before === undefined || signal?.aborted) return false;
			const { lost, now } = await desk.remove(address, { before, move, signal: cut });
			confirmed &&= lost === undefined;
			if (lost && now) throw withFacts(lost, {}, "The pet is still there.");
			if (lost && now === undefined) throw lost;
			return true;
		},
		{ clock, signal, onProgress },
	);
	return { moved: done, ...rest, steps: [], confirmed };
}
