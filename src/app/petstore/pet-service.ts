import { isAbsent } from "#api/http/fault.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import { PET_STATUSES, type Pet, type PetToSend } from "#api/petstore/model.ts";
import type { OperationData, OperationName, OperationParameters } from "#api/petstore/operations.ts";
import { checked, oneOfShape, RAW, textShape, withRaw } from "#api/petstore/shape.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { imageTypeOf } from "#base/image.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import type { PetstoreClients } from "./clients.ts";
import { isSamePet, type KnownPet, type PetAddress, petInReply, petOfId, withoutZeroId } from "./pet-text.ts";
import { ifThere, notAppliedError, send, stillWaiting, type WriteOutcome, write } from "./write.ts";

/** Fields that a form changes. The status is one of {@link PET_STATUSES}. */
export type PetForm = { readonly name?: string; readonly status?: string };

/** Change of a pet: `after` is the pet now, undefined once it is gone. */
export interface PetChange extends PetAddress {
	readonly after: KnownPet | undefined;
}

/** Changes undone together, with the pets (listed once) of each store that refuses to read one, and that refusal. */
export type PetBatch = Map<string, { readonly error: unknown; readonly pets: Promise<readonly Pet[] | null> }>;

interface PetCallOptions extends CallOptions {
	/** Batch of the call; a new one by default. */
	readonly batch?: PetBatch | undefined;
	/** Step that the change undoes. It is sent to the store of that step only, and not remembered. */
	readonly undoing?: UndoStep | undefined;
}

/** Pet that was added, changed or deleted. */
export interface ChangedPet extends Pick<WriteOutcome<unknown, KnownPet>, "lost" | "now"> {
	/** Pet as the store has it then; as it was, or as it was sent, if it is gone or unreadable. */
	readonly pet: KnownPet;
}

/** Reads, changes and announces single pets, and remembers changes for undo. Every call rejects with ClientError. */
export class PetService extends ResourceOwner {
	readonly clients: PetstoreClients;
	readonly undoable: ReturnType<typeof undoMemory>;
	readonly #changed = this.held.add(new Emitter<PetChange>());
	#lastTried = 0;

	constructor(clients: PetstoreClients) {
		super();
		this.clients = clients;
		this.undoable = undoMemory((connection) => clients.storeOf(connection));
	}

	/** Fires when this window has changed a pet, or has learned of a change. */
	readonly onDidChange = this.#changed.event;

	tell(change: PetChange): void {
		this.#changed.fire(change);
	}

	/** Reads a pet. Without an API key, which that needs, the pet is taken from the list of its status. */
	async get(address: PetAddress, { batch = new Map(), signal }: PetCallOptions = {}): Promise<KnownPet> {
		const { connection, id } = address;
		try {
			if (!batch.has(connection)) return await this.#read(address, { signal });
		} catch (error) {
			const { held } = await this.clients.open(connection);
			const isKeyMissing = error instanceof ClientError && error.code === "unauthorized" && !held.apiKey;
			if (!isKeyMissing || held.token === null) throw error;
			if (!batch.has(connection)) {
				const pets = this.#call(connection, "findPetsByStatus", { status: [...PET_STATUSES] }, { signal });
				batch.set(connection, { error, pets });
				pets.catch(() => batch.delete(connection));
			}
		}
		const { error, pets } = batch.get(connection) ?? {};
		const pet = (await pets)?.find((each) => each.id === id);
		// A pet of another status is on no list.
		if (pet === undefined) throw error;
		return petOfId(id, pet);
	}

	/**
	 * Replaces the pet `before`, whose unknown fields are kept; `ownStatus` is allowed too. Rejects with `not-confirmed`
	 * if the answer was lost and the pet is not there as sent, and `not-applied` if nothing was changed.
	 */
	async save(
		address: PetAddress,
		pet: PetToSend,
		before: KnownPet,
		{ ownStatus = before.status, undoing, signal, batch }: PetCallOptions = {},
	): Promise<KnownPet> {
		const { connection, id } = address;
		const after = withRaw(before[RAW], { ...pet, id });
		const call = () => this.#call(connection, "updatePet", { body: after }, { ownStatus, signal });
		const isDone = (told: Pet) => isSamePet(told, after);
		const wanted = { ...address, before, after };
		const { lost, now, ...saved } = await this.#change(wanted, { call, isDone }, { undoing, signal, batch });
		if (lost !== undefined && !(now && isDone(now))) throw lost;
		if (isSamePet(saved.pet, before) && !isDone(saved.pet)) throw notAppliedError();
		return saved.pet;
	}

