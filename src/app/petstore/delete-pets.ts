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
	const { done, ...rest } = await changeMany(
		petIds(pets),
		async (id, cut) => {
			const address = { connection, id };
			const before = await desk.get(address, { signal, lists }).catch((error: unknown) => {
				if (!signal?.aborted) throw error;
			});
			if (before === undefined || signal?.aborted) return false;
			await desk.remove(address, { before, move, signal: cut });
			return true;
		},
		{ clock, signal, onProgress },
	);
	return { moved: done, ...rest, steps: [] };
}
