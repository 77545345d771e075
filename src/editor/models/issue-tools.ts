import type { IssueListing } from "#api/codehost/model.ts";
import { findIssue } from "#app/codehost/find-issue.ts";
import { type IssueView, issueMatcher } from "#app/codehost/issue-view.ts";
import type { AddedRepository } from "#app/codehost/repositories.ts";
import { ownerAndName } from "#app/codehost/repository-name.ts";
import { invalid } from "#base/errors.ts";
import { described, integer, oneOf, optional } from "#base/schema.ts";
import { issueLine, issueQuote } from "../codehost/issue-text.ts";
import { HALTED_WORDS } from "../codehost/words.ts";
import { DEFAULT_LIMIT, defineTool, TOOL_CONNECTION, TOOL_LIMIT, TOOL_TEXT, type ToolWork } from "./tool.ts";

/** Issues of one repository that a search looks through at most. */
const MOST_SEARCHED = 1_000;

const NAME = described(TOOL_TEXT, "owner/name of the repository.");
const STATE = oneOf("open", "closed", "all");

/** Tools about repositories and their issues. */
export const ISSUE_TOOLS = [
	defineTool({
		name: "switchboard_list_repositories",
		displayName: "List Repositories",
		toolReferenceName: "switchboardRepositories",
		icon: "repo",
		userDescription: "List the repositories that you have added",
		modelDescription:
			"Lists the repositories that the person has added, one a line, each with the id of the connection that it is read through.",
		topic: "issues",
		writes: false,
		input: TOOL_CONNECTION,
		title: () => "List the added repositories",
		async run({ connection }, { rooms: { registry, repositories } }) {
			if (connection !== undefined) registry.require(connection, "codehost");
			const wanted = repositories.list().filter((each) => (connection ?? each.connection) === each.connection);
			if (wanted.length === 0) return "No repository is added.";
			return wanted.map((each) => `${each.repository} (connection "${each.connection}")`).join("\n");
		},
	}),
	defineTool({
		name: "switchboard_list_issues",
		displayName: "List Issues",
		toolReferenceName: "switchboardIssues",
		icon: "issues",
		userDescription: "List the issues of a repository",
		modelDescription:
			"Lists issues of a repository on the person's code host: number, title, state and labels, one issue a line. To read the text of one use switchboard_read_issue.",
		topic: "issues",
		service: "codehost",
		writes: false,
		input: {
			repository: NAME,
			state: optional(described(STATE, "Which issues; the service decides by default, which mostly means open ones.")),
			...TOOL_LIMIT,
			...TOOL_CONNECTION,
		},
		title: ({ repository, state = "" }) => `List ${`${state} issues`.trimStart()} of ${repository}`,
		async run({ repository, state, limit = DEFAULT_LIMIT }, { id, rooms, signal }) {
			const [owner, name] = ownerAndName(rooms.registry.require(id, "codehost"), repository);
			const { client } = await rooms.codehosts.open(id);
			const query = state === undefined ? {} : { state };
			const listing = await client.listIssues(owner, name, { query, limit, signal });
			const ignored = listing.ignored.length > 0 ? ["The service cannot select by state: these are of any."] : [];
			const { complete, halted } = listing;
			const rest = complete ? [] : [halted === undefined ? "There are more." : `${HALTED_WORDS[halted]}.`];
			return [...ignored, ...listing.issues.map(issueLine), ...rest].join("\n");
		},
	}),
	defineTool({
		name: "switchboard_search_issues",
		displayName: "Search Issues",
		toolReferenceName: "switchboardSearchIssues",
		icon: "search",
		userDescription: "Search the issues of the repositories that you have added",
		modelDescription:
			"Searches issues by words that must all occur in the number, title, labels or author, in all repositories that the person has added, or in one. One issue a line. To read the text of one use switchboard_read_issue.",
		topic: "issues",
		writes: false,
		input: {
			words: described(TOOL_TEXT, "Words to search for."),
			state: optional(described(STATE, "Which issues; all by default.")),
			repository: optional(described(TOOL_TEXT, "owner/name of the only repository to search.")),
			...TOOL_LIMIT,
			...TOOL_CONNECTION,
		},
		title: ({ words, repository }) => `Search issues for "${words}"${repository ? ` in ${repository}` : ""}`,
		async run({ words, state = "all", repository, connection, limit = DEFAULT_LIMIT }, work) {
			const { registry, repositories, describe } = work.rooms;
			if (connection !== undefined) registry.require(connection, "codehost");
			const named = repository?.toLowerCase();
			const wanted = repositories
				.list()
				.filter((each) => (connection ?? each.connection) === each.connection)
				.filter((each) => (named ?? each.repository.toLowerCase()) === each.repository.toLowerCase());
			if (wanted.length === 0) throw invalid("codehost", "repository", "is none of those that the person has added");
			const found: string[] = [];
			const notes: string[] = [];
			const search = async (each: AddedRepository) => {
				try {
					const { issues, complete } = await searched(each, state, work);
					const matches = issues.filter(issueMatcher({ text: words, state, sort: "service" }));
					found.push(...matches.map((issue) => `${each.repository} ${issueLine(issue)}`));
					if (!complete) notes.push(`${each.repository}: only ${issues.length} issues were searched.`);
				} catch (error) {
					work.signal.throwIfAborted();
					// One that cannot be read does not hide the others.
					const label = registry.get(each.connection)?.label ?? each.connection;
					notes.push(`${each.repository}: ${describe(error, label)}`);
				}
			};
			await Promise.all(wanted.map(search));
			const shown = found.slice(0, limit);
			return [`${shown.length} of ${found.length} matches:`, ...shown, ...notes].join("\n");
		},
	}),
	defineTool({
		name: "switchboard_read_issue",
		displayName: "Read Issue",
		toolReferenceName: "switchboardIssue",
		icon: "issue-opened",
		userDescription: "Read an issue of a repository",
		modelDescription:
			"Reads one issue of a repository on the person's code host: title, state, author, labels and description, without comments.",
		topic: "issues",
		service: "codehost",
		writes: false,
		input: { repository: NAME, number: described(integer({ min: 1 }), "Number of the issue."), ...TOOL_CONNECTION },
		title: ({ number, repository }) => `Read issue #${number} of ${repository}`,
		async run({ repository, number }, { id, rooms, signal }) {
			const full = ownerAndName(rooms.registry.require(id, "codehost"), repository).join("/");
			const { client } = await rooms.codehosts.open(id);
			const { issue, looked } = await findIssue(client, { repository: full, number }, { signal });
			if (issue !== undefined) return issueQuote(issue, full).trimEnd();
			throw invalid("codehost", "number", `${number} is not among the ${looked} issues that were looked through`);
		},
	}),
];

async function searched(
	{ repository, connection }: AddedRepository,
	state: IssueView["state"],
	{ rooms, signal }: ToolWork,
): Promise<IssueListing> {
	const [owner, name] = ownerAndName(rooms.registry.require(connection, "codehost"), repository);
	const { client } = await rooms.codehosts.open(connection);
	return client.listIssues(owner, name, { query: { state }, limit: MOST_SEARCHED, signal });
}
