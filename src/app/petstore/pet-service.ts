import { isAbsent } from "#api/http/fault.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import { withOriginOf } from "#api/petstore/json-writer.ts";
import { PET_STATUSES, type Pet, type PetToSend } from "#api/petstore/model.ts";
import type { OperationData, OperationName, OperationParameters } from "#api/petstore/operations.ts";
import { checked, int64, oneOf, text } from "#api/petstore/shape.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { PetstoreClients } from "./clients.ts";
import { isSamePet, type KnownPet, petInReply, petOfId, withoutZeroId } from "./pet-text.ts";
import { UndoMemory, type UndoStep } from "./undo-memory.ts";
import { stillWaiting, type Written, write } from "./write.ts";

/** Fields that a form changes; absent ones stay. */
export interface PetForm {
	readonly name?: string | undefined;
	/** One of {@link PET_STATUSES}. */
	readonly status?: string | undefined;
}

/** Change of a pet: `after` is the pet now, undefined once it is gone. */
export interface PetChange extends PetAddress {
	readonly after: Pet | undefined;
}

/** Lists of stores that refuse to read a single pet, with that refusal; by connection. */
export type PetLists = Map<string, { readonly error: unknown; readonly pets: Promise<readonly Pet[] | null> }>;

/** Options of a call about one of many pets. */
export interface PetCallOptions extends CallOptions {
	/** Lists that were read for the same batch. */
	readonly lists?: PetLists | undefined;
	/** Batch of changes that are undone together. */
	readonly batch?: symbol | undefined;
	/** Step that the change undoes; it is not remembered, and goes to that step's store only. */
	readonly undoing?: UndoStep;
}

/** Pet that a store has not refused to add, to change, or to delete. */
export interface ChangedPet extends Pick<Written<unknown, KnownPet>, "lost" | "now"> {
	/** The pet as the store has it then; where it is gone, or cannot be read, as it was or was sent. */
	readonly pet: KnownPet;
}

/**
 * Reads and changes single pets, tells of each change, and remembers the changes for undo. Each call rejects with
 * ClientError: `not-found`, `invalid` with the field, or the store's refusal.
 */
export class PetService implements Disposable {
	readonly clients: PetstoreClients;
	readonly undoable: UndoMemory;
	readonly #changed = new Emitter<PetChange>();
	#lastTried = 0;

	constructor(clients: PetstoreClients) {
		this.clients = clients;
		this.undoable = new UndoMemory((connection) => clients.storeOf(connection));
	}

	/** Fires when this window has changed a pet, or was told that it has changed. */
	readonly onDidChange = this.#changed.event;

	/** Tells of a change. */
	tell(change: PetChange): void {
		this.#changed.fire(change);
	}

	dispose(): void {
		this.#changed.dispose();
	}

	/** Reads a pet; without an API key, which reading a single one needs, from the list of its status. */
	async get(address: PetAddress, { lists = new Map(), ...options }: PetCallOptions = {}): Promise<KnownPet> {
		const { connection, id } = address;
		try {
			if (!lists.has(connection)) return await this.#read(address, options);
		} catch (error) {
			const { held } = await this.clients.open(connection);
			const isKeyMissing = error instanceof ClientError && error.code === "unauthorized" && !held.apiKey;
			if (!isKeyMissing || held.token === null) throw error;
			if (!lists.has(connection)) {
				const pets = this.#call(connection, "findPetsByStatus", { status: [...PET_STATUSES] }, options);
				lists.set(connection, { error, pets });
				pets.catch(() => lists.delete(connection));
			}
		}
		const { error, pets } = lists.get(connection) ?? {};
		const pet = (await pets)?.find((each) => each.id === id);
		// A pet of another status is on no list.
		if (pet === undefined) throw error;
		return petOfId(id, pet);
	}

	/**
	 * Puts a pet in the place of `before`, as it was read, whose unknown fields are kept. `toldStatus` may be sent though
	 * the contract does not list it. Rejects with the reason `not-confirmed` where the answer was lost, unless the pet is
	 * there as it was sent.
	 */
	async save(
		address: PetAddress,
		pet: PetToSend,
		before: Pet,
		{ toldStatus = before.status, ...options }: PetCallOptions = {},
	): Promise<KnownPet> {
		const { connection, id } = address;
		const sent = withOriginOf(before, { ...pet, id });
		const step = this.#stepOf(address, before, options);
		const { said, lost, now } = await write(
			() => {
				this.#requireStore(options.undoing);
				return this.#call(connection, "updatePet", { body: sent }, { toldStatus, onto: before });
			},
			() => this.get(address),
		);
		if (lost === undefined) {
			const isSent = (told: Pet) => isSamePet(told, sent);
			return this.#note(step, petInReply(said, id, isSent) ?? (await this.#lookAgain(address)) ?? sent);
		}
		const isDone = !!now && isSamePet(now, sent);
		this.#noteLost(step, now, { isDone, after: sent });
		if (isDone) return now;
		throw lost;
	}

