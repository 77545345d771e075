import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";

/** Proxies by name: the editor's settings first, then the environment. */
export interface ProxySettings {
	/** The editor's proxy URL (`http.proxy`); takes precedence over the environment. */
	readonly proxy?: string | undefined;
	/** Hosts without a proxy (`http.noProxy`), in place of the environment's `NO_PROXY`. */
	readonly noProxy?: readonly string[] | undefined;
	/** Environment with `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, in either case. */
	readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Proxy URL for a request; null for a direct connection. */
export function proxyFor(url: URL, { proxy, noProxy, environment = {} }: ProxySettings): string | null {
	const named = (name: string) => environment[name] || environment[name.toUpperCase()];
	const ofScheme = (url.protocol === "https:" && named("https_proxy")) || named("http_proxy");
	const chosen = proxy || ofScheme || named("all_proxy");
	if (!chosen || isLoopback(url)) return null;
	const entries = (noProxy ?? [named("no_proxy") ?? ""]).join().toLowerCase();
	if (entries.split(/\/?[,;\s]+|\w+:\/\/|\/$/).some((entry) => covers(entry, url))) return null;
	return chosen.includes("://") ? chosen : `http://${chosen}`;
}

/** True for an address of this machine, which never goes through a proxy. */
export function isLoopback(url: URL): boolean {
	const host = hostOf(url);
	return `.${host}`.endsWith(".localhost") || isWithin(host, "127.0.0.0", 8) || isWithin(host, "::1");
}

/** True for an entry of `NO_PROXY`: name, `.domain`, `*`, range, `192.168.` or `<local>`; a `:port` is optional. */
function covers(entry: string, url: URL): boolean {
	const named = entry.replace(/[^:]*[^ -~][^:]*/, domainToASCII).replace(/^(?:\d+\.){1,3}$/, "$&*");
	const parts = /^(\[[^\]]+\](?:\/\d+)?|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(named) ?? [];
	const [pattern = "", port] = [parts[1]?.replaceAll(/[[\]]|\.$/g, ""), parts[2]];
	const ownPort = url.port || (url.protocol === "https:" ? "443" : "80");
	if (pattern === "" || (port !== undefined && port !== ownPort)) return false;
	const host = hostOf(url);
	if (pattern === "<local>") return isIP(host) === 0 && !host.includes(".");
	const [, address = "", bits] = /^(.*?)(?:\/(\d{1,3}))?$/.exec(pattern) ?? [];
	if (isIP(address) !== 0) return isWithin(host, address, bits === undefined ? undefined : Number(bits));
	if (!pattern.includes("*")) return `.${host}`.endsWith(pattern.startsWith(".") ? pattern : `.${pattern}`);
	return new RegExp(`^${pattern.replaceAll(/[^\w*]/g, "\\$&").replaceAll("*", ".*")}$`).test(host);
}

/** True if a host is an address within a range of `bits`, by default the address itself. */
function isWithin(host: string, address: string, bits?: number): boolean {
	const [type, most] = isIP(address) === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
	if (isIP(host) === 0 || (bits ?? most) > most) return false;
	const range = new BlockList();
	range.addSubnet(address, bits ?? most, type);
	return range.check(host, isIP(host) === 4 ? "ipv4" : "ipv6");
}

/** Host name without brackets and trailing dot. */
function hostOf({ hostname }: URL): string {
	return hostname.replaceAll(/^\[|\]$|\.$/g, "");
}
