import { invalid } from "#base/errors.ts";
import { percentDecoded } from "#base/escaped.ts";
import type { CodehostConnection } from "../connections/connection.ts";

/** Repository as a person, or git, writes it. */
interface RepositoryAddress {
	/** Host, with its port in a web address; absent for `owner/repo`. */
	readonly host?: string;
	/** True for a web address, which may lead below the repository. */
	readonly isWeb: boolean;
	readonly path: readonly string[];
}

/** Address as browsers show it: a host with a dot or a port, and a path of two names. */
const SHOWN_ADDRESS = /^(?:[\w-]+(?:\.[\w-]+)+(?::\d+)?|[\w-]+:\d+)\/[^/]+\/[^/]/;

/** Reads `owner/repo`, a web or API address with or without `https:`, or what git clones from; else undefined. */
export function addressIn(written: string): RepositoryAddress | undefined {
	const text = written.trim();
	if (text.includes("://")) {
		const url = URL.parse(text);
		if (url === null || url.hostname === "") return undefined;
		const isWeb = /^(?:git\+)?https?:$/.test(url.protocol);
		if (!isWeb && !["ssh:", "git:", "git+ssh:"].includes(url.protocol)) return undefined;
		return { host: (isWeb ? url.host : url.hostname).toLowerCase(), isWeb, path: segmentsOf(url.pathname) };
	}
	if (SHOWN_ADDRESS.test(text)) return addressIn(`https://${text}`);
	const [, host, path] = /^(?:[^@/:\s]+@)?([^@/:\s]+):(.+)$/.exec(text) ?? [];
	if (host !== undefined && path !== undefined) {
		return { host: host.toLowerCase(), isWeb: false, path: segmentsOf(path) };
	}
	const plain = segmentsOf(text);
	return plain.length === 2 && nameOf(plain) !== undefined ? { isWeb: false, path: plain } : undefined;
}

/** Reads as {@link addressIn}. Throws ClientError `invalid` for `repository`. */
export function readAddress(written: string): RepositoryAddress {
	const address = addressIn(written);
	if (address !== undefined) return address;
	throw invalid("codehost", "repository", "must be owner/repo, or the address of a repository");
}

/** `owner/repo` of an address at the host of a connection; undefined at another host. */
export function repositoryAt({ host, isWeb, path }: RepositoryAddress, connection: CodehostConnection) {
	const site = webSiteOf(connection);
	const below = (prefix: readonly string[]) =>
		prefix.every((segment, index) => path[index] === segment) ? nameOf(path.slice(prefix.length)) : undefined;
	if (host === undefined) return nameOf(path);
	if (!isWeb) {
		// Over port 443 it is `ssh.github.com`, and an alias for another account such as `github.com-work`.
		if (![host, host.replace(/^ssh\.|(?<=\.[a-z]+)-\w+$/g, "")].includes(site.hostname)) return undefined;
		// Over ssh the path of the pages is mostly left out.
		if (path.length === 2) return nameOf(path);
		return path.length === site.prefix.length + 2 ? below(site.prefix) : undefined;
	}
	const api = new URL(connection.baseUrl);
	const asApi = host === api.host ? below([...segmentsOf(api.pathname), "repos"]) : undefined;
	return asApi ?? (host === site.host ? below(site.prefix) : undefined);
}

/** Owner and name of a repository at the host of a connection. Throws ClientError `invalid` for `repository`. */
export function ownerAndName(connection: CodehostConnection, written: string): readonly [owner: string, name: string] {
	const [owner, name] = repositoryAt(readAddress(written), connection)?.split("/") ?? [];
	if (owner !== undefined && name !== undefined) return [owner, name];
	const rule = `is not an address at ${new URL(connection.baseUrl).host}, where ${connection.label} is`;
	throw invalid("codehost", "repository", rule);
}

/** Usual web page of a repository, for a service that has given none. */
export function pageOf(repository: string, connection: CodehostConnection): string {
	const { host, prefix } = webSiteOf(connection);
	return `${new URL(connection.baseUrl).protocol}//${[host, ...prefix, repository].join("/")}`;
}

/** Web site of a code host, whose API is at `api.` of it, below a path such as `/api/v3`, or where the pages are. */
export function webSiteOf({ baseUrl, profile }: CodehostConnection) {
	const { host, hostname, pathname } = new URL(baseUrl);
	if (profile === "sandbox") return { host, hostname, prefix: [...segmentsOf(pathname), "web"] };
	const isBeside = profile !== "github-enterprise" || /^api\.[\w-]+\.ghe\.com$/.test(host);
	const pages = (name: string) => (isBeside ? name.replace(/^api\./, "") : name);
	const prefix = segmentsOf(pathname.replace(/(?:\/(?:api|rest|v?\d[\d.]*))+\/*$/i, ""));
	return { host: pages(host), hostname: pages(hostname), prefix };
}

function segmentsOf(path: string): readonly string[] {
	const segments = path.split("/").filter(Boolean);
	return segments.map((segment) => percentDecoded(segment) ?? segment);
}

function nameOf([owner, last]: readonly string[]): string | undefined {
	const repo = last?.replace(/\.git$/, "");
	return isName(owner) && isName(repo) ? `${owner}/${repo}` : undefined;
}

function isName(text: string | undefined): text is string {
	return text !== undefined && /^[^\s\p{Cc}\\/#?]+$/u.test(text) && text !== "." && text !== "..";
}
