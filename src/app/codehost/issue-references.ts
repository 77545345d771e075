import type { Issue } from "#api/codehost/model.ts";
import type { FoundIssue } from "./issue-groups.ts";
import { type AddedRepository, type Repositories, repositoryKey } from "./repositories.ts";
import { addressIn, pageOf, repositoryAt } from "./repository-name.ts";
import { webAddress } from "./web-address.ts";

/** Reference to an issue in a text: `#12`, `owner/repo#12`, or the address of an issue's page. */
export interface IssueReference {
	/** Offsets in UTF-16 units. */
	readonly from: number;
	readonly to: number;
	readonly number: number;
	/** `owner/repo`, or the web address of the repository; undefined for `#12`. */
	readonly repository?: string | undefined;
}

/** Not `page#12`, `日本/リポ#12`, `&#12;`, `#12px` or the color `#12ab34`. Lengths are limited, so that no text takes long. */
const REFERENCE = new RegExp(
	[
		"\\b(?<page>https?://[^\\s<>\"'`()\\[\\]{}|\\\\^]{3,300}?)/(?:-/)?(?:issues|pulls?)/(?<issue>[1-9]\\d{0,8})(?!\\w)(?:[/?#][\\w./?=&%#-]*\\w|/)?",
		"(?:(?<![\\p{L}\\p{M}\\p{N}_./#&-])(?<name>[\\w-][\\w.-]{0,99}/[\\w.-]{1,100})|(?=#)(?<![\\w./#&-]|/[\\p{L}\\p{M}\\p{N}_.-]{1,100}))#(?<number>[1-9]\\d{0,8})(?![\\w-])",
	].join("|"),
	"giu",
);

/** References to issues in a text, in order. It knows nothing of a language: code and strings have them too. */
export function issueReferencesIn(text: string): readonly IssueReference[] {
	return [...text.matchAll(REFERENCE)].map(({ 0: found, index: from, groups = {} }) => {
		const { page, issue, name, number } = groups;
		return { from, to: from + found.length, number: Number(issue ?? number), repository: page ?? name };
	});
}

/**
 * Added repository that a reference leads to, undefined if it was not added. `#12` is one of `here`, whose connection
 * is preferred for the others too.
 */
export function referredRepository(
	{ repository }: Pick<IssueReference, "repository">,
	repositories: Repositories,
	here?: AddedRepository,
): AddedRepository | undefined {
	if (repository === undefined) return here;
	const address = addressIn(repository);
	const { registry } = repositories.clients.parts;
	const found = repositories.list().filter((each) => {
		const connection = registry.get(each.connection, "codehost");
		const there = connection && address && repositoryAt(address, connection);
		return there !== undefined && repositoryKey({ ...each, repository: there }) === repositoryKey(each);
	});
	return found.find(({ connection }) => connection === here?.connection) ?? found[0];
}

/** Not the address `a@b.c`, or the team or package `@acme/app`. */
const MENTION = /(?<![\p{L}\p{M}\p{N}_./@-])@([a-z\d][a-z\d-]{0,38})(?![\w/@-])/giu;

/** Links in a text of an issue, in order: its references to issues, and people where the service tells web addresses. */
export function issueLinksIn(text: string, { repository: here, issue }: FoundIssue, repositories: Repositories) {
	const site = siteOf(here, issue);
	const { registry } = repositories.clients.parts;
	const issues = issueReferencesIn(text).map(({ from, to, number, ...reference }) => {
		const added = referredRepository(reference, repositories, here);
		const connection = added && registry.get(added.connection, "codehost");
		const page = connection ? pageOf(added.repository, connection) : site && `${site}/${reference.repository}`;
		return { from, to, url: page && `${page}/issues/${number}` };
	});
	const people = [...text.matchAll(MENTION)].map(({ 0: found, 1: login, index: from }) => {
		return { from, to: from + found.length, url: site && `${site}/${login}` };
	});
	return [...issues, ...people]
		.flatMap(({ url, ...range }) => (url === undefined ? [] : { ...range, url }))
		.sort((a, b) => a.from - b.from);
}

/** Root of a service's web pages by the address of an issue; undefined where it tells none. */
export function siteOf({ repository }: AddedRepository, { htmlUrl }: Pick<Issue, "htmlUrl">): string | undefined {
	const address = webAddress(htmlUrl) ?? "";
	const at = address.toLowerCase().lastIndexOf(`/${repository.toLowerCase()}/`);
	return at < 0 ? undefined : address.slice(0, at);
}
