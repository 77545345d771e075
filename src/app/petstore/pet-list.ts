import type { PetstoreClient } from "#api/petstore/client.ts";
import type { Inventory, Pet } from "#api/petstore/model.ts";
import type { Clock } from "#base/clock.ts";
import type { Disposable } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { Pace } from "./pace.ts";
import type { PetChange } from "./pet-changes.ts";
import { groupOf, groupPets, type PetFilter, type PetGroup, passer } from "./pet-groups.ts";
import { inventoryOf, listPets, sameOf } from "./pet-listing.ts";
import { Waiters } from "./waiters.ts";

/** What a list of pets is doing. What is loaded stays there in each of these. */
export type PetListState =
	/** Nothing was asked yet, or what was loaded is not to be shown any more. */
	| { readonly name: "idle" }
	| { readonly name: "loading" }
	| { readonly name: "loaded" }
	/** Somebody ended the loading before anything came of it. */
	| { readonly name: "stopped" }
	| { readonly name: "error"; readonly error: ClientError };

/** What has happened to a list: to its state, to what is in its groups, or to one pet that stays where it is. */
export type PetListEvent =
	| { readonly type: "state" }
	| { readonly type: "groups" }
	| { readonly type: "pet"; readonly id: string };

/** What a list is made from. */
export interface PetListParts {
	/** The client of the list's connection. */
	readonly client: () => Promise<PetstoreClient>;
	readonly clock: Clock;
	readonly filter: PetFilter;
	/** Number of writes that have ended, in this store or any other. */
	readonly writes: () => number;
}

interface Work {
	/** Writes that had ended when it began. */
	readonly writes: number;
	/** The state to go back to when it is ended. */
	readonly before: PetListState;
	readonly abort: AbortController;
	readonly done: Promise<boolean>;
	readonly resolve: (isLoaded: boolean | Promise<boolean>) => void;
	readonly waiters: Waiters;
	/** What has changed since it was begun: its reply may be older. */
	readonly heard: Map<string, Pet | undefined>;
}

/** Changes that come together are counted by the store once. Milliseconds. */
const RECOUNT_AFTER_MS = 500;

/**
 * The pets of one store as a tree shows them: those of every status that can be asked for, and what the store counts. A
 * failure takes nothing away. No method rejects: each resolves to whether all went well, and {@link state} tells.
 */
export class PetList implements Disposable {
	readonly #parts: PetListParts;
	readonly #changed = new Emitter<PetListEvent>();
	/** By id; those without one by where they stood. */
	#pets = new Map<string, Pet>();
	#inventory: Inventory | undefined;
	#leftOut = { listed: 0, found: 0 };
	#filter: PetFilter;
	#groups: readonly PetGroup[] | undefined;
	#state: PetListState = { name: "idle" };
	#isFilled = false;
	#work: Work | undefined;
	readonly #recount: Pace;
	#resets = 0;

	constructor(parts: PetListParts) {
		this.#parts = parts;
		this.#filter = parts.filter;
		const run = (isStale: () => boolean) => this.#countAnew(isStale);
		this.#recount = new Pace({ clock: parts.clock, quietMs: RECOUNT_AFTER_MS, run });
	}

	readonly onDidChange = this.#changed.event;

	get state(): PetListState {
		return this.#state;
	}

	/** Whether pets were ever brought since it was made or reset. */
	get isFilled(): boolean {
		return this.#isFilled;
	}

	/** How many pets of each status the store counts; undefined where it does not tell, as without an API key. */
	get inventory(): Inventory | undefined {
		return this.#inventory;
	}

	/** How many items were among the pets that are no pets, of what was brought last. */
	get leftOut(): number {
		return this.#leftOut.listed + this.#leftOut.found;
	}

	/** What is to be shown, sorted and filtered. The same object as long as nothing of it changes. */
	get groups(): readonly PetGroup[] {
		this.#groups ??= groupPets(this.#pets.values(), { filter: this.#filter, inventory: this.#inventory });
		return this.#groups;
	}

