import { issueMatcher } from "#app/codehost/issue-list.ts";
import { findIssue } from "#app/codehost/issue-lists.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import { ownerAndName } from "#app/codehost/repository-name.ts";
import { CONTEXT } from "#app/contributions.ts";
import { ClientError, invalid } from "#base/errors.ts";
import { described, integer, oneOf, optional } from "#base/schema.ts";
import { issueLine, issueQuote } from "../codehost/issue-text.ts";
import { quoted } from "../kit/text.ts";
import { HALTED_WORDS } from "../words/codehost-words.ts";
import {
	DEFAULT_LIMIT,
	namedConnection,
	TOOL_CONNECTION,
	TOOL_LIMIT,
	TOOL_TEXT,
	type ToolRooms,
	toolsOf,
} from "./tool.ts";

/** Issues that one call searches in all repositories. */
const MOST_SEARCHED = 1_000;

const NAME = described(TOOL_TEXT, "owner/name of the repository.");
const STATE = oneOf("open", "closed", "all");

/** Error for a repository that is not added, or if none is. */
export function notAdded(repository?: string): ClientError {
	const what =
		repository === undefined ? "No repository is added" : `${repository} is not among the added repositories`;
	return new ClientError("codehost", "invalid", `${what}. Use Add Repository first`, { field: "repository" });
}

const { reads } = toolsOf({ topic: "issues", when: CONTEXT.hasRepositories });

/** Tools about repositories and their issues. */
export const ISSUE_TOOLS = [
	reads("switchboard_list_repositories", "List Repositories", {
		icon: "repo",
		userDescription: "List the repositories that you have added",
		modelDescription:
			"Lists the repositories that the person has added, one a line, each with the connection that it is read through.",
		input: TOOL_CONNECTION,
		title: () => "List the added repositories",
		run: async ({ connection: only }, { rooms }) =>
			added(only, rooms)
				.map(({ repository, connection }) => `${repository} (connection "${rooms.registry.labelOf(connection)}")`)
				.join("\n") || "No repository is added.",
	}),
	reads("switchboard_list_issues", "List Issues", {
		icon: "issues",
		userDescription: "List the issues of a repository",
		modelDescription:
			"Lists issues of a repository that the person has added: number, title, state and labels, one issue a line. To read the text of one use switchboard_read_issue.",
		service: "codehost",
		input: {
			repository: NAME,
			state: optional(described(STATE, "Which issues; the service decides by default, which mostly means open ones.")),
			...TOOL_LIMIT,
			...TOOL_CONNECTION,
		},
		title: ({ repository, state = "" }) => `List ${`${state} issues`.trimStart()} of ${quoted(repository)}`,
		async run({ repository, state, limit = DEFAULT_LIMIT }, { id, rooms, signal }) {
			const [owner, name] = addedName(repository, id, rooms);
			const { client } = await rooms.codehosts.open(id);
			const query = state === undefined ? {} : { state };
			const listing = await client.listIssues(owner, name, { query, limit, signal });
			const ignored = listing.ignored.length > 0 ? ["The service cannot select by state: these are of any."] : [];
			const { complete, halted, malformed = 0 } = listing;
			const rest = complete ? [] : [halted === undefined ? "There are more." : `${HALTED_WORDS[halted]}.`];
			if (malformed > 0) rest.push(`${malformed} more could not be read.`);
			return [...ignored, ...listing.issues.map(issueLine), ...rest].join("\n");
		},
	}),
	reads("switchboard_search_issues", "Search Issues", {
		icon: "search",
		userDescription: "Search the issues of the repositories that you have added",
		modelDescription:
			"Searches issues by words that must all occur in the number, title, labels or author, in all repositories that the person has added, or in one. One issue a line. To read the text of one use switchboard_read_issue.",
		input: {
			words: described(TOOL_TEXT, "Words to search for."),
			state: optional(described(STATE, "Which issues; all by default.")),
			repository: optional(described(TOOL_TEXT, "owner/name of the only repository to search.")),
			...TOOL_LIMIT,
			...TOOL_CONNECTION,
		},
		title: ({ words, repository }) =>
			`Search issues for ${JSON.stringify(words)}${repository ? ` in ${quoted(repository)}` : ""}`,
		async run({ words, state = "all", repository, connection, limit = DEFAULT_LIMIT }, { rooms, signal }) {
			const { registry, codehosts, describe } = rooms;
			const isNamed = (each: string) => (repository ?? each).toLowerCase() === each.toLowerCase();
			const wanted = added(connection, rooms).filter((each) => isNamed(each.repository));
			if (wanted.length === 0) throw notAdded(repository);
			const isMatch = issueMatcher({ text: words, state });
			const share = Math.ceil(MOST_SEARCHED / wanted.length);
			const search = async ({ repository, connection: id }: AddedRepository) => {
				try {
					const [owner, name] = ownerAndName(registry.require(id, "codehost"), repository);
					const { client } = await codehosts.open(id);
					const query = { state };
					const { issues, complete } = await client.listIssues(owner, name, { query, limit: share, signal });
					const found = issues.filter(isMatch).map((issue) => `${repository} ${issueLine(issue)}`);
					const note = `${repository}: only ${issues.length} issues were searched. Name this repository to search more.`;
					return { found, notes: complete ? [] : [note] };
				} catch (error) {
					signal.throwIfAborted();
					// One that cannot be read does not hide the others.
					return { found: [], notes: [`${repository}: ${describe(error, registry.labelOf(id))}`] };
				}
			};
			const results = await Promise.all(wanted.map(search));
			const found = results.flatMap((each) => each.found);
			const notes = results.flatMap((each) => each.notes);
			const head = `${Math.min(found.length, limit)} of ${found.length} matches:`;
			return [head, ...found.slice(0, limit), ...notes].join("\n");
		},
	}),
	reads("switchboard_read_issue", "Read Issue", {
		icon: "issue-opened",
		userDescription: "Read an issue of a repository",
		modelDescription:
			"Reads one issue of a repository that the person has added: title, state, author, labels and description, without comments.",
		service: "codehost",
		input: { repository: NAME, number: described(integer({ min: 1 }), "Number of the issue."), ...TOOL_CONNECTION },
		title: ({ number, repository }) => `Read issue #${number} of ${quoted(repository)}`,
		async run({ repository, number }, { id, rooms, signal }) {
			const full = addedName(repository, id, rooms).join("/");
			const { client } = await rooms.codehosts.open(id);
			const options = { signal, most: MOST_SEARCHED };
			const { issue, looked, complete } = await findIssue(client, { repository: full, number }, options);
			if (issue !== undefined) return issueQuote(issue, full).trimEnd();
			const among = `is not among the ${looked} issues that were looked through`;
			throw invalid("codehost", "number", `${number} ${among}${complete ? "" : "; the rest was left out"}`);
		},
	}),
];

/** Owner and name of an added repository. Throws `invalid` for another: an issue could lure a model there. */
function addedName(written: string, connection: string, rooms: ToolRooms): readonly [owner: string, name: string] {
	const found = ownerAndName(rooms.registry.require(connection, "codehost"), written);
	const wanted = found.join("/").toLowerCase();
	if (!added(connection, rooms).some(({ repository }) => repository.toLowerCase() === wanted)) throw notAdded(written);
	return found;
}

/** Repositories of a connection, or all. Throws `invalid` for the connection. */
function added(connection: string | undefined, { registry, repositories }: ToolRooms): readonly AddedRepository[] {
	if (connection === undefined) return repositories.list();
	const { id } = namedConnection(connection, "codehost", registry);
	return repositories.list().filter((each) => each.connection === id);
}
