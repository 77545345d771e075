import type { CodehostClients } from "#app/codehost/clients.ts";
import type { Repositories } from "#app/codehost/repositories.ts";
import type { CodehostStatuses } from "#app/codehost/status.ts";
import type { KnownSecrets } from "#app/connections/known-secrets.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT } from "#app/contributions.ts";
import type { PetService } from "#app/petstore/pet-service.ts";
import { LIMITS } from "#base/limits.ts";
import type { Redactor } from "#base/redaction.ts";
import { described, type FieldValues, integer, optional, type SchemaFields, text } from "#base/schema.ts";

/** Rooms that the tools work with. */
export interface ToolRooms {
	readonly registry: ConnectionRegistry;
	readonly codehosts: CodehostClients;
	readonly repositories: Repositories;
	readonly statuses: CodehostStatuses;
	readonly pets: PetService;
	/** Name of a pet of a connection, where a list that is loaded has it. */
	readonly petName: (connection: string, pet: string) => string | undefined;
	readonly redactor: Redactor;
	/** Secrets that the redactor has to know before a result leaves. */
	readonly secrets: Pick<KnownSecrets, "ready" | "closedBy">;
	/** Error of a service and the next step in words, for the connection of that label. */
	readonly describe: (error: unknown, label: string) => string;
}

/** Surroundings of a call. */
interface ToolWork {
	/** Id of the connection; empty for a tool about several. */
	readonly id: string;
	readonly rooms: ToolRooms;
	readonly signal: AbortSignal;
}

type WhatThereIs = Pick<ToolRooms, "registry" | "repositories">;

/** Conditions under which tools have something to work on, by the clause for the manifest. */
export const OFFERED = {
	[CONTEXT.hasRepositories]: ({ repositories }: WhatThereIs) => repositories.areRead,
	[CONTEXT.hasCodehost]: ({ registry }: WhatThereIs) => registry.list("codehost").length > 0,
	[CONTEXT.hasPetstore]: ({ registry }: WhatThereIs) => registry.list("petstore").length > 0,
	[`${CONTEXT.hasCodehost} || ${CONTEXT.hasPetstore}` as const]: ({ registry }: WhatThereIs) =>
		registry.list("codehost").length + registry.list("petstore").length > 0,
} as const;

/** A tool that models can call: its entry in the manifest, its input and its implementation. */
export interface Tool<F extends SchemaFields> {
	readonly name: string;
	readonly displayName: string;
	/** Name in a prompt, behind `#`. */
	readonly toolReferenceName: string;
	readonly icon: string;
	readonly userDescription: string;
	readonly modelDescription: string;
	/** Tag of the manifest. */
	readonly topic: "issues" | "pets" | "connections";
	/** Condition under which it is offered. */
	readonly when: keyof typeof OFFERED;
	/** Service of the connection that a call goes to; absent for a tool about several connections. */
	readonly service?: "codehost" | "petstore";
	/** True if it changes something: a person is asked first. */
	readonly writes: boolean;
	readonly input: F;
	/** Title of a call: "Read issue #12 of acme/app". `pet` is the pet of its input in words: "Biscuit (pet 2)". */
	title(input: FieldValues<F>, pet: string): string;
	/** Resolves to text, most of which others wrote. Rejects with ClientError. */
	run(input: FieldValues<F>, work: ToolWork): Promise<string>;
}

/** Functions that define the tools of a topic: those that only read, and those that write once the person has agreed. */
export function toolsOf(topic: Pick<Tool<SchemaFields>, "topic" | "when" | "service">) {
	type Given<F extends SchemaFields> = Pick<
		Tool<F>,
		"icon" | "userDescription" | "modelDescription" | "input" | "title" | "run"
	> &
		Pick<Partial<Tool<F>>, "when" | "service">;
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

/** Text of at least one character in the input of a tool. */
export const TOOL_TEXT = text({ min: 1, max: LIMITS.toolTextCharacters });

/** Field for the connection of a call. */
export const TOOL_CONNECTION = {
	connection: optional(described(TOOL_TEXT, "Id of the connection. Needed only where there are several.")),
};

/** Most items of a list where a call names no limit. */
export const DEFAULT_LIMIT = 30;

/** Field for the limit of a list. */
export const TOOL_LIMIT = {
	limit: optional(described(integer({ min: 1, max: 100 }), `How many at most; ${DEFAULT_LIMIT} by default.`)),
};
