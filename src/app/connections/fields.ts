import { convert, oneOf, refine, type Schema, trimmed } from "#base/schema.ts";

/** Preset of a service. */
export interface Preset {
	/** Label in the list. */
	readonly label: string;
	/** Label beside a host; by default the same. */
	readonly shortLabel?: string;
	/** Line below it; by default the base URL. */
	readonly detail?: string;
	/** Absent if the person has to enter it. */
	readonly baseUrl?: string;
	/** Another usual address. */
	readonly otherBaseUrl?: string;
	/** Path of the API below the pages of the service. */
	readonly apiPath?: string;
	/** The page where keys or tokens are made, and that where apps are. */
	readonly keyPage?: string;
	readonly appPage?: string;
	/** True if it refuses every request without a key. */
	readonly needsKey?: true;
	/** The only kind of credential there, where its service has several. */
	readonly kind?: string;
	/** An example of a base URL, for a placeholder. */
	readonly exampleBaseUrl?: string;
}

/** Profile of a connection: a preset's name, or an object of differences. */
export function profile<N extends string, T>(presets: Readonly<Record<N, unknown>>, own: Schema<T>): Schema<N | T> {
	// The keys of the table are its names.
	const named = oneOf(...(Object.keys(presets) as N[]));
	return {
		json: { anyOf: [named.json, own.json] },
		read: (value, place) => (typeof value === "string" ? named : own).read(value, place),
	};
}

/** Name of a header. */
export const HEADER_NAME = ofCharacters(/^[\w!#$%&'*+.^`|~-]+$/);

/** Value of a header, without spaces in it. */
export const HEADER_VALUE = ofCharacters(/^[\x21-\x7e]+$/);

/** Value of a header with spaces, such as a list of media types. */
export const HEADER_LIST = ofCharacters(/^[\x20-\x7e]+$/);

function ofCharacters(legal: RegExp): Schema<string> {
	return refine(trimmed(), (text) => (legal.test(text) ? undefined : "has characters that no header can hold"));
}

/** Scheme of an address; a number behind the colon is the port of a host. */
const URL_SCHEME = /^[a-z][a-z\d+.-]*:(?!\d+(?:[/?#]|$))/i;

/** Address with the scheme that a person left out, and without copied quotes: http for this machine, else https. */
function withScheme(pasted: string): string {
	const written = unquoted(pasted);
	if (URL_SCHEME.test(written)) return written;
	const url = URL.parse(`http://${written}`);
	return `${url !== null && isThisMachine(url) ? "http" : "https"}://${written}`;
}

/** A base URL: http or https, also left out, no credentials, query or fragment, and no trailing slash. */
export const BASE_URL = convert(
	refine(convert(trimmed(), withScheme), (written) => {
		const url = URL.parse(written);
		const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
		if (!isWeb) return "must be an http or https address, such as https://api.example.com";
		if (url.username !== "" || url.password !== "") return "must not contain a user name or password";
		return url.search !== "" || url.hash !== "" ? "must not contain ? or #" : undefined;
	}),
	(written) => {
		const { origin, pathname } = new URL(written);
		return origin + pathname.replace(/\/+$/, "");
	},
);

const THIS_MACHINE = /^(?:(?:.*\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/;

/** RFC 1918 and RFC 4193 addresses, and names that no public DNS server knows. */
const PRIVATE =
	/^(?:(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.[\d.]+|\[f[cd][\da-f:]+\]|[^.[]+|.*\.(?:local|internal))$/;

/** True if what is sent to a base URL can be read on its way: plain http to anywhere but this machine. */
export function isReadableOnTheWay(baseUrl: string): boolean {
	const url = new URL(baseUrl);
	return url.protocol === "http:" && !isThisMachine(url);
}

/** True for an address of this machine. */
export function isThisMachine({ hostname }: URL): boolean {
	return THIS_MACHINE.test(hostname);
}

/** Address by which presets name this machine. */
export function usualAddress(baseUrl: string): string {
	return baseUrl.replace(/^http:\/\/(?:localhost|\[::1\]|0\.0\.0\.0)(?=:|$)/, "http://127.0.0.1");
}

/** True for a base URL on this machine or in a private network. */
export function isPrivateAddress(baseUrl: string): boolean {
	const url = new URL(baseUrl);
	return isThisMachine(url) || PRIVATE.test(url.hostname);
}

/** Quotes around a key in a settings file, a script or a message. */
const QUOTED = /^(?:"(.+)"|'(.+)'|`(.+)`|\u201c(.+)\u201d|\u2018(.+)\u2019)$/s;
/** Scheme before a token in a header, the name of which may be copied along. */
const SCHEME = /^(?:authorization:\s*)?(?:bearer|token)\s+(?=\S)/i;

/** Key without surrounding space and quotes, which are often copied along. */
export function unquoted(pasted: string): string {
	const text = pasted.trim();
	const [, ...groups] = QUOTED.exec(text) ?? [];
	const inside = groups.find((part) => part !== undefined);
	return inside === undefined ? text : unquoted(inside);
}

/** Key without a copied scheme either. Not for keys whose header is configurable: the scheme may be intended. */
export function pastedSecret(pasted: string): string {
	const text = unquoted(pasted);
	const bare = text.replace(SCHEME, "");
	return bare === text ? text : pastedSecret(bare);
}