	/**
	 * Adds a pet under its own id, or one that is chosen, but only where the store has no pet of that id. `undoing` is the
	 * deletion of a pet that is brought back. Where the answer was lost, `now` is the pet if it is there.
	 */
	async add(connection: string, wanted: PetToSend, undoing?: UndoStep): Promise<ChangedPet> {
		const pet = withoutZeroId(wanted);
		if (pet.id !== undefined && !(await this.#isFree({ connection, id: pet.id }))) {
			throw invalid("petstore", "id", `${pet.id} belongs to another pet: leave it out to get a free one`);
		}
		const id = pet.id ?? (await this.#freeId(connection));
		const sent = { ...pet, id };
		const { said, lost, now } = await write(
			() => {
				this.#requireStore(undoing);
				const onto = undoing?.before;
				return this.#call(connection, "addPet", { body: sent }, { toldStatus: onto?.status, onto });
			},
			() => this.#read({ connection, id }),
		);
		if (lost !== undefined) {
			// Fields that a store has filled in make no other pet of it.
			const isThere = !!now && isSamePet({ ...now, ...sent }, now);
			if (!isThere) return { pet: sent, lost, now: now && null };
			this.tell({ connection, id, after: now });
			return { pet: now, lost, now };
		}
		const isSent = (told: Pet) => isSamePet(told, sent);
		const after = petInReply(said, id, isSent) ?? (await this.#findAdded(connection, sent, said));
		this.tell({ connection, id: after.id, after });
		return { pet: after };
	}

	/** Deletes a pet. Resolves to the pet as it was. */
	async remove(address: PetAddress, { lists, ...options }: PetCallOptions = {}): Promise<ChangedPet> {
		const before = await this.get(address, { ...options, lists });
		const step = this.#stepOf(address, before, options);
		const { lost, now } = await write(
			() => this.#call(address.connection, "deletePet", { petId: address.id }, options),
			(still) => this.get(address, still),
			options,
		);
		if (lost === undefined) this.#note(step, undefined);
		else this.#noteLost(step, now, { isDone: now === null, after: undefined });
		return { pet: now ?? before, ...(lost && { lost, now }) };
	}

	/** Changes name, status or both by the store's form. Resolves to the pet as the store has it then. */
	async edit(address: PetAddress, wanted: PetForm, { lists, ...options }: PetCallOptions = {}): Promise<ChangedPet> {
		const { connection, id } = address;
		const form = checkForm(wanted);
		const before = await this.get(address, { ...options, lists });
		const step = this.#stepOf(address, before, options);
		const { said, lost, now } = await write(
			() => this.#call(connection, "updatePetWithForm", { petId: id, ...form }, options),
			(still) => this.get(address, still),
			options,
		);
		const isDone = (pet: Pet) => (form.name ?? pet.name) === pet.name && (form.status ?? pet.status) === pet.status;
		const { name = before.name, status = before.status } = form;
		const edited = withOriginOf(before, {
			...before,
			...(name === undefined ? {} : { name }),
			...(status === undefined ? {} : { status }),
		});
		if (lost !== undefined) {
			this.#noteLost(step, now, { isDone: !!now && isDone(now), after: edited });
			return { pet: now ?? before, lost, now };
		}
		const told = petInReply(said, id, isDone);
		// Of many pets none is read again.
		const read = told ?? (options.batch === undefined ? await this.#lookAgain(address, options) : undefined);
		return { pet: this.#note(step, read ?? edited) };
	}

	/** Reads a pet after a change; undefined where it cannot be read, which is no failure of the change. */
	async #lookAgain(address: PetAddress, options?: CallOptions): Promise<KnownPet | undefined> {
		try {
			return await this.get(address, stillWaiting(options));
		} catch (error) {
			if (isAbsent(error)) throw error;
			return undefined;
		}
	}

	/** A store that answers with another id may have rounded it, or have given the pet one of its own. */
	async #findAdded(connection: string, sent: KnownPet, said: Pet | null): Promise<KnownPet> {
		const own = said?.id === undefined || Number(said.id) === Number(sent.id) ? sent.id : said.id;
		return this.get({ connection, id: own }).catch(() => ({ ...sent, id: own }));
	}

	#stepOf(address: PetAddress, before: Pet, { batch, undoing }: PetCallOptions) {
		const store = this.clients.storeOf(address.connection);
		const isOfMany = batch !== undefined;
		return { ...address, store, before, batch: batch ?? Symbol("change"), isOfMany, undoing };
	}

	#note<P extends KnownPet | undefined>({ undoing, ...step }: NotedStep, after: P): P {
		const isChanged = after === undefined || !isSamePet(after, step.before);
		if (isChanged && undoing === undefined) this.undoable.add({ ...step, after });
		this.tell({ connection: step.connection, id: step.id, after });
		return after;
	}

	/**
	 * Notes a write whose answer was lost by what is there `now`. Where nothing could be read it may have been made `after`
	 * all: Undo looks at the pet first, and must not go for an older change.
	 */
	#noteLost(
		{ undoing, ...step }: NotedStep,
		now: KnownPet | null | undefined,
		{ isDone, after }: { readonly isDone: boolean; readonly after: Pet | undefined },
	): void {
		const { connection, id } = step;
		if (isDone) this.#note({ ...step, undoing }, now ?? undefined);
		else if (now !== undefined) this.tell({ connection, id, after: now ?? undefined });
		else if (undoing === undefined) this.undoable.add({ ...step, after });
	}

