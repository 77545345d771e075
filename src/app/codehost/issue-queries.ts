import { flag, type Infer, list, map, number, object, optional, text, trimmed, union } from "#base/schema.ts";
import { issueParametersOf } from "../connections/codehost-profiles.ts";
import type { CodehostConnection } from "../connections/connection.ts";
import type { AddedRepository } from "./repositories.ts";

/** Value of a parameter that stands for the login of the token's owner. */
export const ME = "@me";

/** Schema of the query parameters of a listing, by their names. */
export const ISSUE_PARAMETERS = map(union(text(), number(), flag(), list(text())));

/** Schema of a query that a person has saved. */
export const SAVED_QUERY = object({
	name: trimmed(),
	/** Names of the repositories that are listed; all added ones if absent. */
	repositories: optional(list(trimmed())),
	/** Parameters as the service names them, of which `@me` is the person; none if absent. */
	parameters: optional(ISSUE_PARAMETERS),
});

/** Query whose issues are listed across repositories. Its name tells it from others. */
export type SavedQuery = Infer<typeof SAVED_QUERY>;

/** Query of every issue, the only one of a service without parameters. */
export const ALL_ISSUES: SavedQuery = { name: "All Issues" };

/** Queries about the person. */
export const MY_QUERIES: readonly SavedQuery[] = [
	{ name: "Assigned to Me", parameters: { assignee: ME } },
	{ name: "Created by Me", parameters: { creator: ME } },
	{ name: "Mentioned", parameters: { mentioned: ME } },
];

/** States by which issues are listed. */
export const STATES = ["open", "closed", "all"] as const;

/** State that a query asks for; undefined if it leaves that to the filter. */
export function stateIn({ parameters }: SavedQuery): (typeof STATES)[number] | undefined {
	return STATES.find((each) => each === parameters?.["state"]);
}

/** Parameter for which a service cannot be asked; `@me` if an app asks, which is nobody. Undefined if all can be sent. */
export function untakenOf(
	{ parameters = {} }: SavedQuery,
	{ profile, credential }: Pick<CodehostConnection, "profile" | "credential">,
): string | undefined {
	// A state that cannot be asked for is filtered from what is loaded.
	const known = ["state", ...issueParametersOf(profile)];
	const isMe = credential.kind === "app" && Object.values(parameters).flat().includes(ME);
	return Object.keys(parameters).find((name) => !known.includes(name)) ?? (isMe ? ME : undefined);
}

/** True if a query lists a repository. */
export function isAbout({ repositories }: SavedQuery, { repository }: AddedRepository): boolean {
	return repositories?.some((name) => name.toLowerCase() === repository.toLowerCase()) ?? true;
}
