import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { Redactor } from "#base/redaction.ts";
import { registerAppSecret } from "../codehost/secret.ts";
import { registerPetstoreSecret } from "../petstore/secret.ts";
import type { Log } from "../ports.ts";
import type { Connection } from "./connection.ts";
import { type ClosedState, closedBy } from "./missing-secret.ts";
import type { ConnectionRegistry } from "./registry.ts";
import type { Held } from "./vault.ts";

/** Rooms that stored secrets work with. */
export interface StoredSecretsParts {
	readonly registry: ConnectionRegistry;
	readonly redactor: Redactor;
	readonly log: Log;
	/** Hears what the storage has for each connection, so that a credential that is not there is told before it is used. */
	readonly onRead?: ((id: string, held: Held) => void) | undefined;
}

/** Trouble with a stored secret. */
export type SecretTrouble = Exclude<ClosedState, "signed-out">;

/**
 * Makes the redactor know the secrets of all stored connections, also of those that this window has not used: a person
 * may type or attach any of them. Knows of each connection whether its secret is gone or broken.
 */
export class StoredSecrets implements Disposable {
	readonly #parts: StoredSecretsParts;
	readonly #held = new DisposableStore();
	/** Secrets whose parts are registered, for the life of the window. */
	readonly #known = new Set<string>();
	readonly #changed = this.#held.add(new Emitter<string>());
	readonly #troubles = new Map<string, ClosedState>();
	#read: Promise<unknown>;

	constructor(parts: StoredSecretsParts) {
		this.#parts = parts;
		this.#read = this.#readAll(parts.registry.stored());
		const again = (...ids: readonly string[]) => {
			const others = parts.registry.stored().filter(({ id }) => ids.includes(id));
			this.#read = Promise.all([this.#read, this.#readAll(others)]);
		};
		this.#held.add(parts.registry.onDidChange((ids) => again(...ids)));
		this.#held.add(parts.registry.onDidChangeSecret((id) => again(id)));
	}

	/** Fires with the id of a connection whose trouble has come or gone, or that was signed out or in. */
	readonly onDidChange = this.#changed.event;

	/** Trouble with the secret of a connection; undefined where there is none, or nothing is known. */
	troubleOf(id: string): SecretTrouble | undefined {
		const trouble = this.#troubles.get(id);
		return trouble === "signed-out" ? undefined : trouble;
	}

	/** True if the person has signed out of a connection and not in again. */
	isSignedOut(id: string): boolean {
		return this.#troubles.get(id) === "signed-out";
	}

	/** Resolves once all secrets that are stored now are known. Never rejects: what cannot be read is in the log. */
	async ready(): Promise<void> {
		await this.#read;
	}

	dispose(): void {
		this.#held.dispose();
	}

	#readAll(connections: readonly Connection[]): Promise<unknown> {
		return Promise.all(
			connections.map((connection) =>
				this.#learn(connection).catch((error: unknown) => {
					this.#parts.log.warn(`The secret of ${connection.label} could not be read: ${String(error)}`);
				}),
			),
		);
	}

	async #learn(connection: Connection): Promise<void> {
		const { registry, redactor, onRead } = this.#parts;
		// The vault tells the redactor of the stored text as a whole.
		const held = await registry.secret(connection);
		onRead?.(connection.id, held);
		const closed = closedBy(held);
		// Other services may need no secret.
		this.#setTrouble(connection.id, closed === "lost" && connection.service !== "codehost" ? undefined : closed);
		if (held.state !== "present" || this.#known.has(held.secret)) return;
		if (connection.service === "petstore") registerPetstoreSecret(held.secret, redactor);
		else if (connection.service === "codehost" && connection.credential.kind !== "pat") {
			registerAppSecret(held.secret, redactor);
		}
		this.#known.add(held.secret);
	}

	#setTrouble(id: string, trouble: ClosedState | undefined): void {
		if (this.#troubles.get(id) === trouble) return;
		if (trouble === undefined) this.#troubles.delete(id);
		else this.#troubles.set(id, trouble);
		this.#changed.fire(id);
	}
}
