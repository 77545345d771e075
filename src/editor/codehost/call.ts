import type { CodehostClients } from "#app/codehost/clients.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { CodehostConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { pickConnection } from "../connections/manage-connections.ts";
import { requiredText } from "../kit/arguments.ts";
import type { Call } from "../kit/call.ts";
import { givenIn } from "../kit/command.ts";

/** Rooms that the commands about a code host's connections and repositories work with. */
export interface CodehostParts {
	readonly registry: ConnectionRegistry;
	readonly clients: CodehostClients;
	readonly repositories: Repositories;
	readonly statuses: CodehostStatuses;
	/** Asks for a code host; resolves to the id of its connection. */
	readonly addCodehost: () => Promise<string | undefined>;
	readonly revealConnection: (id: string) => Promise<void>;
}

/** The connection that a call is about: named, of the row, or chosen, among those that `fits` says yes to. */
export async function connectionOf(
	call: Call,
	{ registry }: CodehostParts,
	title: string,
	fits: (connection: CodehostConnection) => boolean = () => true,
): Promise<CodehostConnection | undefined> {
	const fields = givenIn(call);
	if (fields !== undefined) return registry.require(requiredText(fields, "connection"), "codehost");
	const picked = await pickConnection(registry.list("codehost").filter(fits), { registry, title, call });
	return picked?.service === "codehost" ? picked : undefined;
}
