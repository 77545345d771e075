import { isAbsent } from "#api/http/fault.ts";
import { checked } from "#api/petstore/check.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import { PET_STATUSES, type Pet, type PetToSend, text } from "#api/petstore/model.ts";
import type { OperationData, OperationName, OperationParameters } from "#api/petstore/operations.ts";
import { oneOf } from "#api/petstore/shape.ts";
import type { Clock } from "#base/clock.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import type { PetstoreClients } from "./clients.ts";
import type { PetAddress } from "./pet-address.ts";
import type { PetChanges } from "./pet-changes.ts";
import { canSend, isSamePet, type KnownPet, petInReply, petOfId, toldBodyOf, withoutZeroId } from "./pet-text.ts";
import { UndoMemory, type UndoStep } from "./undo-memory.ts";
import { notTaken, stillWaiting, type Written, write } from "./write.ts";

/** What a form changes of a pet; what is absent stays. */
export interface PetForm {
	readonly name?: string | undefined;
	/** One of {@link PET_STATUSES}. */
	readonly status?: string | undefined;
}

/** A pet as it was sent to be added. */
export type SentPet = PetToSend & { readonly id: Int64 };

/** What the desk works with. */
export interface PetDeskParts {
	readonly clients: PetstoreClients;
	readonly changes: PetChanges;
	readonly clock: Clock;
}

/** What a pet may have beside what the contract allows. */
export interface ToldOptions {
	/** A status that the store itself has told of it. */
	readonly toldStatus?: string | undefined;
}

/** How a pet is added. */
export interface AddOptions extends ToldOptions {
	/** Hears what is sent, by which {@link PetDesk.findSent} knows the pet when the answer was lost. */
	readonly sending?: (sent: SentPet) => void;
}

/** The pets of stores that list them but tell of no single one, as each was asked for once; by connection. */
export type PetLists = Map<string, { readonly error: unknown; readonly pets: Promise<readonly Pet[] | null> }>;

/** How a pet is read. */
export interface GetOptions extends CallOptions {
	/** What was listed before for the same piece of work, which is not asked for again. */
	readonly lists?: PetLists | undefined;
}

/** How a pet is taken out. */
export interface RemoveOptions extends CallOptions {
	readonly before?: KnownPet;
	/** What is undone together with it. */
	readonly move?: symbol;
}

/** A pet that a store has not refused to add, to change, or to delete. */
export interface ChangedPet extends Pick<Written<unknown, KnownPet>, "lost" | "now"> {
	/** As the store has it then; where it is gone, or cannot be read, as it was or was sent. */
	readonly pet: KnownPet;
}

const FORM_FIELDS = ["name", "status"] as const;

/** Ids that are tried for a new pet before the store is believed to have none that is free. */
const MOST_TRIES = 5;

/**
 * Reads and changes pets one at a time, tells of each change, and remembers what can be undone. Each of its calls
 * rejects with ClientError: `not-found` for a pet that is not there, `invalid` with the field for what breaks a rule, and
 * what the store refuses.
 */
export class PetDesk {
	readonly #parts: PetDeskParts;
	/** What can be undone. */
	readonly undoable: UndoMemory;
	/** The last id that was tried for a new pet. */
	#lastTried = 0;

	constructor(parts: PetDeskParts) {
		this.#parts = parts;
		this.undoable = new UndoMemory((connection) => parts.clients.storeOf(connection));
	}

	/** A pet as the store has it now; without an API key, which a single one needs, as it is listed by its status. */
	async get(address: PetAddress, { lists = new Map(), ...options }: GetOptions = {}): Promise<KnownPet> {
		const { connection, id } = address;
		try {
			if (!lists.has(connection)) return await this.#read(address, options);
		} catch (error) {
			const { held } = await this.#parts.clients.open(connection);
			const isKeyMissing = error instanceof ClientError && error.code === "unauthorized" && !held.apiKey;
			if (!isKeyMissing || held.token === null) throw error;
			if (!lists.has(connection)) {
				const pets = this.#call(connection, "findPetsByStatus", { status: [...PET_STATUSES] }, options);
				lists.set(connection, { error, pets });
				// What failed can be asked for again.
				pets.catch(() => lists.delete(connection));
			}
		}
		const { error, pets } = lists.get(connection) ?? {};
		const pet = (await pets)?.find((each) => each.id === id);
		// One of another status is on no list.
		if (pet === undefined) throw error;
		return petOfId(id, pet);
	}