	#requireStore(undoing: UndoStep | undefined): void {
		if (undoing === undefined || undoing.store === this.clients.storeOf(undoing.connection)) return;
		throw new ClientError("petstore", "aborted", "Its connection leads to another store by now.");
	}

	/** An id made of the time, which no pet of this window has got; noted before anything is asked. */
	async #freeId(connection: string): Promise<Int64> {
		this.#lastTried = Math.max(Math.trunc(this.clients.parts.clock.now()), this.#lastTried + 1);
		const id = int64Of(this.#lastTried);
		if (id !== null && (await this.#isFree({ connection, id }))) return id;
		throw new ClientError("petstore", "server", "It says of a new id that there is a pet already.");
	}

	/** True where the store says that it has no such pet, which no list could prove. */
	async #isFree(address: PetAddress): Promise<boolean> {
		try {
			await this.#read(address);
			return false;
		} catch (error) {
			if (isAbsent(error)) return true;
			throw error;
		}
	}

	async #read({ connection, id }: PetAddress, options?: CallOptions): Promise<KnownPet> {
		return petOfId(id, await this.#call(connection, "getPetById", { petId: id }, options));
	}

	async #call<N extends OperationName>(
		connection: string,
		name: N,
		parameters: OperationParameters<N>,
		options?: CallOptions,
	): Promise<OperationData<N>> {
		const { client } = await this.clients.open(connection);
		return (await client.call(name, parameters, options)).data;
	}
}

type NotedStep = Omit<UndoStep, "after"> & { readonly undoing: UndoStep | undefined };

function checkForm({ name, status }: PetForm): PetForm {
	if (name === undefined && status === undefined) throw invalid("petstore", "name", "is missing, and so is status");
	const form = {
		name: name === undefined ? undefined : checked(text, name, "name").trim(),
		status: status === undefined ? undefined : checked(oneOf(...PET_STATUSES), status, "status"),
	};
	if (form.name === "") throw invalid("petstore", "name", "must not be empty");
	return form;
}

/** A pet of a connection. */
export interface PetAddress {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's own. */
	readonly id: Int64;
}

/** The address that a command's argument names. Throws ClientError `invalid` with the field. */
export function readAddress(registry: ConnectionRegistry, connection: unknown, pet: unknown): PetAddress {
	if (typeof connection !== "string") throw invalid("petstore", "connection", "is missing");
	if (pet === undefined) throw invalid("petstore", "pet", "is missing");
	return { connection: registry.require(connection, "petstore").id, id: idOf(pet) };
}

/** Reads an address of which either part may be left out. */
export function readPartOfAddress(
	registry: ConnectionRegistry,
	connection: unknown,
	pet: unknown,
): Partial<PetAddress> {
	if (connection !== undefined && typeof connection !== "string") {
		throw invalid("petstore", "connection", "must be a text");
	}
	return {
		...(connection === undefined ? {} : { connection: registry.require(connection, "petstore").id }),
		...(pet === undefined ? {} : { id: idOf(pet) }),
	};
}

function idOf(pet: unknown): Int64 {
	return checked(int64(), pet, "pet");
}
