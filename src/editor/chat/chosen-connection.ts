import type { MessagesConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { Clock } from "#base/clock.ts";
import { type Disposable, ResourceOwner } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";

const KEY = "switchboard.chat.connection";

/** Time in which a connection may be gone, such as that of a restarted sandbox, in ms. */
const SETTLED_MS = 300;

/** Connection of new conversations: the one chosen last, else the first. */
export class ChosenConnection extends ResourceOwner {
	readonly #store: KeyValueStore;
	readonly #registry: ConnectionRegistry;
	readonly #clock: Clock;
	readonly #changed = this.held.add(new Emitter<void>());
	readonly #replaced = this.held.add(new Emitter<Readonly<Record<"gone" | "now", MessagesConnection>>>());
	/** Id chosen last, even if the connection is gone. */
	id: string | undefined;
	#inUse: MessagesConnection | undefined;
	#settling: Disposable | undefined;

	constructor(store: KeyValueStore, registry: ConnectionRegistry, clock: Clock) {
		super();
		this.#store = store;
		this.#registry = registry;
		this.#clock = clock;
		const id = store.get(KEY);
		this.id = typeof id === "string" ? id : undefined;
		this.#inUse = this.get();
		this.held.add(registry.onDidChange(() => this.#settle()));
		this.held.add({ dispose: () => this.#settling?.dispose() });
	}

	readonly onDidChange = this.#changed.event;

	/** Fires when the connection in use was removed, and another takes its place. */
	readonly onDidReplace = this.#replaced.event;

	get(): MessagesConnection | undefined {
		const connections = this.#registry.list("messages");
		return connections.find((each) => each.id === this.id) ?? connections[0];
	}

	async choose(id: string): Promise<void> {
		this.id = id;
		this.#inUse = this.get();
		this.#changed.fire();
		await this.#store.set(KEY, id);
	}

	#settle(): void {
		this.#settling?.dispose();
		this.#settling = this.#clock.after(SETTLED_MS, () => {
			const before = this.#inUse;
			const now = this.get();
			this.#inUse = now;
			if (before === undefined || now === undefined || before.id === now.id) return;
			if (this.#registry.get(before.id) === undefined) this.#replaced.fire({ gone: before, now });
		});
	}
}
