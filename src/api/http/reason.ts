import { isRecord, parseJson, textOf } from "./json.ts";

/** First tag of a web page, rather than of a service's XML. */
const PAGE = /^<(?:!doctype\s+html|html|head|body|title|meta|script|h1|p|div|center|pre)[\s/>]/i;

/** True if a body is a web page by its first element. */
export function isWebPage(body: string): boolean {
	return PAGE.test(body.replace(/^(?:\s+|\uFEFF|<\?[^>]*>|<!--[\s\S]*?-->)+/, ""));
}

/**
 * True if something else has answered in a service's place: status 511, or a web page with a success, 401 or 403. Other
 * pages may be error pages of the service's own web framework.
 */
export function isOfGateway({ status, body }: { readonly status: number; readonly body: string }): boolean {
	const isAnyPage = (status >= 200 && status <= 299) || status === 401 || status === 403;
	return status === 511 || (isAnyPage && isWebPage(body));
}

/** Element in which an error in XML says why. */
const MESSAGE_ELEMENT = /<(message|detail|title)(?:\s[^<>]*)?>([^<]{1,1000})<\/\1>/i;

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Message in the body of a failed reply, not yet redacted; empty for web pages and JSON without a message. */
export function reasonIn(body: string): string {
	const text = body.replace(/^\uFEFF/, "").trimStart();
	if (text.startsWith("<")) {
		const message = isWebPage(text) ? "" : (MESSAGE_ELEMENT.exec(text)?.[2]?.trim() ?? "");
		return message.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? "");
	}
	const json = parseJson(text);
	// JSON that was cut off has no complete message: it could end within a secret.
	if (json === undefined) return /^[{["]/.test(text) ? "" : text;
	return messageIn(json) ?? "";
}

/** Message of an error in JSON, under the names in use; null where it has none. */
function messageIn(json: unknown): string | null {
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
