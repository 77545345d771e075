/** Proxies by name: the editor's settings first, then the environment. */
export interface ProxySettings {
	/** The editor's own proxy URL (`http.proxy`); it wins over the environment. */
	readonly proxy?: string | undefined;
	/** Hosts that are reached without a proxy (`http.noProxy`), in place of the environment's `NO_PROXY`. */
	readonly noProxy?: readonly string[] | undefined;
	/** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, in either case; the caller passes `process.env`, or nothing. */
	readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The proxy a request to `url` has to take, or null for a direct connection. */
export function proxyFor(url: URL, settings: ProxySettings): string | null {
	const environment = settings.environment ?? {};
	const http = environment["http_proxy"] || environment["HTTP_PROXY"];
	const https = environment["https_proxy"] || environment["HTTPS_PROXY"] || http;
	const proxy = settings.proxy || (url.protocol === "https:" ? https : http);
	if (!proxy) return null;
	const noProxy = settings.noProxy ?? (environment["no_proxy"] || environment["NO_PROXY"] || "").split(/[,\s]+/);
	return isLoopback(url) || noProxy.some((entry) => covers(entry.trim(), url)) ? null : proxy;
}

/** True if the URL points at this machine, where no proxy has any business. */
export function isLoopback(url: URL): boolean {
	const host = hostOf(url);
	return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * True if a `NO_PROXY` entry names the URL's host: `*`, `host`, `.domain` and `domain` (with what is below it),
 * `*.domain` (only what is below it), each with an optional `:port`.
 */
function covers(entry: string, url: URL): boolean {
	const [, pattern = "", port] = /^(\[[^\]]+\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
	if (pattern === "") return false;
	const ownPort = url.port || (url.protocol === "https:" ? "443" : "80");
	if (port !== undefined && port !== ownPort) return false;
	if (pattern === "*") return true;
	const host = hostOf(url);
	const name = pattern
		.replace(/^\[|\]$/g, "")
		.replace(/^\*?\./, "")
		.replace(/\.$/, "");
	return host.endsWith(`.${name}`) || (host === name && !pattern.startsWith("*"));
}

/** The host name without brackets, trailing dot or capitals. */
function hostOf(url: URL): string {
	return url.hostname
		.replace(/^\[|\]$/g, "")
		.replace(/\.$/, "")
		.toLowerCase();
}
