import type { Disposable } from "#base/disposables.ts";
import { ClientError, type Service } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import { flag, integer, object, optional, parsedJson, text } from "#base/schema.ts";
import { taskQueue } from "#base/task-queue.ts";
import type { Log, SecretStore } from "../ports.ts";
import { type Connection, originOf } from "./connection.ts";
import { identityOf, SERVICES } from "./services.ts";

/** Owner of a secret, found by service, origin and identity: a changed base URL never finds an old secret. */
export interface SecretOwner {
	readonly service: Service;
	/** Scheme, host and port the secret was entered for. */
	readonly origin: string;
	/** The account or connection within the origin. */
	readonly identity: string;
	/** Kind of credential, by which a secret is read; not stored. */
	readonly kind?: "pat" | "app" | undefined;
}

/** Owner of a connection's secret: a token never serves an app, nor the key of one app another. */
export function ownerOf(connection: Connection): SecretOwner {
	const { service, id, baseUrl } = connection;
	const { kind, appId } = identityOf(connection);
	return { service, origin: originOf(baseUrl), identity: [id, kind, appId].filter(Boolean).join(" "), kind };
}

/**
 * Reason why the vault gives no secret: the person has removed it, the entry is not there (lost, or never made here), or it
 * is unreadable, which leaves it in place until it is replaced or removed, and is set aside then.
 */
export type ClosedState = "signed-out" | "lost" | "unreadable";

/** Entry of the vault for an owner: its secret, or the reason why there is none. */
export type Held =
	| { readonly secret: string; readonly closed?: undefined }
	| { readonly secret?: undefined; readonly closed: ClosedState };

const VERSION = 1;

/**
 * Keeps secrets in the editor's secret storage as versioned JSON, one entry an owner, and registers each that is read, and
 * its parts, with the redactor. Nothing is cached: a secret replaced in another window is found at the next read.
 */
export class Vault {
	readonly #store: SecretStore;
	readonly #redactor: Redactor;
	readonly #log: Log;
	/** Secrets the redactor knows, for the life of the window: a log line may be written long after the last use. */
	readonly #known = new Set<string>();
	/** Runs changes one after the other, since each reads the entry first. */
	readonly #inTurn = taskQueue();

	constructor(store: SecretStore, redactor: Redactor, log: Log) {
		this.#store = store;
		this.#redactor = redactor;
		this.#log = log;
	}

	/** Fires with the storage key of an entry that this or another window changed; {@link storageKeyOf} names its owner. */
	onDidChange(listener: (key: string) => void): Disposable {
		return this.#store.onDidChange(({ key }) => listener(key));
	}

	async read(owner: SecretOwner): Promise<Held> {
		const raw = await this.#store.get(storageKeyOf(owner));
		const held = decode(raw, owner);
		if (held.secret !== undefined) this.learn(owner, held.secret);
		if (held.closed === "unreadable") {
			this.#log.warn(`The stored ${owner.service} secret for ${owner.origin} cannot be read; it was left untouched.`);
		}
		return held;
	}

