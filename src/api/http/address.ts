import { invalid, type Service } from "#base/errors.ts";

/** URL of an encoded path below the base URL of a service. Throws ClientError `invalid` for `base_url`. */
export function urlBelow(service: Service, baseUrl: string, path: string): URL {
	const refuse = (rule: string) => invalid(service, "base_url", rule);
	const url = URL.parse(baseUrl);
	if (url === null) throw refuse("must be a URL such as https://host/path");
	if (url.protocol !== "http:" && url.protocol !== "https:") throw refuse("must begin with http: or https:");
	if (url.username !== "" || url.password !== "") throw refuse("must not contain a user name or password");
	if (url.search !== "" || url.hash !== "") throw refuse("must not have a query or a fragment");
	url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
	return url;
}

/** Encoded segment of a path. Throws ClientError `invalid` for `field`, also for dots, which are resolved as steps. */
export function pathPart(service: Service, [field, value]: readonly [field: string, value: string]): string {
	const refuse = (rule: string) => invalid(service, field, rule);
	if (typeof value !== "string" || value.trim() === "") throw refuse("is missing");
	if (value.includes("/")) throw refuse("must not contain a slash");
	if (/[\p{Cc}\p{Cs}]/u.test(value)) throw refuse("has a character that no name has");
	if (value.split("\\").some((part) => part === "." || part === "..")) throw refuse("is not a name");
	return encodeURIComponent(value);
}

/** Headers of every request to a code host or pet store; some require a user agent. */
export const OWN_HEADERS = { "user-agent": "Switchboard", "accept-encoding": "gzip, deflate, br" } as const;

/** Headers that only the client or transport may set. */
const RESERVED =
	/^(content-type|content-length|accept|host|connection|transfer-encoding|upgrade|expect|te|keep-alive|proxy-.*)$/;

/** Adds a header of a profile. Throws ClientError `invalid` with its name, never its value. */
export function addHeader(
	headers: Record<string, string>,
	[name, value]: readonly [name: string, value: string],
	service: Service,
): void {
	const lower = name.toLowerCase();
	const refuse = (rule: string) => invalid(service, lower, rule);
	if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) throw refuse("is not a header name");
	if (RESERVED.test(lower)) throw refuse("cannot be used for this");
	if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw refuse("has a character that a header cannot carry");
	headers[lower] = value;
}
