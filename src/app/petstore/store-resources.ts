import type { PetstoreClient } from "#api/petstore/client.ts";
import { type Inventory, PET_STATUSES } from "#api/petstore/model.ts";
import type { Clock } from "#base/clock.ts";
import { ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { Resource } from "../kit/resource.ts";
import { pathOf } from "../requests/request-log.ts";
import type { PetstoreClients } from "./clients.ts";

/** Reader of a resource of a store; `known` is its value so far. */
type StoreReader<T> = (client: PetstoreClient, signal: AbortSignal, known: T | undefined) => Promise<T>;

/** One resource of each store, refreshed soon after a write of this window to a path in `changedBy`. */
export class StoreResources<T> extends ResourceOwner {
	readonly #clients: PetstoreClients;
	readonly #read: StoreReader<T>;
	readonly #changed = this.held.add(new Emitter<string>());
	readonly #all = new Map<string, Resource<T>>();

	constructor(clients: PetstoreClients, read: StoreReader<T>, changedBy?: RegExp) {
		super();
		this.#clients = clients;
		this.#read = read;
		this.held.add(clients.onDidDrop((id) => this.#all.get(id)?.reset()));
		this.held.add(
			clients.onRequest(({ method, url, connection }) => {
				if (method !== "GET" && changedBy?.test(pathOf(url))) this.#all.get(connection)?.refreshSoon();
			}),
		);
	}

	/** Fires with a connection's id when the state of its resource has changed. */
	readonly onDidChange = this.#changed.event;

	/** Resources that were asked for. */
	get all(): readonly Resource<T>[] {
		return [...this.#all.values()];
	}

	of(id: string): Resource<T> {
		const known = this.#all.get(id);
		if (known !== undefined) return known;
		const clients = this.#clients;
		const resource = this.held.add(
			new Resource<T>({
				service: "petstore",
				clock: clients.parts.clock,
				writes: () => clients.writes,
				read: async (signal, before) => {
					const { client } = await clients.open(id);
					signal.throwIfAborted();
					return this.#read(client, signal, before);
				},
			}),
		);
		this.held.add(resource.onDidChange(() => this.#changed.fire(id)));
		this.#all.set(id, resource);
		return resource;
	}
}

/** Focus listener that calls `refresh` when the window is focused again after `ms`; 0 disables it. */
export function afterPause(clock: Clock, ms: () => number, refresh: () => void): (focused: boolean) => void {
	let since = clock.now();
	return (focused) => {
		const isDue = focused && ms() > 0 && clock.now() - since >= ms();
		since = clock.now();
		if (isDue) refresh();
	};
}

/** Paths of requests that change pets, without the base path. */
const PET_WRITES = /\/pet(?:\/[^/?]+(?:\/uploadImage)?)?(?:\?|$)/;

/** Inventories of the stores, read again when a pet has changed. */
export function inventories(clients: PetstoreClients): StoreResources<Inventory> {
	const read = async (client: PetstoreClient, signal: AbortSignal) =>
		(await client.call("getInventory", {}, { signal })).data;
	return new StoreResources(clients, read, PET_WRITES);
}

/** Counts of an inventory: statuses of the contract first (section 3), which are known, then the others, largest first. */
export function countsOf(inventory: Inventory) {
	const known = new Set<string>(PET_STATUSES);
	const others = Object.entries(inventory)
		.filter(([status]) => !known.has(status))
		.sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
	return [
		...PET_STATUSES.map((status: string) => ({ status, count: inventory[status] ?? 0, isKnown: true })),
		...others.map(([status, count]) => ({ status, count, isKnown: false })),
	];
}

/** Number of pets in an inventory. */
export function totalOf(inventory: Inventory): number {
	return Object.values(inventory).reduce((sum, count) => sum + count, 0);
}
