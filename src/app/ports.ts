import type { Event } from "#base/emitter.ts";
import type { ClientError } from "#base/errors.ts";
import type { ErrorCard } from "#protocol/panel.ts";

/** The editor's secret storage: the only place where secrets are kept. */
export interface SecretStore {
	get(key: string): Promise<string | undefined>;
	set(key: string, value: string): Promise<void>;
	delete(key: string): Promise<void>;
	/** Fires with the key of an entry that this or another window changed. */
	readonly onDidChange: Event<string>;
}

/** Where the list of connections is kept: the person's own settings, never a workspace's. */
export interface ConnectionSettings {
	/** The raw setting, as the person may have edited it by hand. */
	read(): unknown;
	write(connections: readonly object[]): Promise<void>;
	readonly onDidChange: Event<void>;
}

/** The log channel. What is written is redacted before it reaches the channel. */
export interface Log {
	info(message: string): void;
	warn(message: string): void;
	error(message: string): void;
}

/** What a card about a failed reply has to know beside the error. */
export interface CardContext {
	/** The label of the connection. */
	readonly connection: string;
	readonly model: string;
}

/** Turns an error into the words and buttons a person sees. Only the editor's layer implements it. */
export type DescribeError = (error: ClientError, context: CardContext) => ErrorCard;
