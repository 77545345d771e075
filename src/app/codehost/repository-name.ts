import { type ClientError, invalid } from "#base/errors.ts";
import type { CodehostConnection } from "../connections/connection.ts";

/** What a person, or git, calls a repository. */
export interface RepositoryAddress {
	/** The host that is named, with its port where it is one of the web; absent for a plain `owner/repo`. */
	readonly host?: string;
	/** Whether it is an address of the web, which may lead to something in the repository. */
	readonly isWeb: boolean;
	readonly path: readonly string[];
}

/** Where a code host shows its repositories. */
interface WebSite {
	readonly host: string;
	readonly hostname: string;
	readonly prefix: readonly string[];
}

/**
 * Reads `owner/repo`, or an address: of a web page, of the API, or what git clones from (`https:`, `ssh:`, `git:`,
 * `git@host:owner/repo.git`). Throws ClientError `invalid` for `repository`.
 */
export function readAddress(written: string): RepositoryAddress {
	const text = written.trim();
	if (text.includes("://")) {
		const url = URL.parse(text);
		if (url === null || url.hostname === "") throw unreadable();
		const isWeb = url.protocol === "https:" || url.protocol === "http:";
		if (!isWeb && !["ssh:", "git:", "git+ssh:"].includes(url.protocol)) throw unreadable();
		return { host: (isWeb ? url.host : url.hostname).toLowerCase(), isWeb, path: segments(url.pathname) };
	}
	const [, host, path] = /^(?:[^@/:\s]+@)?([^@/:\s]+):(.+)$/.exec(text) ?? [];
	if (host !== undefined && path !== undefined) {
		return { host: host.toLowerCase(), isWeb: false, path: segments(path) };
	}
	const plain = segments(text);
	if (plain.length !== 2) throw unreadable();
	return { isWeb: false, path: plain };
}

/** The `owner/repo` that an address means at the host of a connection; undefined when it is about another host. */
export function repositoryAt(
	{ host, isWeb, path }: RepositoryAddress,
	connection: CodehostConnection,
): string | undefined {
	if (host === undefined) return nameOf(path);
	const site = siteOf(connection);
	if (!isWeb) return host === site.hostname && path.length === 2 ? nameOf(path) : undefined;
	const api = new URL(connection.baseUrl);
	const below = (prefix: readonly string[]) =>
		prefix.every((segment, index) => path[index] === segment) ? nameOf(path.slice(prefix.length)) : undefined;
	const asApi = host === api.host ? below([...segments(api.pathname), "repos"]) : undefined;
	return asApi ?? (host === site.host ? below(site.prefix) : undefined);
}

/** The web page of a repository where the service has not told one. */
export function pageOf(repository: string, connection: CodehostConnection): string {
	const { host, prefix } = siteOf(connection);
	return `${new URL(connection.baseUrl).protocol}//${[host, ...prefix, repository].join("/")}`;
}

/** Code hosts of the GitHub family have their API beside their pages: at `api.` of the host, or below `/api/v3`. */
function siteOf({ baseUrl, profile }: CodehostConnection): WebSite {
	const { host, hostname, pathname } = new URL(baseUrl);
	if (profile === "sandbox") return { host, hostname, prefix: [...segments(pathname), "web"] };
	const isHosted = host === "api.github.com" || /^api\.[\w-]+\.ghe\.com$/.test(host);
	return isHosted
		? { host: host.slice("api.".length), hostname: hostname.slice("api.".length), prefix: [] }
		: { host, hostname, prefix: [] };
}

function nameOf([owner, last]: readonly string[]): string | undefined {
	const repo = last?.replace(/\.git$/, "");
	return isName(owner) && isName(repo) ? `${owner}/${repo}` : undefined;
}

function isName(text: string | undefined): text is string {
	return text !== undefined && /^[^\s\p{Cc}\\/]+$/u.test(text) && text !== "." && text !== "..";
}

function segments(path: string): readonly string[] {
	return path
		.split("/")
		.filter((segment) => segment !== "")
		.map(decoded);
}

function decoded(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

function unreadable(): ClientError {
	return invalid("codehost", "repository", "must be owner/repo, or the address of a repository");
}
