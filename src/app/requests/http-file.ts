import { REDACTED } from "#base/redaction.ts";
import { headersToRepeat, type LoggedRequest } from "./request-log.ts";

/**
 * Request in the format of `.http` files, as the REST Client extension reads it: each secret is a variable without a value.
 * No text of the request is taken for a variable, or for the beginning of another request.
 */
export function httpFileOf({ method, url, headers, body, sentBytes, isExact }: LoggedRequest): string {
	const withVariables = (text: string) => text.replaceAll(REDACTED, "{secret}").replaceAll(/\{(\w+)\}/g, "{{$1}}");
	const literal = (text: string) => text.replaceAll("{{", "%7B%7B");
	// Two braces together, and the end of a line, are within a text of the body.
	const [brace, end] = /\bxml\b/.test(headers["content-type"] ?? "") ? ["&#123;{", "&#10;"] : ["\\u007b{", "\n"];
	const plain = body?.replaceAll("{{", brace).replaceAll("\n", end);
	// A secret is the whole value of a field.
	const sent = isExact ? plain : plain?.replaceAll(/(?<=[">=])\{\w+\}(?=["<&]|$)|\[redacted\]/g, withVariables);
	const request = [
		`${method} ${isExact ? literal(url) : withVariables(literal(url))}`,
		...headersToRepeat({ headers }).map(([name, value]) => `${name}: ${withVariables(literal(value))}`),
		"",
		sent ?? (sentBytes > 0 ? "# The log did not keep the body.\n< ./body" : ""),
		"",
	].join("\n");
	const variables = new Set(request.match(/(?<=\{\{)\w+(?=\}\})/g)?.map((name) => `@${name} =\n`));
	return [...variables].join("") + request;
}
