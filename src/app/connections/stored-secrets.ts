import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Emitter } from "#base/emitter.ts";
import type { Redactor } from "#base/redaction.ts";
import { registerAppSecret } from "../codehost/secret.ts";
import { registerPetstoreSecret } from "../petstore/secret.ts";
import type { KeyValueStore, Log } from "../ports.ts";
import type { Connection } from "./connection.ts";
import { type ClosedState, closedBy, closedError } from "./missing-secret.ts";
import { ownerOf } from "./owner.ts";
import type { Asking } from "./probe-options.ts";
import type { ProbeResult } from "./probe-result.ts";
import type { ConnectionRegistry } from "./registry.ts";
import { type Held, keyOf } from "./vault.ts";

/** Rooms that stored secrets work with. */
export interface StoredSecretsParts {
	readonly registry: ConnectionRegistry;
	readonly redactor: Redactor;
	readonly log: Log;
	/** Store of the owners whose secret was ever seen here: only those can lose one that is not needed. */
	readonly store: KeyValueStore;
	/** Hears what the storage has for each connection, so that a credential that is not there is told before it is used. */
	readonly onRead?: ((id: string, held: Held) => void) | undefined;
}

/** Trouble with a stored secret. */
export type SecretTrouble = Exclude<ClosedState, "signed-out">;

const KEY = "switchboard.secrets.seen";

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
	#noted: Promise<unknown> = Promise.resolve();
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

	/**
	 * Tests a connection as its registry does. A service that is well without the secret makes up for none that is gone or
	 * broken: the storage is looked at anew, as it may lose one without a word.
	 */
	async test(id: string, asking: Asking = {}): Promise<ProbeResult> {
		const { registry } = this.#parts;
		const asked = await registry.test(id, asking);
		const connection = registry.stored().find((each) => each.id === id);
		if (asked.error !== undefined || connection === undefined) return asked;
		// What cannot be read is known as trouble by then.
		await this.#learn(connection).catch(() => undefined);
		const closed = this.troubleOf(id);
		if (closed === undefined) return asked;
		return { ms: asked.ms, error: closedError(connection, { field: "key", closed }) };
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
		await this.#note(connection, held);
		if (held.state !== "present" || this.#known.has(held.secret)) return;
		try {
			if (connection.service === "petstore") registerPetstoreSecret(held.secret, redactor);
			else if (connection.service === "codehost" && connection.credential.kind !== "pat") {
				registerAppSecret(held.secret, redactor);
			}
		} catch (error) {
			this.#setTrouble(connection.id, "unreadable");
			throw error;
		}
		this.#known.add(held.secret);
	}

	/** One after the other: each adds to what those before it have noted. */
	#note(connection: Connection, held: Held): Promise<void> {
		const noted = this.#noted.then(() => this.#noteNext(connection, held));
		this.#noted = noted.catch(() => undefined);
		return noted;
	}

	async #noteNext(connection: Connection, held: Held): Promise<void> {
		const { registry, store } = this.#parts;
		const owner = keyOf(ownerOf(connection));
		const seen = seenIn(store);
		const closed = closedBy(held);
		const isLost = closed === "lost" && seen.has(owner);
		this.#setTrouble(connection.id, closed === "lost" && !isLost ? undefined : closed);
		const isSeen = held.state === "present" || (held.state === "unreadable" ? seen.has(owner) : isLost);
		if (isSeen === seen.has(owner)) return;
		const owners = new Set(registry.stored().map((each) => keyOf(ownerOf(each))));
		const others = [...seen].filter((each) => each !== owner && owners.has(each));
		await store.set(KEY, isSeen ? [...others, owner] : others);
	}

	#setTrouble(id: string, trouble: ClosedState | undefined): void {
		if (this.#troubles.get(id) === trouble) return;
		if (trouble === undefined) this.#troubles.delete(id);
		else this.#troubles.set(id, trouble);
		this.#changed.fire(id);
	}
}

/** The owners (see {@link keyOf}) of the secrets that this machine has had; another version may have written anything. */
function seenIn(store: KeyValueStore): ReadonlySet<string> {
	const stored = store.get(KEY);
	return new Set(Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : []);
}
