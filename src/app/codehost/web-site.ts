import type { CodehostConnection } from "../connections/connection.ts";
import { webAddress } from "./web-address.ts";

/** Where a code host shows its accounts and repositories: `{prefix}/{owner}/{repo}` on a host. */
export interface WebSite {
	/** With its port, if it has one. */
	readonly host: string;
	readonly hostname: string;
	readonly prefix: readonly string[];
}

/** Code hosts of the GitHub family have their API beside their pages: at `api.` of the host, or below `/api/v3`. */
export function usualSite({ baseUrl, profile }: CodehostConnection): WebSite {
	const { host, hostname, pathname } = new URL(baseUrl);
	if (profile === "sandbox") return { host, hostname, prefix: [...segmentsOf(pathname), "web"] };
	const isHosted = host === "api.github.com" || /^api\.[\w-]+\.ghe\.com$/.test(host);
	return isHosted
		? { host: host.slice(API.length), hostname: hostname.slice(API.length), prefix: [] }
		: { host, hostname, prefix: [] };
}

/**
 * Whether a host may be that of a connection's pages, and only its service can tell below which path: nothing is known of
 * the service's kind, and the host is the API's own or the one that the API stands before as `api.`.
 */
export function mayHavePagesAt(host: string, connection: CodehostConnection): boolean {
	const { profile } = connection;
	return (typeof profile === "object" || profile === "custom") && isBeside(host, connection);
}

/**
 * The site whose page of an account the service has told, which is that of the account's name. Undefined where it tells
 * none, or one of a host that has nothing to do with the API's.
 */
export function siteOfAccount(
	{ login, htmlUrl }: { readonly login: string; readonly htmlUrl: string | null },
	connection: CodehostConnection,
): WebSite | undefined {
	const address = webAddress(htmlUrl);
	if (address === undefined) return undefined;
	const { host, hostname, pathname } = new URL(address);
	const path = segmentsOf(pathname);
	const last = path.at(-1);
	if (last?.toLowerCase() !== login.toLowerCase() || !isBeside(host, connection)) return undefined;
	return { host, hostname, prefix: path.slice(0, -1) };
}

function isBeside(host: string, { baseUrl }: CodehostConnection): boolean {
	const api = new URL(baseUrl);
	return [api.host, api.hostname].some((each) => each === host || each === `${API}${host}`);
}

/** The parts of a path, decoded. */
export function segmentsOf(path: string): readonly string[] {
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

const API = "api.";
