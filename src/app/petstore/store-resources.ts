import type { PetstoreClient } from "#api/petstore/client.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import { Resource } from "../kit/resource.ts";
import { pathOf } from "../requests/logged-request.ts";
import type { PetstoreClients } from "./clients.ts";

/** Reader of a resource of a store; `known` is its value so far. */
type StoreReader<T> = (client: PetstoreClient, signal: AbortSignal, known: T | undefined) => Promise<T>;

/** One resource of each pet store, read again soon after this window has sent a write to a path in `changedBy`. */
export class StoreResources<T> implements Disposable {
	readonly #clients: PetstoreClients;
	readonly #read: StoreReader<T>;
	readonly #held = new DisposableStore();
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #all = new Map<string, Resource<T>>();

	constructor(clients: PetstoreClients, read: StoreReader<T>, changedBy?: RegExp) {
		this.#clients = clients;
		this.#read = read;
		this.#held.add(clients.onDidDrop((id) => this.#all.get(id)?.reset()));
		this.#held.add(
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

	/** The resource of a connection. */
	of(id: string): Resource<T> {
		const known = this.#all.get(id);
		if (known !== undefined) return known;
		const clients = this.#clients;
		const resource = new Resource<T>({
			service: "petstore",
			clock: clients.parts.clock,
			writes: () => clients.writes,
			read: async (signal, before) => {
				const { client } = await clients.open(id);
				signal.throwIfAborted();
				return this.#read(client, signal, before);
			},
		});
		this.#held.add(resource.onDidChange(() => this.#changed.fire(id)));
		this.#all.set(id, resource);
		return resource;
	}

	dispose(): void {
		this.#held.dispose();
		for (const each of this.#all.values()) each.dispose();
		this.#all.clear();
	}
}
