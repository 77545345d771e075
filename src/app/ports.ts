import type { Reply } from "#api/messages/model.ts";
import type { Event } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import type { ErrorCard } from "#protocol/panel.ts";

/** The editor's secret storage: the only place where secrets are kept. */
export interface SecretStore {
	get(key: string): Promise<string | undefined>;
	set(key: string, value: string): Promise<void>;
	delete(key: string): Promise<void>;
	/** Fires with the key of an entry that this or another window changed. */
	readonly onDidChange: Event<string>;
}

/** Storage of the list of connections: the person's own settings, never a workspace's. */
export interface ConnectionSettings {
	/** The raw setting, as the person may have edited it by hand. */
	read(): unknown;
	write(connections: readonly unknown[]): Promise<void>;
	readonly onDidChange: Event<void>;
}

/** Small things that are remembered between windows; public, for it is no secret storage. */
export interface KeyValueStore {
	/** Stored value, possibly written by another version of the product. */
	get(key: string): unknown;
	set(key: string, value: unknown): Promise<void>;
}

/** The log channel. What is written is redacted before it reaches the channel. */
export interface Log {
	info(message: string): void;
	warn(message: string): void;
	error(message: string): void;
}

/** Facts that a card about a failed reply needs beside the error. */
export interface CardContext {
	/** The label of the connection. */
	readonly connection: string;
	readonly connectionId?: string | undefined;
	readonly model: string;
	/** True if it is the rest of a reply. */
	readonly continues?: boolean;
	/** Calls of tools that it made. */
	readonly calls?: readonly unknown[];
}

/** End of a reply, as far as the words about it depend on it. */
export interface Ending {
	readonly outcome: Outcome;
	readonly error?: ClientError;
	/** Partial reply that was received; absent where it cannot be continued. */
	readonly reply?: Reply;
	/** Use of tools by a reply that paused, in words. */
	readonly spent?: string | undefined;
}

/** Turns an ending into the card a person sees; none where there is nothing to do. Only the editor implements it. */
export type DescribeEnding = (ending: Ending, context: CardContext) => ErrorCard | undefined;
