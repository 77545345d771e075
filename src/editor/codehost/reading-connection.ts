import type { AddedRepository } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { troubleOf } from "./words.ts";

/** The connection that a repository is read through, in words. */
export interface ReadingConnection {
	readonly name: string;
	readonly isGone: boolean;
	/** Trouble that keeps it from working, in a few words; undefined for none. */
	readonly trouble: string | undefined;
}

/** Words for the connection that a repository is read through; a refusal may be of another repository. */
export function readingConnection(
	repository: AddedRepository,
	{ registry, statuses }: { readonly registry: ConnectionRegistry; readonly statuses: Pick<CodehostStatuses, "of"> },
): ReadingConnection {
	const { connection } = repository;
	const isGone = registry.get(connection, "codehost") === undefined;
	const trouble = isGone ? undefined : troubleOf({ ...statuses.of(connection), error: null });
	return { name: connectionName(registry, repository), isGone, trouble };
}

/** The name of the connection that a repository is read through. */
export function connectionName(registry: ConnectionRegistry, { connection }: AddedRepository): string {
	return registry.get(connection, "codehost")?.label ?? "a connection that is gone";
}
