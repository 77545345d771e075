import { withoutEntities } from "./entities.ts";
import { isRecord, parseJson, textOf } from "./json.ts";

/** Elements of web pages that nothing of a service's API is called by. */
const PAGE =
	/^<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|form|h[1-6]|p|div|span|section|main|center|font|table|ul|ol|pre|img|a|b|i|br|hr|iframe|frameset)[\s/>]/i;

/** True if a body is a web page by its first element. */
export function isWebPage(body: string): boolean {
	return PAGE.test(body.replace(/^(?:\s+|\uFEFF|<\?[^>]*>|<!--[\s\S]*?-->)+/, ""));
}

/**
 * True if something else has answered in a service's place: status 511, or a web page that lets nobody in or stands for
 * a success. Other pages may be error pages of the service's own web framework.
 */
export function isOfGateway({ status, body }: { readonly status: number; readonly body: string }): boolean {
	const isAnyPage = (status >= 200 && status <= 299) || status === 401 || status === 403;
	return status === 511 || (isAnyPage && isWebPage(body));
}

/** Places where pages of web frameworks say why; their titles only repeat the status. */
const REASONS_OF_PAGES = [
	// Express.
	/<pre>([^<]{1,1000})</i,
	// Tomcat.
	/<b>Message<\/b>([^<]{1,1000})</i,
	/<b>Description<\/b>([^<]{1,1000})</i,
	// Jetty.
	/<th>MESSAGE:<\/th><td>([^<]{1,1000})</i,
	// Spring.
	/<div>There was an unexpected error[^<]{0,200}<\/div>\s*<div>(?!No message available)([^<]{1,1000})</i,
	// Rails, whose heading is the sentence.
	/<h1>([^<]{1,1000}\.)\s*<\/h1>/i,
	// Flask, Django, Apache; not Spring, which says there that it has no page for errors.
	/<\/h1>\s*(?:<p>)?(?!This application has no)([^<]{1,1000})</i,
];
const REASONS_OF_XML = ["message", "detail", "title"].map(
	(name) => new RegExp(`<${name}(?:\\s[^<>]*)?>([^<]{1,1000})</${name}`, "i"),
);

/** Text in which the body of a failed reply says why, not yet redacted; empty where it says nothing to a person. */
export function reasonIn(body: string): string {
	const text = body.replace(/^\uFEFF/, "").trimStart();
	if (text.startsWith("<")) {
		const places = isWebPage(text) ? REASONS_OF_PAGES : REASONS_OF_XML;
		return withoutEntities(places.map((place) => place.exec(text)?.[1]?.trim()).find(Boolean) ?? "");
	}
	const json = parseJson(text);
	// Of JSON that was cut off nothing is told: half a sentence, and half a secret that nobody knows for one.
	if (json === undefined) return /^[{["]/.test(text) ? "" : text;
	return messageIn(json) ?? "";
}

/** Message of an error in JSON, under the names in use; null where it has none. */
export function messageIn(json: unknown): string | null {
	if (!isRecord(json)) return textOf(json);
	const { message, detail, title, error_description: description, error, errors, ...fields } = json;
	const ofField = fieldMessageIn(errors) ?? fieldMessageIn(fields);
	const told = [message, detail, ofField, title, description, error].map((each) => textOf(each)).find(Boolean);
	const [first] = [errors ?? (Array.isArray(detail) ? detail : error)].flat();
	return told ?? textOf(first) ?? (isRecord(first) ? (textOf(first["message"]) ?? textOf(first["msg"])) : null);
}

/** Message about the first field, of frameworks that list messages by field: `{"name": ["must not be empty"]}`. */
function fieldMessageIn(value: unknown): string | null {
	if (!isRecord(value)) return null;
	const [name, said] = Object.entries(value).find(([, each]) => Array.isArray(each) && textOf(each[0])) ?? [];
	return Array.isArray(said) ? `${name}: ${textOf(said[0])}` : null;
}
