import { REDACTED } from "#base/redaction.ts";
import type { LoggedRequest } from "./request-log.ts";

/** Place of a secret in a body: the whole value of a field. */
const SECRET_VALUE = /(?<=[">=])\{\w+\}(?=["<&]|$)|\[redacted\]/g;

/**
 * Request in the format of `.http` files, as the REST Client extension reads it: each secret is a variable without a value.
 * No text of the request is taken for a variable, or for the beginning of another request.
 */
export function httpFileOf({ method, url, headers, body, sentBytes, isExact }: LoggedRequest): string {
	const names = new Set<string>();
	const variable = (_: string, name: string) => `{{${names.add(name) && name}}}`;
	const withVariables = (text: string) => text.replaceAll(REDACTED, "{secret}").replaceAll(/\{(\w+)\}/g, variable);
	const isXml = /\bxml\b/.test(headers["content-type"] ?? "");
	// Two braces together are within a text of the body.
	const plain = isXml
		? body?.replaceAll("{{", "&#123;{").replaceAll("\n", "&#10;")
		: body?.replaceAll("{{", String.raw`\u007b{`);
	const file = sentBytes > 0 ? "# The log did not keep the body: put it into this file.\n< ./body" : "";
	const request = [
		`${method} ${isExact ? url.replaceAll("{{", "%7B%7B") : withVariables(url)}`,
		...Object.entries(headers).map(([name, value]) => `${name}: ${withVariables(value)}`),
		"",
		(isExact ? plain : plain?.replaceAll(SECRET_VALUE, withVariables)) ?? file,
		"",
	];
	return [...[...names].map((name) => `@${name} =`), ...request].join("\n");
}