	/** Stores a secret, reads it back and announces it, all or nothing. Throws `invalid` if it was not kept. */
	async write(owner: SecretOwner, secret: string, announce?: () => Promise<unknown>): Promise<void> {
		this.learn(owner, secret);
		const key = storageKeyOf(owner);
		const raw = JSON.stringify({ v: VERSION, ...owner, kind: undefined, secret });
		await this.#inTurn(async () => {
			const before = await this.#store.get(key);
			await this.#setAside(owner);
			try {
				await this.#store.store(key, raw);
				if ((await this.read(owner)).secret !== secret) throw notKept(owner);
				await announce?.();
			} catch (error) {
				await this.#putBack(owner, { raw, before });
				throw error;
			}
		});
	}

	/** Removes a secret; one that cannot be read is set aside first. Throws `invalid` when the storage kept no copy. */
	async forget(owner: SecretOwner): Promise<void> {
		await this.#inTurn(async () => {
			await this.#setAside(owner);
			await this.#store.delete(storageKeyOf(owner));
		});
	}

	/** Removes a secret and leaves a note in its place, so that it is never taken for a lost one. */
	async signOut(owner: SecretOwner): Promise<void> {
		const key = storageKeyOf(owner);
		const note = JSON.stringify({ v: VERSION, ...owner, kind: undefined, signedOut: true });
		await this.#inTurn(async () => {
			await this.#setAside(owner);
			await this.#store.store(key, note).then(undefined, () => undefined);
			// The secret is removed even if there was no room for the note.
			const { secret, closed } = await this.read(owner);
			if (secret !== undefined || closed === "unreadable") await this.#store.delete(key);
		});
	}

	/** Registers a secret that is in use and its parts with the redactor. */
	learn(owner: SecretOwner, secret: string): void {
		if (this.#known.has(secret)) return;
		this.#known.add(secret);
		for (const part of [secret, ...(partsOf(owner, secret) ?? [])])
			if (part !== undefined) this.#redactor.register(part);
	}

	/** Restores the entry after a failed write, unless another window has changed it since. Never rejects. */
	async #putBack(owner: SecretOwner, { raw, before }: { readonly raw: string; readonly before: string | undefined }) {
		const key = storageKeyOf(owner);
		try {
			if ((await this.#store.get(key)) !== raw) return;
			if (before === undefined) await this.#store.delete(key);
			else await this.#store.store(key, before);
		} catch (error) {
			const what = `A ${owner.service} secret for ${owner.origin}`;
			this.#log.warn(`${what} was stored, but is not used, and could not be taken back: ${String(error)}`);
		}
	}

	/** Copies an unreadable entry to a name of its own before it is overwritten. */
	async #setAside(owner: SecretOwner): Promise<void> {
		const key = storageKeyOf(owner);
		const raw = await this.#store.get(key);
		if (raw === undefined || decode(raw, owner).closed !== "unreadable") return;
		let copy = 1;
		for (;;) {
			const kept = await this.#store.get(`${key}#quarantine-${copy}`);
			// A restored entry has its copy already.
			if (kept === raw) return;
			if (kept === undefined) break;
			copy++;
		}
		await this.#store.store(`${key}#quarantine-${copy}`, raw);
		if ((await this.#store.get(`${key}#quarantine-${copy}`)) !== raw) throw notKept(owner);
		this.#log.warn(
			`The stored ${owner.service} secret for ${owner.origin} cannot be read; a copy of it was set aside.`,
		);
	}
}

/** The storage key of an owner. JSON keeps the three parts apart whatever characters they hold. */
export function storageKeyOf(owner: SecretOwner): string {
	return `switchboard.secret:${JSON.stringify([owner.service, owner.origin, owner.identity])}`;
}

function notKept({ service }: SecretOwner): ClientError {
	const sentence = "The editor's secret storage did not keep the secret. Check that the system keychain is unlocked.";
	return new ClientError(service, "invalid", sentence);
}

const STORED = object({
	v: integer({ min: VERSION, max: VERSION }),
	origin: text(),
	secret: optional(text()),
	signedOut: optional(flag()),
});

function decode(raw: string | undefined, owner: SecretOwner): Held {
	if (raw === undefined) return { closed: "lost" };
	const { origin, secret, signedOut = false } = parsedJson(STORED, raw) ?? {};
	const isOwn = origin === owner.origin;
	if (isOwn && secret !== undefined && partsOf(owner, secret) !== undefined) return { secret };
	return { closed: isOwn && secret === undefined && signedOut ? "signed-out" : "unreadable" };
}

/** Parts of a secret; undefined if they cannot be read. */
function partsOf({ service, kind }: SecretOwner, secret: string): readonly (string | undefined)[] | undefined {
	try {
		return SERVICES[service].secretParts(secret, kind);
	} catch {
		return undefined;
	}
}

/** Error of a missing secret; `field` is the secret's name. */
export function closedError(
	{ service, label }: Pick<Connection, "service" | "label">,
	field: string,
	closed: ClosedState,
): ClientError {
	const sentence = {
		"signed-out": `There is no ${field}`,
		lost: `The secret storage has no ${field}`,
		unreadable: `The stored ${field} cannot be read`,
	}[closed];
	const reason = closed === "signed-out" ? undefined : closed;
	return new ClientError(service, "unauthorized", `${sentence}: sign in to ${label} again`, { field, reason });
}

/** The error, or for a credential that a probe missed the reason why it is missing. */
export function withReason<E>(error: E, connection: Connection, { closed }: Held): E | ClientError {
	const isMissing = error instanceof ClientError && error.code === "unauthorized" && error.status === undefined;
	const field = isMissing ? error.field : undefined;
	return field === undefined || closed === undefined ? error : closedError(connection, field, closed);
}
