import type { Reply } from "#api/messages/model.ts";
import type { Event } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import type { ErrorCard } from "#protocol/panel.ts";

/** The editor's secret storage, the only place for secrets. */
export interface SecretStore {
	get(key: string): PromiseLike<string | undefined>;
	store(key: string, value: string): PromiseLike<void>;
	delete(key: string): PromiseLike<void>;
	/** Fires with the key of an entry that any window changed. */
	readonly onDidChange: Event<{ readonly key: string }>;
}

/** List of connections in the user settings, never a workspace's. */
export interface ConnectionSettings {
	/** Raw setting, possibly edited by hand. */
	read(): unknown;
	write(connections: readonly unknown[]): Promise<void>;
	readonly onDidChange: Event<void>;
}

/** Memory shared by windows. Not for secrets. */
export interface KeyValueStore {
	/** Stored value, possibly of another version of the extension. */
	get(key: string): unknown;
	set(key: string, value: unknown): Promise<void>;
}

/** Log channel. Every line is redacted before it is written. */
export interface Log {
	info(message: string): void;
	warn(message: string): void;
	error(message: string): void;
}

/** Facts for the card of a failed reply, beside the error. */
export interface CardContext {
	readonly connection: string;
	readonly connectionId?: string | undefined;
	readonly model: string;
	readonly continues?: boolean;
	readonly calls?: readonly unknown[];
}

/** End of a reply, as far as the words about it depend on it. */
export interface Ending {
	readonly outcome: Outcome;
	readonly error?: ClientError;
	/** Partial reply; absent if it cannot be continued. */
	readonly reply?: Reply;
	/** Tool use of a paused reply, in words. */
	readonly spent?: string | undefined;
}

/** Describes the end of a reply on a card; none if there is nothing to do. Implemented by the editor layer. */
export type DescribeEnding = (ending: Ending, context: CardContext) => ErrorCard | undefined;
