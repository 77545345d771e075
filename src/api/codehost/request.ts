import { addHeader, OWN_HEADERS, pathPart, urlBelow } from "../http/address.ts";
import type { CodehostProfile, IssueQuery } from "./model.ts";

/** Address and dialect of a code host. */
export interface CodehostEndpoint {
	/** `http:` or `https:`, with or without a path; the paths of contract section 4 are added to it. */
	readonly baseUrl: string;
	readonly profile: CodehostProfile;
}

/** Page size, if the service lets it be chosen. */
const PAGE_SIZE = 100;

const part = (field: string, value: string): string => pathPart("codehost", [field, value]);

/** Address of an operation (contract section 4). Throws ClientError `invalid` for `base_url`. */
export function operationUrl({ baseUrl }: CodehostEndpoint, path: string): URL {
	return urlBelow("codehost", baseUrl, path);
}

/** The path of a repository. Throws ClientError `invalid` for `owner` or `repo`. */
export function repositoryPath(owner: string, repo: string): string {
	return `/repos/${part("owner", owner)}/${part("repo", repo)}`;
}

/** Address of the first page of a listing, and the parameters that the service does not know. */
export function issuesUrl(
	endpoint: CodehostEndpoint,
	path: string,
	query: IssueQuery = {},
): { readonly url: URL; readonly ignored: readonly string[] } {
	const url = operationUrl(endpoint, `${path}/issues`);
	const { issueQuery: known = [], issueQueryNames = {}, fixedIssueQuery = {} } = endpoint.profile;
	for (const [name, value] of Object.entries(fixedIssueQuery)) url.searchParams.set(name, value);
	const ignored: string[] = [];
	for (const [name, value] of Object.entries(query)) {
		const own = issueQueryNames[name] ?? name;
		// A list becomes its items with commas between them.
		if (known.includes(own)) url.searchParams.set(own, String(value));
		else ignored.push(name);
	}
	if (known.includes("per_page") && query["per_page"] === undefined) {
		url.searchParams.set("per_page", String(PAGE_SIZE));
	}
	return { url, ignored };
}

/** The headers of every request (contract section 5), named by the profile. Throws ClientError `invalid` for a name. */
export function wireHeaders(profile: CodehostProfile, token: string): Record<string, string> {
	return { ...anonymousHeaders(profile), authorization: `Bearer ${token}` };
}

/** Headers of a request that carries no token. */
export function anonymousHeaders(profile: CodehostProfile): Record<string, string> {
	const headers: Record<string, string> = { accept: profile.accept, ...OWN_HEADERS };
	if (profile.versionHeader !== undefined && profile.version !== undefined) {
		addHeader(headers, [profile.versionHeader, profile.version], "codehost");
	}
	return headers;
}