	/** Adds a pet, never over another; `undoing` is the deletion to undo. One of a `batch` is remembered for undo. */
	async add(
		connection: string,
		wanted: PetToSend,
		{ undoing, signal, batch }: PetCallOptions = {},
	): Promise<ChangedPet> {
		const store = this.clients.storeOf(connection);
		const pet = withoutZeroId(wanted);
		if (pet.id !== undefined && !(await this.#isFree({ connection, id: pet.id }, signal))) {
			throw invalid("petstore", "id", `${pet.id} belongs to another pet: leave it out to get a free one`);
		}
		const id = pet.id ?? (await this.#freeId(connection, signal));
		const sent = { ...pet, id };
		const { said, lost, now } = await write(
			() => {
				this.#requireStore(undoing);
				return this.#call(connection, "addPet", { body: sent }, { ownStatus: undoing?.before?.status, signal });
			},
			(still) => this.#read({ connection, id }, still),
			{ signal },
		);
		// Fields that a store has filled in make no other pet of it.
		if (lost !== undefined && !(now && isSamePet({ ...now, ...sent }, now))) {
			return { pet: sent, lost, now: now && null };
		}
		const isSent = (told: Pet) => isSamePet(told, sent);
		const after = now ?? petInReply(said, id, isSent) ?? (await this.#findAdded(connection, sent, said));
		if (batch) this.undoable.add({ connection, id: after.id, store, before: undefined, after, batch });
		this.tell({ connection, id: after.id, after });
		return { pet: after, ...(lost && { lost, now }) };
	}

	/** Deletes a pet. Resolves to the pet as it was. */
	async remove(address: PetAddress, options: PetCallOptions = {}): Promise<ChangedPet> {
		const before = await this.get(address, options);
		const { signal } = options;
		const call = async () => {
			await this.#call(address.connection, "deletePet", { petId: address.id }, { signal });
			return null;
		};
		return this.#change({ ...address, before, after: undefined }, { call, isDone: () => false }, options);
	}

	/** Changes name, status or both by the store's form. Resolves to the pet as the store has it then. */
	async edit(address: PetAddress, wanted: PetForm, options: PetCallOptions = {}): Promise<ChangedPet> {
		const form = checkForm(wanted);
		const before = await this.get(address, options);
		const { signal } = options;
		const call = () => this.#call(address.connection, "updatePetWithForm", { petId: address.id, ...form }, { signal });
		const isDone = (pet: Pet) => (form.name ?? pet.name) === pet.name && (form.status ?? pet.status) === pet.status;
		return this.#change({ ...address, before, after: { ...before, ...form } }, { call, isDone }, options);
	}

	/** Makes, announces and remembers a change, also one that is in doubt: undo must not skip to an older one. */
	async #change(
		wanted: PetAddress & { readonly before: KnownPet; readonly after: KnownPet | undefined },
		{ call, isDone }: { readonly call: () => Promise<Pet | null>; readonly isDone: (pet: Pet) => boolean },
		{ signal, batch, undoing }: PetCallOptions,
	): Promise<ChangedPet> {
		const { connection, id, before } = wanted;
		const address = { connection, id };
		const store = this.clients.storeOf(connection);
		const send = () => {
			this.#requireStore(undoing);
			return call();
		};
		const { said, lost, now } = await write(send, (still) => this.get(address, still), { signal });
		let { after } = wanted;
		let isMade = true;
		if (lost !== undefined && now !== undefined) {
			isMade = now === null ? after === undefined : isDone(now);
			after = now ?? undefined;
		} else if (lost === undefined && after !== undefined) {
			// Of many pets none is read again.
			const read = petInReply(said, id, isDone) ?? (batch ? undefined : await this.#lookAgain(address, signal));
			after = read ?? after;
		}
		if (isMade && undoing === undefined && !(after && isSamePet(after, before))) {
			this.undoable.add({ ...address, store, before, after, batch });
		}
		if (lost === undefined || now !== undefined) this.tell({ ...address, after });
		return lost === undefined ? { pet: after ?? before } : { pet: now ?? before, lost, now };
	}

	/** Reads a pet after a change; undefined if that fails, which is no failure of the change. */
	async #lookAgain(address: PetAddress, signal: AbortSignal | undefined): Promise<KnownPet | undefined> {
		try {
			return await this.get(address, stillWaiting({ signal }));
		} catch (error) {
			if (isAbsent(error)) throw error;
			return undefined;
		}
	}

	/** Finds a pet that was added: the store may have rounded its id, or assigned another. */
	async #findAdded(connection: string, sent: KnownPet, said: Pet | null | undefined): Promise<KnownPet> {
		const own = said?.id === undefined || Number(said.id) === Number(sent.id) ? sent.id : said.id;
		return this.get({ connection, id: own }).catch(() => ({ ...sent, id: own }));
	}

	#requireStore(undoing: UndoStep | undefined): void {
		if (undoing === undefined || undoing.store === this.clients.storeOf(undoing.connection)) return;
		throw new ClientError("petstore", "aborted", "The connection leads to another store now.");
	}