	/** All that are known. */
	get pets(): readonly Pet[] {
		return [...this.#pets.values()];
	}

	/** The pet of that id, if it is known. */
	get(id: string): Pet | undefined {
		return this.#pets.get(id);
	}

	/** Loads what nobody has asked for yet. What failed is not asked again: that is for a person to say. */
	async load(signal?: AbortSignal): Promise<boolean> {
		for (;;) {
			const resets = this.#resets;
			const isOpen = this.#work !== undefined || this.#state.name === "idle" || this.#state.name === "stopped";
			const isLoaded = isOpen ? await this.refresh(signal) : this.#state.name === "loaded";
			// What was waited for may have been somebody else's.
			if (this.#resets === resets || signal?.aborted) return isLoaded;
		}
	}

	/**
	 * Asks for everything again; a pet that is as before stays the same object. Callers at the same time share it: one who
	 * leaves by `signal` ends it for nobody else, and the last one does. After a write, all of them get a later answer than
	 * was asked for before it.
	 */
	async refresh(signal?: AbortSignal): Promise<boolean> {
		const before = this.#work;
		const isOld = before !== undefined && before.writes !== this.#parts.writes();
		const { done, waiters } = before === undefined || isOld ? this.#run() : before;
		if (isOld) {
			before.resolve(waiters.wait(done, undefined));
			before.abort.abort();
		}
		return waiters.wait(done, signal).catch(() => false);
	}

	/** Ends what is under way; what was loaded before stays. */
	cancel(): void {
		this.#work?.abort.abort();
	}

	/** Shows others of its pets. */
	show(filter: PetFilter): void {
		this.#filter = filter;
		this.#tellGroups();
	}

	/** Takes in pets that were found by another way, without those left out; they may be of statuses that cannot be listed. */
	add(pets: readonly Pet[], leftOut = 0): void {
		this.#leftOut.found = leftOut;
		for (const pet of pets) {
			if (pet.id === undefined) continue;
			this.#work?.heard.set(pet.id, pet);
			this.#pets.set(pet.id, sameOf(this.#pets.get(pet.id), pet));
		}
		this.#tellGroups();
	}

	/** Takes in what somebody has changed, without asking for the rest again. */
	hear({ id, after }: Omit<PetChange, "connection">): void {
		this.#work?.heard.set(id, after);
		if (!this.#isFilled) return;
		const before = this.#pets.get(id);
		if (after === undefined) this.#pets.delete(id);
		else this.#pets.set(id, after);
		this.#count(before, after);
		if (before !== undefined && after !== undefined && this.#staysInPlace(before, after)) {
			this.#groups = undefined;
			this.#changed.fire({ type: "pet", id });
		} else this.#tellGroups();
	}

	/** Takes everything away: the list belongs to somebody else now, or to nobody. */
	reset(): void {
		this.#resets += 1;
		this.#letGo();
		this.#recount.dispose();
		this.#pets = new Map();
		this.#inventory = undefined;
		this.#leftOut = { listed: 0, found: 0 };
		this.#isFilled = false;
		this.#setState({ name: "idle" });
		this.#tellGroups();
	}

	dispose(): void {
		this.#letGo();
		this.#recount.dispose();
		this.#changed.dispose();
	}

	/** Ends what is under way without a word. */
	#letGo(): void {
		const work = this.#work;
		this.#work = undefined;
		work?.abort.abort();
	}

	#run(): Work {
		const before = this.#work?.before ?? this.#state;
		const { promise: done, resolve } = Promise.withResolvers<boolean>();
		const abort = new AbortController();
		const waiters = new Waiters(() => abort.abort());
		const writes = this.#parts.writes();
		const work: Work = { writes, before, abort, done, resolve, waiters, heard: new Map() };
		this.#work = work;
		this.#setState({ name: "loading" });
		const end = (state: PetListState, isLoaded = false) => {
			// After a reset, or its own end, this has nothing more to say.
			if (this.#work === work) {
				this.#work = undefined;
				this.#setState(state);
			}
			resolve(isLoaded);
		};
		// At once: whoever asks next is not to get what was ended.
		const ended: PetListState = before.name === "idle" ? { name: "stopped" } : before;
		abort.signal.addEventListener("abort", () => end(ended), { once: true });
		this.#perform(work).then(
			() => end({ name: "loaded" }, true),
			(cause: unknown) => end({ name: "error", error: asError(cause) }),
		);
		return work;
	}

	async #perform(work: Work): Promise<void> {
		const { signal } = work.abort;
		const client = await this.#parts.client();
		signal.throwIfAborted();
		const { pets, inventory, leftOut } = await listPets(client, { known: this.#pets, signal });
		signal.throwIfAborted();
		for (const [id, after] of work.heard) {
			if (after === undefined) pets.delete(id);
			else pets.set(id, after);
		}
		if (work.heard.size > 0) this.#recount.again();
		const isNews =
			!this.#isFilled ||
			this.leftOut !== leftOut ||
			!areSame(pets, this.#pets) ||
			!areCounts(inventory, this.#inventory);
		this.#pets = pets;
		this.#inventory = inventory;
		this.#leftOut = { listed: leftOut, found: 0 };
		this.#isFilled = true;
		if (isNews) this.#tellGroups();
	}

	/** Shows at once how a change alters the store's own count; soon the store counts anew, for others change it too. */
	#count(before: Pet | undefined, after: Pet | undefined): void {
		if (this.#inventory === undefined || (before !== undefined && before.status === after?.status)) return;
		const counts = { ...this.#inventory };
		if (before?.status !== undefined) counts[before.status] = Math.max(0, (counts[before.status] ?? 0) - 1);
		if (after?.status !== undefined) counts[after.status] = (counts[after.status] ?? 0) + 1;
		this.#inventory = counts;
		this.#recount.again();
	}

	async #countAnew(isStale: () => boolean): Promise<void> {
		const client = await this.#parts.client().catch(() => undefined);
		const inventory = await (client && inventoryOf(client));
		if (inventory === undefined || isStale() || !this.#isFilled) return;
		if (areCounts(inventory, this.#inventory)) return;
		this.#inventory = inventory;
		this.#tellGroups();
	}

	#staysInPlace(before: Pet, after: Pet): boolean {
		const passes = passer(this.#filter);
		return before.name === after.name && groupOf(before) === groupOf(after) && passes(before) === passes(after);
	}

	#tellGroups(): void {
		this.#groups = undefined;
		this.#changed.fire({ type: "groups" });
	}

	#setState(state: PetListState): void {
		this.#state = state;
		this.#changed.fire({ type: "state" });
	}
}

function areSame(pets: ReadonlyMap<string, Pet>, others: ReadonlyMap<string, Pet>): boolean {
	return pets.size === others.size && pets.entries().every(([id, pet]) => others.get(id) === pet);
}

function areCounts(one: Inventory | undefined, other: Inventory | undefined): boolean {
	const sorted = (inventory: Inventory | undefined) => JSON.stringify(Object.entries(inventory ?? {}).sort());
	return (one === undefined) === (other === undefined) && sorted(one) === sorted(other);
}

function asError(cause: unknown): ClientError {
	if (cause instanceof ClientError) return cause;
	const message = cause instanceof Error ? cause.message : String(cause);
	return new ClientError("petstore", "server", `Switchboard itself failed: ${message}`, { cause });
}
