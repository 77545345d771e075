import { type Disposable, DisposableStore } from "#base/disposables.ts";
import type { Redactor } from "#base/redaction.ts";
import { registerAppSecret } from "../codehost/secret.ts";
import { registerPetstoreSecret } from "../petstore/secret.ts";
import type { Log } from "../ports.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionRegistry } from "./registry.ts";
import type { Held } from "./vault.ts";

/** What stored secrets are made known with. */
export interface StoredSecretsParts {
	readonly registry: ConnectionRegistry;
	readonly redactor: Redactor;
	readonly log: Log;
	/** Hears what the storage has for each connection, so that a credential that is not there is told before it is used. */
	readonly onRead?: ((id: string, held: Held) => void) | undefined;
}

/**
 * Makes the redactor know the secrets of all stored connections, also of those that this window has not used: a person
 * may type or attach any of them.
 */
export class StoredSecrets implements Disposable {
	readonly #parts: StoredSecretsParts;
	readonly #held = new DisposableStore();
	/** Secrets whose parts are registered, for the life of the window. */
	readonly #known = new Set<string>();
	#read: Promise<unknown>;

	constructor(parts: StoredSecretsParts) {
		this.#parts = parts;
		this.#read = this.#readAll();
		const again = () => {
			this.#read = this.#readAll();
		};
		this.#held.add(parts.registry.onDidChange(again));
		this.#held.add(parts.registry.onDidChangeSecret(again));
	}

	/** Resolves once all secrets that are stored now are known. Never rejects: what cannot be read is in the log. */
	async ready(): Promise<void> {
		await this.#read;
	}

	dispose(): void {
		this.#held.dispose();
	}

	#readAll(): Promise<unknown> {
		const { registry, log } = this.#parts;
		return Promise.all(
			registry.stored().map((connection) =>
				this.#learn(connection).catch((error: unknown) => {
					log.warn(`The secret of ${connection.label} could not be read: ${String(error)}`);
				}),
			),
		);
	}

	async #learn(connection: Connection): Promise<void> {
		const { registry, redactor, onRead } = this.#parts;
		// The vault tells the redactor of the stored text as a whole.
		const held = await registry.secret(connection);
		onRead?.(connection.id, held);
		if (held.state !== "present" || this.#known.has(held.secret)) return;
		this.#known.add(held.secret);
		if (connection.service === "petstore") registerPetstoreSecret(held.secret, redactor);
		else if (connection.service === "codehost" && connection.credential.kind !== "pat") {
			registerAppSecret(held.secret, redactor);
		}
	}
}
