/** The schemes that the editors register for themselves. */
const EDITOR_SCHEMES: ReadonlySet<string> = new Set(["vscode:", "vscode-insiders:", "code-oss:"]);

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * The address that an authorization may answer to, or undefined where it must not: a page on this machine at any port
 * (RFC 8252), the page of a port that an editor's server hands on (`<origin>/proxy/PORT/callback`), or a URI that the
 * editor handles itself. It has neither a user nor a fragment.
 */
export function redirectUriOf(text: string): URL | undefined {
	if (!URL.canParse(text)) return undefined;
	const uri = new URL(text);
	if (uri.username !== "" || uri.password !== "" || text.includes("#")) return undefined;
	if (EDITOR_SCHEMES.has(uri.protocol)) return /^[\w-]+\.[\w-]+$/.test(uri.host) ? uri : undefined;
	if (uri.protocol === "http:" && LOOPBACK.has(uri.hostname)) return uri;
	const isWeb = uri.protocol === "http:" || uri.protocol === "https:";
	return isWeb && /^\/proxy\/\d{1,5}\/callback$/.test(uri.pathname) ? uri : undefined;
}
