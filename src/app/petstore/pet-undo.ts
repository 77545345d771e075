import type { CallOptions } from "#api/petstore/client.ts";
import { ClientError, invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import type { PetstoreClients } from "./clients.ts";
import type { TurnOptions } from "./in-turn.ts";
import { isWorthRetrying, type MovedBack, moveBack, type SentForm, tellingForms } from "./move-back.ts";
import type { PetAddress } from "./pet-address.ts";
import type { PetChanges } from "./pet-changes.ts";
import type { PetDesk, PetLists } from "./pet-desk.ts";
import { isSamePet, isSameUnread, type KnownPet, sendable } from "./pet-text.ts";
import type { UndoStep } from "./undo-memory.ts";
import { send } from "./write.ts";

/** What changes are undone with. */
export interface PetUndoParts {
	/** Remembers the changes, and makes all but moves again. */
	readonly desk: PetDesk;
	readonly clients: PetstoreClients;
	readonly changes: PetChanges;
}

/** What was undone: a step, and what became of its pet. */
export interface Undone extends UndoStep {
	readonly pet: KnownPet;
	/** Of a move or a deletion of many, what became of all its pets; `pet` is one of them. */
	readonly back?: MovedBack;
}

/** Undoes the changes that a desk remembers. Nobody else's change is undone with one: that is refused. */
export class PetUndo {
	readonly #parts: PetUndoParts;

	constructor(parts: PetUndoParts) {
		this.#parts = parts;
	}

	/**
	 * Undoes the last change of a pet, or the last of all, one of many pets with all of them. Rejects with ClientError: `invalid`
	 * where there is none, or the pet was changed since, and what the store refuses; it can be tried again then.
	 */
	async last(address: Partial<PetAddress> = {}, options?: CallOptions): Promise<Undone> {
		const { desk } = this.#parts;
		const { undoable } = desk;
		const step = undoable.last(address);
		if (step === undefined) throw invalid("petstore", "pet", "has no change of this window that could be undone");
		const { id, before, after, move } = step;
		if (move !== undefined) {
			const back = await this.#moveBack(address.id === undefined ? undoable.ofMove(move) : [step], {
				signal: options?.signal,
			});
			const [pet] = back.moved;
			if (pet !== undefined) return { ...step, pet, back };
			if (after !== undefined && before.status === undefined)
				throw invalid("petstore", "status", "was none, and no form takes one away");
			throw back.failed[0]?.error ?? new ClientError("petstore", "aborted", "Nothing was moved back.");
		}
		let pet: KnownPet;
		if (after === undefined) {
			pet = await this.#bringBack(step);
		} else {
			const now = await desk.get(step, options);
			// A store that keeps what a save does not name has it as before.
			const isSame = isSameUnread(now, after) || isSameUnread(now, before);
			// A change whose answer was lost may never have been made.
			const isBefore = isSamePet(now, before);
			if (!(isBefore || isSamePet(now, after)) || !isSame) throw changedSince(id);
			pet = isBefore ? now : await desk.save(step, sendable(before), now, { toldStatus: before.status });
			// The save is a change of its own.
			if (!isBefore) undoable.forget(undoable.last(step));
		}
		undoable.forget(step);
		return { ...step, pet };
	}

	/**
	 * Whether a store may want an API key before a deleted pet is brought back: with a sign-in alone some tell of no single
	 * pet, and no list proves an id free. Rejects as a connection does that cannot be opened.
	 */
	async mayWantKey(connections: readonly string[]): Promise<boolean> {
		const opened = await Promise.all(connections.map((each) => this.#parts.clients.open(each)));
		return opened.some(({ held }) => held.token !== null && !held.apiKey);
	}

	/** Moves the pets of a move back, each that has the status still which the move gave it, or brings deleted ones back. */
	move(move: symbol, options: TurnOptions = {}): Promise<MovedBack> {
		return this.#moveBack(this.#parts.desk.undoable.ofMove(move), options);
	}

	async #moveBack(steps: readonly UndoStep[], options: TurnOptions): Promise<MovedBack> {
		const { desk, changes, clients } = this.#parts;
		// No form takes a status away.
		const [there = [], bare = []] = [true, false].map((hasOne) =>
			steps.filter(({ before, after }) => (after === undefined || before.status !== undefined) === hasOne),
		);
		// Where only lists tell of pets, they are asked for once before all forms, and once after them.
		const lists: PetLists = new Map();
		const later: PetLists = new Map();
		const tell = tellingForms({ changes }, (form, once) =>
			desk.get(form, lists.has(form.connection) ? { ...once, lists: later } : once),
		);
		const unseen = new Map<UndoStep, SentForm & { readonly after: KnownPet }>();
		// What the connection becomes meanwhile, such as that of another store, is not what the pets were moved in.
		const opened = new Map<string, ReturnType<typeof clients.open>>();
		const open = (connection: string) => {
			const access = opened.get(connection) ?? clients.open(connection);
			opened.set(connection, access);
			return access;
		};
		const sent = await moveBack(
			there,
			async (step) => {
				if (step.after === undefined) return this.#bringBack(step);
				const form = await this.#moveOneBack(step, { open, lists });
				if (!lists.has(step.connection)) return (await tell(form)) ?? form.after;
				if (form.lost === undefined) changes.tell(form);
				unseen.set(step, form);
				return undefined;
			},
			options,
		);
		const seen = await moveBack([...unseen.keys()], async (step) => {
			const form = unseen.get(step);
			return form && ((await tell(form)) ?? form.after);
		});
		const [moved, failed] = [
			[...sent.moved, ...seen.moved],
			[...sent.failed, ...seen.failed],
		];
		const back = { moved, failed, left: sent.left };
		const again = new Set(back.left);
		for (const { item, error } of back.failed) if (isWorthRetrying(error)) again.add(item);
		desk.undoable.forget(...steps.filter((step) => !again.has(step)));
		return { ...back, left: [...back.left, ...bare] };
	}

	async #bringBack({ connection, id, store, before }: UndoStep): Promise<KnownPet> {
		const { desk, clients } = this.#parts;
		const requireStore = () => {
			if (store === clients.storeOf(connection)) return;
			throw new ClientError("petstore", "aborted", "Its connection leads to another store by now.");
		};
		requireStore();
		const sent = { ...sendable(before), id };
		const options = { toldStatus: before.status, sending: requireStore };
		return desk.add(connection, sent, options).catch(async (error: unknown) => {
			requireStore();
			// A deletion of which nobody could say whether it was done may not have been.
			const there = await desk.findSent(connection, sent).catch(() => undefined);
			if (there === undefined) throw error;
			return there;
		});
	}

	/** The move has changed the status only: what somebody else has made of the rest stays. */
	async #moveOneBack(
		{ connection, id, before, after }: UndoStep,
		{ open, lists }: { readonly open: PetstoreClients["open"]; readonly lists: PetLists },
	): Promise<SentForm & { readonly after: KnownPet }> {
		const { desk } = this.#parts;
		const { client } = await open(connection);
		const now = await desk.get({ connection, id }, { lists });
		// A form whose answer was lost may never have been done.
		if (now.status !== after?.status && now.status !== before.status) throw changedSince(id);
		const { status } = before;
		const form = { petId: id, status };
		const sent = await send(async () => (await client.call("updatePetWithForm", form, { toldStatus: status })).data);
		return { connection, id, after: { ...now, ...(status === undefined ? {} : { status }) }, status, ...sent };
	}
}

function changedSince(id: Int64): ClientError {
	return invalid("petstore", "pet", `${id} was changed again since: what is there now would be lost`);
}
