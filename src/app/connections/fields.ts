import { invalid, type Service } from "#base/errors.ts";

/** Place of something that a person wrote: errors name it. */
export interface Place {
	readonly service: Service;
	/** Such as `switchboard.connections[0].baseUrl`, or the name of an argument. */
	readonly field: string;
}

/** The place of a part of what stands here. */
export function partOf({ service, field }: Place, name: string): Place {
	return { service, field: `${field}.${name}` };
}

/** An object. Throws `invalid`. */
export function record(value: unknown, { service, field }: Place): Record<string, unknown> {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw invalid(service, field, "must be an object");
	}
	return value as Record<string, unknown>;
}

/** A text with something in it, without the spaces around it. Throws `invalid`. */
export function text(value: unknown, { service, field }: Place): string {
	if (typeof value !== "string" || value.trim() === "") throw invalid(service, field, "must be a non-empty text");
	return value.trim();
}

/** The name of a header. Throws `invalid`. */
export function headerName(value: unknown, place: Place): string {
	return carried(text(value, place), /^[\w!#$%&'*+.^`|~-]+$/, place);
}

/** The value of a header; with spaces only where they are allowed. Throws `invalid`. */
export function headerValue(value: unknown, place: Place, { spaces = false }: { spaces?: boolean } = {}): string {
	return carried(text(value, place), spaces ? /^[\x20-\x7e]+$/ : /^[\x21-\x7e]+$/, place);
}

/** Path that is often copied along with the address of a messages service. Requests add it (contract section 4). */
const MESSAGES_ENDPOINT = /\/+v1(?:\/+messages)?$/;

const MOST_PORT = 65_535;

/**
 * A base URL: http or https, no credentials, query or fragment; the trailing slash goes, and so does the endpoint where
 * the address of a messages service ends in it. Throws `invalid`.
 */
export function decodeBaseUrl(value: unknown, place: Place): string {
	const { service, field } = place;
	const written = text(value, place);
	const [, port] = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(written) ?? [];
	if (Number(port) > MOST_PORT) throw invalid(service, field, `must have a port of at most ${MOST_PORT}`);
	const url = URL.parse(written);
	if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
		throw invalid(service, field, "must be an http or https address, such as https://api.example.com");
	}
	if (url.username !== "" || url.password !== "") {
		throw invalid(service, field, "must not contain a user name or password");
	}
	if (url.search !== "" || url.hash !== "") throw invalid(service, field, "must not contain ? or #");
	const path = url.pathname.replace(/\/+$/, "");
	return url.origin + (service === "messages" ? path.replace(MESSAGES_ENDPOINT, "") : path);
}

const THIS_MACHINE = /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** RFC 1918 and RFC 4193 addresses, and names that no public DNS server knows. */
const PRIVATE =
	/^(?:(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[f[cd][\da-f:]+\]|[^.[]+|.*\.(?:local|internal))$/;

/** True if what is sent to a base URL can be read on its way: plain http to anywhere but this machine. */
export function isReadableOnTheWay(baseUrl: string): boolean {
	const { protocol, hostname } = new URL(baseUrl);
	return protocol === "http:" && !THIS_MACHINE.test(hostname);
}

/** True for a base URL on this machine or in a private network. */
export function isPrivateAddress(baseUrl: string): boolean {
	const { hostname } = new URL(baseUrl);
	return THIS_MACHINE.test(hostname) || PRIVATE.test(hostname);
}

function carried(written: string, legal: RegExp, { service, field }: Place): string {
	if (!legal.test(written)) throw invalid(service, field, "has characters that no header can hold");
	return written;
}

/** Quotes around a key in a settings file, a script or a message. */
const QUOTED = /^(?:"(.+)"|'(.+)'|`(.+)`|\u201c(.+)\u201d|\u2018(.+)\u2019)$/s;
/** Scheme before a token in a header, the name of which may be copied along. */
const SCHEME = /^(?:authorization:\s*)?(?:bearer|token)\s+(?=\S)/i;

/** A key as it is meant: the blank space and the pair of quotes around it, which are often copied along, are no part of it. */
export function unquoted(pasted: string): string {
	const text = pasted.trim();
	const inside = QUOTED.exec(text)
		?.slice(1)
		.find((part) => part !== undefined);
	return inside === undefined ? text : unquoted(inside);
}

/**
 * Secret without the scheme before it, too. Of a key whose header is the person's own choice that
 * is not certain: the scheme may be what they want to be sent.
 */
export function pastedSecret(pasted: string): string {
	const text = unquoted(pasted);
	const bare = text.replace(SCHEME, "");
	return bare === text ? text : pastedSecret(bare);
}
