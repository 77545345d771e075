import { PET_STATUSES, type Pet, type PetToSend } from "#api/petstore/model.ts";
import { isSameValue, rawOf } from "#api/petstore/shape.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import { int64, parse } from "#base/schema.ts";
import { type BatchOptions, inTurn } from "./many-pets.ts";
import { petFields } from "./pet-list.ts";
import type { PetService } from "./pet-service.ts";
import { checkedPet, isSamePet, PET_FIELDS, sendable } from "./pet-text.ts";
import { type ListEntry, readEntry } from "./record-list.ts";
import { ifThere } from "./write.ts";

/** Pet of a list that is to be written. */
export interface PetToImport {
	readonly connection: string;
	/** Undefined for a new pet that gets a free one. */
	readonly id: Int64 | undefined;
	readonly pet: PetToSend;
	/** Pet of the store that it changes; undefined for a new pet. */
	readonly before: Pet | undefined;
	/** Fields that it changes; none for a new pet. */
	readonly changes: readonly (typeof PET_FIELDS)[number][];
}

/** Comparison of a list with a store: pets to write, the number of equal ones, and the entries with a mistake. */
export type ImportPlan = Awaited<ReturnType<typeof planImport>>;

/** Compares the entries of a list of pets with a store, of which it only reads. Rejects with ClientError. */
export async function planImport(
	service: PetService,
	connection: string,
	entries: readonly ListEntry[],
	options: BatchOptions = {},
) {
	const { signal } = options;
	const { client } = await service.clients.open(connection);
	const { data } = await client.call("findPetsByStatus", { status: [...PET_STATUSES] }, { signal });
	const listed = new Map(data?.map((pet) => [pet.id, pet]));
	const places = new Map<Int64, string>();
	const pets: PetToImport[] = [];
	const compare = async ({ entry, index }: { readonly entry: ListEntry; readonly index: number }) => {
		const { id, ...fields } = readEntry(entry, (value) => {
			const given = petFields(value);
			const id = given["id"] == null ? "0" : parse(int64(), given["id"], "petstore", "id");
			// Some stores replace another pet under an id of 0.
			if (id === "0") return { ...given, id: undefined };
			if (places.has(id)) throw invalid("petstore", "id", `is that of ${places.get(id)} too`);
			places.set(id, entry.at);
			return { ...given, id };
		});
		const before = id && (listed.get(id) ?? (await ifThere(service.get({ connection, id }, { signal }))));
		// An export of what is there, perhaps with parts that nobody could check.
		if (rawOf(before) && isSameValue(rawOf(before), rawOf(fields))) return undefined;
		const own = before && sendable(before);
		const pet = readEntry(entry, () => checkedPet(sendable({ ...own, ...fields, ...(id && { id }) }), own));
		const changes = own ? PET_FIELDS.filter((name) => !isSameValue(own[name], pet[name])) : [];
		pets[index] = { connection, id, pet, before, changes };
		return undefined;
	};
	const items = entries.map((entry, index) => ({ connection, entry, index }));
	const { failed, left } = await inTurn(items, compare, options);
	const refusal = failed.find(({ error: { code, status } }) => code !== "invalid" || status !== undefined);
	if (refusal !== undefined) throw refusal.error;
	if (left.length > 0) throw new ClientError("petstore", "aborted", "Nothing was imported.");
	const mistakes = failed.toSorted((one, other) => one.item.index - other.item.index).map(({ error }) => error);
	const toWrite = pets.filter(({ before, changes }) => before === undefined || changes.length > 0);
	return { items: toWrite, skipped: items.length - failed.length - toWrite.length, mistakes };
}

/** Writes pets of a plan as one change for undo. A pet that was changed since the plan is refused. */
export function importPets(service: PetService, items: readonly PetToImport[], options: BatchOptions = {}) {
	const { batch = new Map() } = options;
	const one = async ({ connection, id, pet, before }: PetToImport) => {
		if (id === undefined || before === undefined) {
			const { lost, now } = await service.add(connection, pet, { batch });
			if (lost !== undefined && !now) throw lost;
			return lost;
		}
		const address = { connection, id };
		const now = await service.get(address, { batch });
		if (!isSamePet(now, before)) throw invalid("petstore", "pet", `${id} was changed since: import the list again`);
		await service.save(address, pet, now, { batch });
		return undefined;
	};
	return inTurn(items, one, options);
}