	/**
	 * Puts a pet in the place of the one that the store has, which the caller has just read: where there is none a store
	 * may make one. Its status is one of the contract's, or `toldStatus`; as the store told it, also with what nobody here
	 * can read, it goes back as it was. Resolves to what the store has then. Rejects with ClientError of the reason
	 * `not-confirmed` where the answer was lost, unless the pet is there as it was sent.
	 */
	async save(
		address: PetAddress,
		pet: PetToSend,
		before: Pet,
		{ toldStatus = before.status }: ToldOptions = {},
	): Promise<KnownPet> {
		const { connection, id } = address;
		const sent = { ...pet, id };
		const toldBody = toldBodyOf(sent);
		const store = this.#parts.clients.storeOf(connection);
		const { said, lost, now } = await write(
			() => this.#call(connection, "updatePet", { body: sent }, { toldStatus, toldBody }),
			() => this.get(address),
		);
		const step = { ...address, store, before };
		if (lost === undefined) {
			const after = petInReply(said, id, (pet) => isSamePet(pet, sent)) ?? (await this.#lookAgain(address)) ?? sent;
			this.#note({ ...step, after });
			return after;
		}
		const isDone = !!now && isSamePet(now, sent);
		this.#noteLost({ ...step, after: sent }, now, isDone);
		if (isDone) return now;
		throw lost;
	}

	/**
	 * Adds a pet as {@link tryAdd} does. Rejects with ClientError of the reason `not-confirmed` where the answer was lost,
	 * unless the pet is there: {@link findSent} tells later.
	 */
	async add(connection: string, pet: PetToSend, options: AddOptions = {}): Promise<KnownPet> {
		const { pet: after, lost, now } = await this.tryAdd(connection, pet, options);
		if (lost !== undefined && !now) throw lost;
		return after;
	}

	/**
	 * Adds a pet under its own id, or one that is chosen, but only where the store has proved to have no pet of that id.
	 * Where the answer was lost, `now` is the pet if it is there.
	 */
	async tryAdd(connection: string, wanted: PetToSend, { sending, toldStatus }: AddOptions = {}): Promise<ChangedPet> {
		const pet = withoutZeroId(wanted);
		if (pet.id !== undefined && !(await this.#isFree({ connection, id: pet.id }))) {
			throw invalid("petstore", "id", `${pet.id} belongs to another pet: leave it out to get a free one`);
		}
		const id = pet.id ?? (await this.#freeId(connection));
		const sent = { ...pet, id };
		sending?.(sent);
		const { said, lost, now } = await write(
			() => this.#call(connection, "addPet", { body: sent }, { toldStatus, toldBody: toldBodyOf(sent) }),
			async () => (await this.findSent(connection, sent)) ?? null,
		);
		if (lost !== undefined) return { pet: now ?? sent, lost, now };
		const after =
			petInReply(said, id, (told) => isSamePet(told, sent)) ?? (await this.#findAdded(connection, sent, said));
		this.#parts.changes.tell({ connection, id: after.id, after });
		return { pet: after };
	}

	/** The pet that was sent to be added though nobody said so: undefined where its id is free, or another pet's. */
	async findSent(connection: string, sent: SentPet): Promise<KnownPet | undefined> {
		const { id } = sent;
		const after = await this.#find({ connection, id });
		// What a store has filled in by itself is no other pet.
		if (after === undefined || !isSamePet({ ...after, ...sent }, after)) return undefined;
		this.#parts.changes.tell({ connection, id, after });
		return after;
	}

	/** Takes a pet out, which was `before` if the caller has just read it. Resolves to what it was. */
	async remove(address: PetAddress, { before: known, move, ...options }: RemoveOptions = {}): Promise<ChangedPet> {
		const store = this.#parts.clients.storeOf(address.connection);
		const before = known ?? (await this.get(address, options));
		const { lost, now } = await write(
			() => this.#call(address.connection, "deletePet", { petId: address.id }, options),
			(still) => this.get(address, still),
			options,
		);
		const step = { ...address, store, before, after: undefined, ...(move === undefined ? {} : { move }) };
		if (lost === undefined) this.#note(step);
		else this.#noteLost(step, now, now === null);
		return { pet: now ?? before, ...(lost && { lost, now }) };
	}

	/** Changes name, status or both by the store's form. Resolves to what the store has then. */
	async edit(address: PetAddress, wanted: PetForm, options?: CallOptions): Promise<ChangedPet> {
		const { connection, id } = address;
		const form = checkForm(wanted);
		const { name, status } = form;
		const store = this.#parts.clients.storeOf(connection);
		const before = await this.get(address, options);
		const { said, lost, now } = await write(
			() => this.#call(connection, "updatePetWithForm", { petId: id, name, status }, options),
			(still) => this.get(address, still),
			options,
		);
		const refused = (pet: Pet) => FORM_FIELDS.find((field) => (form[field] ?? pet[field]) !== pet[field]);
		const wantedPet = {
			...before,
			...(name === undefined ? {} : { name }),
			...(status === undefined ? {} : { status }),
		};
		const step = { ...address, store, before };
		if (lost !== undefined) {
			this.#noteLost({ ...step, after: wantedPet }, now, !!now && refused(now) === undefined);
			return { pet: now ?? before, lost, now };
		}
		const after =
			petInReply(said, id, (pet) => refused(pet) === undefined) ??
			(await this.#lookAgain(address, options)) ??
			wantedPet;
		this.#note({ ...step, after });
		// Stores say yes to a form of which they take nothing.
		const field = refused(after);
		if (field !== undefined) throw notTaken(field, form[field]);
		return { pet: after };
	}

	/** A pet after a change of it; undefined where nobody can look, which is no failure of the change. */
	async #lookAgain(address: PetAddress, options?: CallOptions): Promise<KnownPet | undefined> {
		try {
			return await this.get(address, stillWaiting(options));
		} catch (error) {
			if (isAbsent(error)) throw error;
			return undefined;
		}
	}

	/** A store that says another id may have rounded it, or have given the pet one of its own. */
	async #findAdded(connection: string, sent: SentPet, said: Pet | null): Promise<KnownPet> {
		const own = said?.id === undefined || Number(said.id) === Number(sent.id) ? sent.id : said.id;
		return this.get({ connection, id: own }).catch(() => ({ ...sent, id: own }));
	}

	/** Notes a change whose answer was lost, by what is there `now`, which says if it was made. */
	#noteLost(step: UndoStep, now: KnownPet | null | undefined, isDone: boolean): void {
		const after = now ?? undefined;
		if (isDone) this.#note({ ...step, after });
		else if (now !== undefined) this.#parts.changes.tell({ ...step, after });
		// It may have been made: Undo looks at the pet before it does anything.
		else if (canSend(step.before)) this.undoable.add(step);
	}

	#note(step: UndoStep): void {
		const { connection, id, after } = step;
		const isChanged = after === undefined || !isSamePet(after, step.before);
		// What a store takes from nobody could not be given back.
		if (isChanged && canSend(step.before)) this.undoable.add(step);
		this.#parts.changes.tell({ connection, id, after });
	}

	async #freeId(connection: string): Promise<Int64> {
		for (let tries = 0; tries < MOST_TRIES; tries++) {
			// Noted before anything is asked: another pet may be added meanwhile, and must not get the same one.
			this.#lastTried = Math.max(Math.trunc(this.#parts.clock.now()), this.#lastTried + 1);
			const id = int64Of(this.#lastTried);
			if (id !== null && (await this.#isFree({ connection, id }))) return id;
		}
		throw new ClientError("petstore", "server", "It says of every id that there is a pet already.");
	}

	async #isFree(address: PetAddress): Promise<boolean> {
		return (await this.#find(address)) === undefined;
	}

	async #read({ connection, id }: PetAddress, options?: CallOptions): Promise<KnownPet> {
		return petOfId(id, await this.#call(connection, "getPetById", { petId: id }, options));
	}

	/** A pet by its id alone; undefined where the store has no such pet, which no list could prove. */
	async #find(address: PetAddress): Promise<KnownPet | undefined> {
		try {
			return await this.#read(address);
		} catch (error) {
			if (isAbsent(error)) return undefined;
			throw error;
		}
	}

	async #call<N extends OperationName>(
		connection: string,
		name: N,
		parameters: OperationParameters<N>,
		options?: CallOptions,
	): Promise<OperationData<N>> {
		const { client } = await this.#parts.clients.open(connection);
		return (await client.call(name, parameters, options)).data;
	}
}

function checkForm({ name, status }: PetForm): PetForm {
	if (name === undefined && status === undefined) throw invalid("petstore", "name", "is missing, and so is status");
	const form = {
		name: name === undefined ? undefined : checked(text, name, "name").trim(),
		status: status === undefined ? undefined : checked(oneOf(...PET_STATUSES), status, "status"),
	};
	if (form.name === "") throw invalid("petstore", "name", "must not be empty");
	return form;
}
