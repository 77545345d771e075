import type { CallOptions } from "#api/petstore/client.ts";
import type { Pet } from "#api/petstore/model.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { ClientError } from "#base/errors.ts";
import { int64Of } from "#base/int64.ts";
import type { ConnectionRegistry } from "../connections/registry.ts";
import type { PetstoreClients } from "./clients.ts";
import type { PetChanges } from "./pet-changes.ts";
import { NO_FILTER, type PetFilter } from "./pet-groups.ts";
import { PetList, type PetListEvent } from "./pet-list.ts";
import { petOfId } from "./pet-text.ts";
import { UntoldWrites } from "./untold-writes.ts";

/** What the lists work with. */
export interface PetsParts {
	readonly registry: ConnectionRegistry;
	readonly clients: PetstoreClients;
	readonly changes: PetChanges;
}

/**
 * One list of pets for each connection to a pet store. A list goes with its connection, and is emptied when that is
 * signed out or becomes another's. What anybody says of a pet that was changed is shown without asking again; after a
 * change of which nobody says anything the store is asked.
 */
export class Pets implements Disposable {
	readonly parts: PetsParts;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<{ readonly connection: string; readonly event: PetListEvent }>());
	readonly #lists = new Map<string, PetList>();
	#filter: PetFilter = NO_FILTER;

	constructor(parts: PetsParts) {
		this.parts = parts;
		this.#held.add(parts.registry.onDidChange(() => this.#forget()));
		this.#held.add(parts.clients.onDidDrop((id) => this.#lists.get(id)?.reset()));
		this.#held.add(parts.changes.onDidChange((change) => this.#lists.get(change.connection)?.hear(change)));
		const { clients, changes } = parts;
		const heard = (id: string) => void this.#reload(id);
		this.#held.add(new UntoldWrites({ clients, changes, clock: clients.parts.clock, heard }));
	}

	/** Something has happened to the list of a connection. */
	readonly onDidChange = this.#changed.event;

	/** What all lists show. */
	get filter(): PetFilter {
		return this.#filter;
	}

	/** Shows others of the pets. */
	show(filter: PetFilter): void {
		this.#filter = filter;
		for (const list of this.#lists.values()) list.show(filter);
	}

	/** The list of a connection; made when first asked for. */
	of(connection: string): PetList {
		const known = this.#lists.get(connection);
		if (known !== undefined) return known;
		const { clients } = this.parts;
		const list = new PetList({
			client: async () => (await clients.open(connection)).client,
			clock: clients.parts.clock,
			filter: this.#filter,
			writes: () => clients.writes,
		});
		list.onDidChange((event) => this.#changed.fire({ connection, event }));
		this.#lists.set(connection, list);
		return list;
	}

	/** Whether any list is being loaded. */
	get isLoading(): boolean {
		return this.#lists.values().some(({ state }) => state.name === "loading");
	}

	/** Ends all loading; what is there stays. */
	cancel(): void {
		for (const list of this.#lists.values()) list.cancel();
	}

	/** The pet of an id: one that is known, or else asked for. Rejects with ClientError. */
	async find(connection: string, id: string, signal?: AbortSignal): Promise<Pet> {
		return this.#lists.get(connection)?.get(id) ?? this.read(connection, id, { signal });
	}

	/** The pet of an id as the store has it now. Rejects with ClientError. */
	async read(connection: string, id: string, options?: CallOptions): Promise<Pet> {
		const { client } = await this.parts.clients.open(connection);
		const { data } = await client.call("getPetById", { petId: id }, options);
		if (data === null) throw new ClientError("petstore", "malformed", "The store answered without a pet.");
		const known = int64Of(id);
		return known === null ? data : petOfId(known, data);
	}

	dispose(): void {
		this.#held.dispose();
		for (const list of this.#lists.values()) list.dispose();
		this.#lists.clear();
	}

	/** What nobody has looked at yet is not asked for. */
	async #reload(id: string): Promise<void> {
		const list = this.#lists.get(id);
		if (list?.isFilled || list?.state.name === "loading") await list.refresh();
	}

	#forget(): void {
		for (const [id, list] of this.#lists) {
			if (this.parts.registry.get(id, "petstore") !== undefined) continue;
			this.#lists.delete(id);
			list.dispose();
		}
	}
}
