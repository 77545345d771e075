import { headersToRepeat, type LoggedRequest } from "./request-log.ts";

/** Characters that terminals act upon, or that hide or reorder text. */
const RISKY = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Characters that must be written as numbers. */
const ESCAPED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}'!\\]/gu;

/** Request as a curl command for a POSIX shell, with placeholders such as `{token}`. No text of it is interpreted. */
export function curlOf(request: LoggedRequest): string {
	const { method, url, headers, body, sentBytes } = request;
	const parts = [`curl --url ${quoted(url)}`];
	// Curl would take braces and brackets for a list of addresses.
	if (/[{}[\]]/.test(url)) parts.push("--globoff");
	if (method !== "GET") parts.push(`--request ${method}`);
	for (const [name, value] of headersToRepeat(request)) {
		if (name === "accept-encoding") parts.push("--compressed");
		else parts.push(`--header ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
	}
	if (/event-stream/.test(headers["accept"] ?? "")) parts.push("--no-buffer");
	if (body !== null) parts.push(`--data-raw ${quoted(body)}`);
	// The log does not hold the body: the placeholder is for a file with it.
	else if (sentBytes > 0) parts.push("--data-binary '@{body}'");
	return parts.join(" \\\n  ");
}

/** Quotes a text as one word of the shell. */
function quoted(text: string): string {
	const whole = text.toWellFormed();
	if (!RISKY.test(whole)) return `'${whole.replaceAll("'", "'\\''")}'`;
	return `$'${whole.replace(ESCAPED, octal)}'`;
}

/** Bytes of a character as octal escapes of `$'...'`; three digits need no terminator. */
function octal(character: string): string {
	const bytes = new TextEncoder().encode(character);
	return Array.from(bytes, (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
