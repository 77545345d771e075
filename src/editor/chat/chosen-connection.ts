import type * as vscode from "vscode";
import type { MessagesConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { Emitter } from "#base/emitter.ts";

const KEY = "switchboard.chat.connection";

/** Which connection the next message goes to: the one the person chose last, else the first there is. */
export class ChosenConnection {
	readonly #memento: vscode.Memento;
	readonly #registry: ConnectionRegistry;
	readonly #changed = new Emitter<void>();
	#id: string | undefined;

	constructor(memento: vscode.Memento, registry: ConnectionRegistry) {
		this.#memento = memento;
		this.#registry = registry;
		this.#id = memento.get<string>(KEY);
	}

	readonly onDidChange = this.#changed.event;

	/** The id chosen last, of this window or the one before it, whether or not there is such a connection now. */
	get id(): string | undefined {
		return this.#id;
	}

	get(): MessagesConnection | undefined {
		const connections = this.#registry.list("messages");
		return connections.find((each) => each.id === this.#id) ?? connections[0];
	}

	async choose(id: string): Promise<void> {
		this.#id = id;
		this.#changed.fire();
		await this.#memento.update(KEY, id);
	}
}
