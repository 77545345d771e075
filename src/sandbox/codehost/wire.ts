import type { App, Installation } from "./apps.ts";
import type { Issue } from "./issues.ts";
import type { Account, Repository, Seed } from "./seed.ts";

/** Options of writing records. */
export interface WireOptions {
	/** The room's base URL, for the URLs in records. */
	readonly base: string;
	/** Only the fields that the contract names (section 2). */
	readonly lean: boolean;
	/** All accounts, to write a login out. */
	readonly accounts: Seed["accounts"];
}

/** A user or organization. `name` is left out where there is none. */
export function accountJson({ id, login, name, type }: Account, { base, lean }: WireOptions): object {
	if (lean) return { login };
	return { login, id, type, html_url: `${base}/web/${login}`, ...(name !== undefined && { name }) };
}

/** A repository. */
export function repositoryJson(repository: Repository, options: WireOptions): object {
	const full_name = `${repository.owner.login}/${repository.name}`;
	if (options.lean) return { full_name };
	const { base } = options;
	return {
		id: repository.id,
		name: repository.name,
		full_name,
		private: repository.private,
		visibility: repository.private ? "private" : "public",
		owner: accountJson(repository.owner, options),
		description: repository.description,
		html_url: `${base}/web/${full_name}`,
		url: `${base}/repos/${full_name}`,
		default_branch: "main",
		archived: false,
		has_issues: true,
		open_issues_count: repository.issues().filter((issue) => issue.closedAt === null && !issue.isPullRequest).length,
	};
}

/** An issue of a repository; a pull request has an object that says so. */
export function issueJson(issue: Issue, repository: Repository, options: WireOptions): object {
	const { number, title } = issue;
	if (options.lean) return { number, title };
	const path = `${repository.owner.login}/${repository.name}`;
	const page = `${options.base}/web/${path}/${issue.isPullRequest ? "pull" : "issues"}/${number}`;
	return {
		id: issue.id,
		number,
		title,
		state: issue.closedAt === null ? "open" : "closed",
		body: issue.body,
		user: issue.author === null ? null : author(issue.author, options),
		labels: issue.labels,
		comments: issue.comments,
		locked: false,
		assignees: [],
		milestone: null,
		url: `${options.base}/repos/${path}/issues/${number}`,
		html_url: page,
		created_at: timestamp(issue.createdAt),
		updated_at: timestamp(issue.updatedAt),
		closed_at: issue.closedAt === null ? null : timestamp(issue.closedAt),
		...(issue.isPullRequest && { pull_request: { html_url: page } }),
	};
}

/** An installation of an app. The contract shows none of its fields; `id` is what it is listed for. */
export function installationJson(installation: Installation, app: App, options: WireOptions): object {
	const { id, account } = installation;
	if (options.lean) return { id };
	const owner = options.accounts.get(account);
	return {
		id,
		app_id: app.id,
		app_slug: app.slug,
		account: author(account, options),
		target_type: owner?.type ?? "User",
		repository_selection: installation.repositories === "all" ? "all" : "selected",
		permissions: { metadata: "read", ...(installation.issues && { issues: "read" }) },
		html_url: `${options.base}/web/${account}/installations/${id}`,
		suspended_at: installation.suspended ? "2025-03-01T08:00:00Z" : null,
	};
}

/** A time as the contract writes it: ISO 8601 in whole seconds. */
export function timestamp(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** An account by its login, also one that is not known here, such as a bot. */
function author(login: string, options: WireOptions): object {
	const known = options.accounts.get(login);
	return known === undefined
		? { login, type: "Bot", html_url: `${options.base}/web/${login}` }
		: accountJson(known, options);
}