	/** Free id made of the time. It is reserved before anything is sent. */
	async #freeId(connection: string, signal: AbortSignal | undefined): Promise<Int64> {
		this.#lastTried = Math.max(Math.trunc(this.clients.parts.clock.now()), this.#lastTried + 1);
		const id = int64Of(this.#lastTried);
		if (id !== null && (await this.#isFree({ connection, id }, signal))) return id;
		throw new ClientError("petstore", "server", "The store says that a pet with the new id exists already.");
	}

	/** True if the store says that it has no such pet, which no list could prove. */
	async #isFree(address: PetAddress, signal: AbortSignal | undefined): Promise<boolean> {
		return (await ifThere(this.#read(address, { signal }))) === undefined;
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

function checkForm({ name, status }: PetForm): PetForm {
	if (name === undefined && status === undefined) throw invalid("petstore", "name", "is missing, and so is status");
	const form = {
		...(name === undefined ? {} : { name: checked(textShape, name, "name").trim() }),
		...(status === undefined ? {} : { status: checked(oneOfShape(...PET_STATUSES), status, "status") }),
	};
	if (form.name === "") throw invalid("petstore", "name", "must not be empty");
	return form;
}

/** Change of a pet, as far as undo needs it. */
export interface UndoStep extends PetAddress {
	/** Store that it was sent to; undefined if its connection was gone by then. */
	readonly store: string | undefined;
	/** Undefined for a pet that was added. */
	readonly before: Pet | undefined;
	/** Undefined for a deletion. */
	readonly after: Pet | undefined;
	/** Batch that counts as one change. */
	readonly batch?: object | undefined;
}

/** Batches that are remembered. */
const MOST = 50;

/**
 * Last changes of this window. Those of a connection that is gone, or leads to another store now, are skipped. `storeOf`
 * returns the store of a connection; undefined if it is gone.
 */
export function undoMemory(storeOf: (connection: string) => string | undefined) {
	let all: readonly UndoStep[] = [];
	const changed = new Emitter<void>();
	const current = () => all.filter(({ connection, store }) => store !== undefined && store === storeOf(connection));

	function set(steps: readonly UndoStep[]): void {
		all = steps;
		changed.fire();
	}

	return {
		onDidChange: changed.event,
		/** Steps, oldest first. */
		get steps(): readonly UndoStep[] {
			return current();
		},
		/** The last step: of all, of a connection, of a pet. */
		last({ connection, id }: Partial<PetAddress> = {}): UndoStep | undefined {
			return current().findLast(
				(step) => (connection ?? step.connection) === step.connection && (id ?? step.id) === step.id,
			);
		},
		of: (batch: object) => current().filter((each) => each.batch === batch),
		add(step: UndoStep): void {
			const steps = [...current(), step];
			const changeOf = (each: UndoStep) => each.batch ?? each;
			const kept = new Set([...new Set(steps.map(changeOf))].slice(-MOST));
			set(steps.filter((each) => kept.has(changeOf(each))));
		},
		forget: (step: UndoStep) => set(current().filter((each) => each !== step)),
	};
}

/** Photo to upload. */
export interface PhotoFile {
	readonly name: string;
	readonly bytes: Uint8Array;
}

/** Larger files are not sent: no store takes them. Bytes. */
const LARGEST_PHOTO = 32 * 1024 * 1024;

/** Throws ClientError `invalid` for a file larger than any store takes. */
export function refuseTooLarge(bytes: number): void {
	if (bytes > LARGEST_PHOTO) throw invalid("petstore", "file", `is larger than ${LARGEST_PHOTO / 1024 / 1024} MB`);
}

/** Uploads a photo of a pet; after a lost answer `now` has its photos. Rejects with `invalid` for a `file` that is none. */
export async function uploadPhoto(
	service: PetService,
	address: PetAddress,
	{ metadata, ...file }: PhotoFile & { readonly metadata?: string | undefined },
	options: CallOptions = {},
) {
	const { connection, id } = address;
	refuseTooLarge(file.bytes.length);
	const image = imageTypeOf(file.bytes);
	if (image === undefined) throw invalid("petstore", "file", "is not a PNG, JPEG, GIF, WebP, AVIF or BMP picture");
	const { client } = await service.clients.open(connection);
	const form = { petId: id, file: { ...file, type: image.type }, additionalMetadata: metadata };
	const { said, lost } = await send(() => client.call("uploadFile", form, options));
	// The store may have added the photo's address to the pet.
	const after = await service.get(address, stillWaiting(options)).catch(() => undefined);
	if (after !== undefined) service.tell({ connection, id, after });
	return {
		pet: id,
		bytes: file.bytes.length,
		message: said?.data?.message ?? "",
		confirmed: lost === undefined,
		...(lost && after ? { now: after.photoUrls ?? [] } : {}),
	};
}
