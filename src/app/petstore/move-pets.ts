import { isAbsent } from "#api/http/fault.ts";
import { PET_STATUSES } from "#api/petstore/model.ts";
import { DisposableStore } from "#base/disposables.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import { inTurn, type TurnOptions } from "./in-turn.ts";
import { tellingForms } from "./move-back.ts";
import type { Pets } from "./pets.ts";
import type { UndoStep } from "./undo-memory.ts";

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
export interface MoveResult {
	readonly moved: readonly string[];
	readonly failed: readonly { readonly pet: string; readonly error: ClientError }[];
	/** Those of which nothing was sent, since the move was cancelled or the store takes no more with this credential. */
	readonly left: readonly string[];
	/** What each was of which that is known, to move it back; none where no pet had a status to go back to. */
	readonly steps: readonly UndoStep[];
}

/**
 * How long a pet that is under way may take to end when the rest is cancelled: cut off, nobody knows what it is.
 * Milliseconds.
 */
const GRACE_MS = 2_000;

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
	const ids = [...new Set(wanted.map(requireId))];
	const { clients, registry, changes } = pets.parts;
	registry.require(connection, "petstore");
	const store = clients.storeOf(connection);
	const { client } = await clients.open(connection);
	const cut = new AbortController();
	const held = new DisposableStore();
	const hurry = () => held.add(clients.parts.clock.after(GRACE_MS, () => cut.abort()));
	signal?.addEventListener("abort", hurry, { once: true });
	const moved: string[] = [];
	const steps: UndoStep[] = [];
	const unsent: Int64[] = [];
	let canRead = true;
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
	const tell = tellingForms({ changes, clients, failing }, async ({ id }, once) => ({
		...(await pets.read(connection, id, { ...once, signal: cut.signal })),
		id,
	}));
	const one = async (id: Int64) => {
		const before = await beforeOf(id);
		if (signal?.aborted) {
			unsent.push(id);
			return;
		}
		const { data: said } = await client.call("updatePetWithForm", { petId: id, status }, { signal: cut.signal });
		const after = await tell({ connection, id, after: before && { ...before, id, status }, status, said });
		moved.push(id);
		if (before !== undefined && before.status !== status) steps.push({ connection, id, store, before, after, move });
	};
	const { failed, left } = await inTurn(ids, one, { signal, onProgress });
	signal?.removeEventListener("abort", hurry);
	held.dispose();
	return {
		moved,
		failed: failed.map(({ item, error }) => ({ pet: item, error: told(error) })),
		left: [...unsent, ...left],
		steps: steps.some(hadStatus) ? steps : [],
	};
}

/** Nothing could be undone of those that had none. */
function hadStatus({ before }: UndoStep): boolean {
	return before.status !== undefined;
}

/** The id that a text stands for. Throws ClientError `invalid` for `pets`. */
function requireId(text: string): Int64 {
	const id = int64Of(text);
	if (id === null) throw invalid("petstore", "pets", "must be ids of pets, as decimal digits");
	return id;
}

function told(cause: ClientError): ClientError {
	if (cause.code !== "aborted") return cause;
	return new ClientError("petstore", "aborted", "It was cut off while it was on its way: look at it again.", { cause });
}
