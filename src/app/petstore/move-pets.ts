import { isAbsent } from "#api/http/fault.ts";
import { PET_STATUSES } from "#api/petstore/model.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import { changeMany, type ManyChanged, petIds } from "./change-many.ts";
import type { TurnOptions } from "./in-turn.ts";
import { tellingForms } from "./move-back.ts";
import type { KnownPet } from "./pet-text.ts";
import type { Pets } from "./pets.ts";
import type { UndoStep } from "./undo-memory.ts";
import { send } from "./write.ts";

/** Which pets get which status. */
export interface MoveWish {
	/** The id of the connection. */
	readonly connection: string;
	/** Ids as decimal digits; one that comes twice counts once. */
	readonly pets: readonly string[];
	readonly status: string;
}

/** How a move is made: once it is aborted those under way have a moment to end. */
export interface MoveOptions extends TurnOptions {
	/** The move that this is a part of; one of its own without it. */
	readonly move?: symbol | undefined;
}

/** What has become of each pet. */
export interface MoveResult extends Omit<ManyChanged, "done"> {
	readonly moved: readonly string[];
	/** What each was of which that is known, to move it back; none where no pet had a status to go back to. */
	readonly steps: readonly UndoStep[];
	/** False where the answer of one was lost: what became of it is what the store says then. */
	readonly confirmed: boolean;
}

/**
 * Gives many pets a status, one form for each (`updatePetWithForm`), tells of each, and reads it again. Rejects with
 * ClientError `invalid` for `connection`, `pets` or `status` before anything is sent; what the store refuses of single
 * pets is in the result.
 */
export async function movePets(
	pets: Pets,
	{ connection, pets: wanted, status }: MoveWish,
	{ signal, onProgress, move = Symbol("move") }: MoveOptions = {},
): Promise<MoveResult> {
	if (!PET_STATUSES.some((each) => each === status)) {
		throw invalid("petstore", "status", `must be one of ${PET_STATUSES.join(", ")}`);
	}
	const ids = petIds(wanted);
	const { clients, registry, changes } = pets.parts;
	registry.require(connection, "petstore");
	const store = clients.storeOf(connection);
	const { client } = await clients.open(connection);
	const steps: UndoStep[] = [];
	let canRead = true;
	let confirmed = true;
	const failing = new Set<string>();
	/** As the store has it, for the list may be older than what others have changed; as listed where it cannot be read. */
	const beforeOf = async (id: Int64) => {
		const listed = pets.of(connection).get(id);
		try {
			const once = listed && { maxAttempts: 1 };
			return canRead ? await pets.read(connection, id, { ...once, signal }) : listed;
		} catch (error) {
			if (signal?.aborted) return undefined;
			if (isAbsent(error) || (error instanceof ClientError && error.code === "malformed")) return listed;
			// As without an API key: no other one can be read either.
			canRead = false;
			failing.add(connection);
			return listed;
		}
	};
	const tell = tellingForms({ changes, failing }, async ({ id, signal }, once) => ({
		...(await pets.read(connection, id, { ...once, signal })),
		id,
	}));
	const one = async (id: Int64, cut: AbortSignal) => {
		const before = await beforeOf(id);
		if (signal?.aborted) return false;
		const call = async () => (await client.call("updatePetWithForm", { petId: id, status }, { signal: cut })).data;
		const sent = await send(call);
		confirmed &&= sent.lost === undefined;
		const asked: KnownPet | undefined = before && { ...before, id, status };
		const note = (after = asked) => {
			if (before !== undefined && before.status !== status) steps.push({ connection, id, store, before, after, move });
		};
		const form = { connection, id, after: asked, status, ...sent, onUnread: note };
		// What was cut off on its way is read all the same.
		note(await tell({ ...form, signal: sent.lost && cut.aborted ? undefined : cut }));
		return true;
	};
	const { done, ...rest } = await changeMany(ids, one, { clock: clients.parts.clock, signal, onProgress });
	return { moved: done, ...rest, steps: steps.some(hadStatus) ? steps : [], confirmed };
}

/** Nothing could be undone of those that had none. */
function hadStatus({ before }: UndoStep): boolean {
	return before.status !== undefined;
}
