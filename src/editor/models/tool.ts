import type { Order, Pet } from "#api/petstore/model.ts";
import type { CodehostClients } from "#app/codehost/clients.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { ConnectionService } from "#app/connections/connection.ts";
import type { KnownSecrets } from "#app/connections/known-secrets.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT } from "#app/contributions.ts";
import type { PetService } from "#app/petstore/pet-service.ts";
import { LIMITS } from "#base/limits.ts";
import type { Redactor } from "#base/redaction.ts";
import { described, type FieldValues, integer, optional, type SchemaFields, text } from "#base/schema.ts";

/** Dependencies of the tools. */
export interface ToolRooms {
	readonly registry: ConnectionRegistry;
	readonly codehosts: CodehostClients;
	readonly repositories: Repositories;
	readonly statuses: CodehostStatuses;
	readonly pets: PetService;
	/** Pets that are listed in this window. */
	readonly listedPets: (connection: string) => readonly Pet[];
	readonly redactor: Redactor;
	/** Secrets that must be known before a result is redacted. */
	readonly secrets: Pick<KnownSecrets, "ready" | "closedBy">;
	/** Words for an error and its next step; `label` is that of the connection. */
	readonly describe: (error: unknown, label: string) => string;
}

/** Dependencies of one call. */
export interface ToolWork {
	/** Id of the connection; empty for a tool about several. */
	readonly id: string;
	readonly rooms: ToolRooms;
	readonly signal: AbortSignal;
}

/** Pet or order of a call as it is now, as far as it is known. */
export interface Present {
	readonly pet?: Pet | undefined;
	readonly order?: Order | undefined;
	/** Pets that are listed in this window, to tell if its name says which one it is. */
	readonly listed?: readonly Pet[];
}

/** Conditions under which tools are useful, by their `when` clauses. */
export const OFFERED = {
	[CONTEXT.hasRepositories]: ({ repositories }) => repositories.areRead,
	[CONTEXT.hasCodehost]: ({ registry }) => registry.list("codehost").length > 0,
	[CONTEXT.hasPetstore]: ({ registry }) => registry.list("petstore").length > 0,
	[`${CONTEXT.hasCodehost} || ${CONTEXT.hasPetstore}` as const]: ({ registry }) =>
		registry.list("codehost").length + registry.list("petstore").length > 0,
} as const satisfies Readonly<Record<string, (rooms: ToolRooms) => boolean>>;

/** Tool for models: manifest entry, input and implementation. */
export interface Tool<F extends SchemaFields> {
	readonly name: string;
	readonly displayName: string;
	/** Name in a prompt, after `#`. */
	readonly toolReferenceName: string;
	readonly icon: string;
	readonly userDescription: string;
	readonly modelDescription: string;
	readonly topic: "issues" | "pets" | "connections";
	readonly when: keyof typeof OFFERED;
	/** Service of the connection; absent for a tool about several. */
	readonly service?: "codehost" | "petstore";
	/** True if the person must agree first. */
	readonly writes: boolean;
	readonly input: F;
	/** Title of a call, such as "Read issue #12 of acme/app"; of a write its change: "Biscuit: available → sold". Throws `invalid` if there is none. */
	title(input: FieldValues<F>, present: Present): string;
	/** Reads what a write would change. Rejects with ClientError. */
	read?(input: FieldValues<F>, work: ToolWork): Promise<Present>;
	/** Returns text, mostly written by others. Rejects with ClientError. */
	run(input: FieldValues<F>, work: ToolWork): Promise<string>;
}

/** Definers of the tools of a topic: those that read, and those that write once the person has agreed. */
export function toolsOf(topic: Pick<Tool<SchemaFields>, "topic" | "when" | "service">) {
	type Given<F extends SchemaFields> = Pick<
		Tool<F>,
		"icon" | "userDescription" | "modelDescription" | "input" | "title" | "run"
	> &
		Pick<Partial<Tool<F>>, "when" | "service" | "read">;
	function reads<F extends SchemaFields>(name: string, displayName: string, tool: Given<F>): Tool<SchemaFields> {
		// Switchboard_list_issues is #switchboardIssues.
		const words = name.replace(/_(?:list|read|find|get)(?=_)/, "");
		const toolReferenceName = words.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
		return { ...topic, name, displayName, toolReferenceName, writes: false, ...tool };
	}
	function writes<F extends SchemaFields>(name: string, displayName: string, tool: Given<F>): Tool<SchemaFields> {
		const userDescription = `${tool.userDescription}, once you have agreed`;
		const modelDescription = `${tool.modelDescription} Asks the person first.`;
		return { ...reads(name, displayName, { ...tool, userDescription, modelDescription }), writes: true };
	}
	return { reads, writes };
}

/** Non-empty text in the input of a tool. */
export const TOOL_TEXT = text({ min: 1, max: LIMITS.toolTextCharacters });

/** Input field for the connection. */
export const TOOL_CONNECTION = {
	connection: optional(described(TOOL_TEXT, "Name of the connection. Needed only where there are several.")),
};

/** Connection of an id, or of a label that only one has: a person reads calls, and knows labels. Throws `invalid`. */
export function namedConnection<S extends ConnectionService>(name: string, service: S, registry: ConnectionRegistry) {
	const [only, other] = registry.list(service).filter(({ label }) => label === name);
	const labeled = other === undefined ? only : undefined;
	return registry.get(name, service) ?? labeled ?? registry.require(name, service);
}

/** Default length of a list. */
export const DEFAULT_LIMIT = 30;

/** Input field for the length of a list. */
export const TOOL_LIMIT = {
	limit: optional(described(integer({ min: 1, max: 100 }), `How many at most; ${DEFAULT_LIMIT} by default.`)),
};
