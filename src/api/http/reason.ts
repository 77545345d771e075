import { STATUS_CODES } from "node:http";
import { LIMITS } from "#base/limits.ts";
import { isCutJson, isRecord, parseJson, textOf } from "./json.ts";
import { plainSentence } from "./sentence.ts";

/** First tag of a web page, as opposed to XML of a service. */
const PAGE = /^<(?:!doctype\s+html|html|head|body|title|meta|script|h1|p|div|center|pre)[\s/>]/i;

/** True if a body is a web page, by its first element. */
export function isWebPage(body: string): boolean {
	return PAGE.test(body.replace(/^(?:\s+|\uFEFF|<\?[^>]*>|<!--[\s\S]*?-->)+/, ""));
}

/** True if a gateway answered: status 511, or a web page with 2xx, 401 or 403. Other pages may be the service's own. */
export function isOfGateway({ status, body }: { readonly status: number; readonly body: string }): boolean {
	const isAnyPage = (status >= 200 && status <= 299) || status === 401 || status === 403;
	return status === 511 || (isAnyPage && isWebPage(body));
}

/** Field names that hold messages, most telling first; the last but one only inside errors. */
const NAMES = [
	/^(?:\w+messages|\w*message|\w*msg|faultstring|errortext)$/,
	/^(?:\w*description|\w*details?|explanation|(?:error|fault|failure|status)?reasons?)$/,
	/^(?:\w*errors?|errorinfo|err|fault|failure|problem|\w*exception|(?:root)?cause|causedby|raw)$/,
	/^(?:title|summary|statustext|string|messages)$/,
	/^(?:text|info)$/,
	/^/,
];

/** Names of what holds the words of another service that this one has asked. */
const WRAPS = /^(?:raw|metadata|inner_?error|(?:root_?)?cause|caused_?by|(?:upstream_?)?response|upstream|body)$/i;

const rankOf = (name: string) => NAMES.findIndex((names) => names.test(name.replaceAll(/[^a-z]/gi, "").toLowerCase()));

/** Words that say no more than a status does. */
const VAGUE = `status a an the given one or of in on by from with was were is been error errors exception failure failed
	invalid occurred happened what went wrong something some unknown unexpected unhandled caught provider upstream constraint
	violation input data returned validation response api code whitelabel page report
	${Object.values(STATUS_CODES).join(" ").toLowerCase()}`.split(/\s+/);

/** True for a text that says nothing of its own: an identifier, a path, or general words. */
function isVague(text: string): boolean {
	const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
	return /^[\w.:/-]*$/.test(text) || words.every((word) => VAGUE.includes(word) || /^\d*$/.test(word));
}

/** Unredacted message of an error body; empty for none. A vague one is followed by a more specific one. */
export function reasonIn(reply: unknown): string {
	if (typeof reply === "string" && reply.length > 4 * LIMITS.failureBodyBytes) return "";
	const wrapped: Record<string, unknown>[] = [];
	const data = typeof reply === "string" ? parseJson(reply) : reply;
	JSON.stringify(data, (name, each) => (WRAPS.test(name) ? wrapped.push({ [name]: each }) : each));
	let vague = "";
	for (const text of textsIn(reply, !isRecord(reply))) {
		const said = joined(vague, text);
		const isNews = (each: string) => !isVague(each) && !said.includes(each) && each.length < LONGEST / 2;
		if (!isVague(text)) return joined(said, [...textsIn(wrapped, false)].find(isNews));
		vague ||= text;
	}
	return vague;
}

const joined = (outer: string, inner = "") =>
	outer && inner ? `${outer.replace(/(?<![\s.:–'"-])[\s.:–'"-]+(?:b['"])?$/, "")}: ${inner}` : outer || inner;

/** Longest text that is a message. Characters. */
const LONGEST = 8 * 1024;

/** Message of a body as one plain redacted line; empty if it has none. */
export function excerptOf(body: string, redact: (text: string) => string): string {
	const message = reasonIn(body);
	return message.length > LONGEST ? "" : plainSentence(redact(message));
}

/** Messages of a value, depth first. A text counts if it `isSaid`: it stands alone or has the name of a message. */
function* textsIn(value: unknown, isSaid: boolean, byField = isSaid): Generator<string> {
	if (Array.isArray(value)) for (const each of value) yield* textsIn(each, isSaid, byField && !isRecord(each));
	if (isRecord(value)) yield* textsInRecord(value, isSaid, byField);
	if (typeof value !== "string") return;
	// Reads the data of a stream event.
	const text = value.replace(/^[\uFEFF\s]*(?:(?:(?:event|id|retry):.*\n\s*)*data:)?\s*/, "").trimEnd();
	const json = parseJson(text);
	const inner = reasonIn(parseJson(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)));
	if (json !== undefined) yield* textsIn(json, isSaid, isSaid && !isRecord(json));
	else if (!isSaid || text === "") return;
	else if (text.startsWith("<")) yield* textsInMarkup(text.slice(0, LIMITS.failureBodyBytes));
	// JSON that was cut off could end within a secret.
	else if (!/^[{["]/.test(text) || !isCutJson(text))
		yield joined(inner && text.slice(0, text.indexOf("{")), inner || text);
}

function* textsInRecord(record: Record<string, unknown>, isSaid: boolean, byField: boolean): Generator<string> {
	const { field, param, loc, code } = record;
	const place = Array.isArray(loc) ? loc.slice(loc[0] === "body" ? 1 : 0).join(".") : (textOf(field ?? param) ?? "");
	const entries = Object.entries(record).map(([name, each]) => ({ name, each, rank: rankOf(name) }));
	// Some frameworks list messages by field: `{"name": ["must not be empty"]}`.
	const isByField = byField || entries.every(({ each }) => Array.isArray(each));
	for (const { name, each, rank } of entries.toSorted((a, b) => a.rank - b.rank)) {
		const isNamed = rank < NAMES.length - (isSaid ? 1 : 2);
		const isOfField = isByField && !isNamed && (Array.isArray(each) || (textOf(each)?.includes(" ") ?? false));
		const about = isNamed ? place : isOfField ? name : "";
		for (const text of textsIn(each, isNamed || isOfField)) yield text.includes(about) ? text : `${about}: ${text}`;
	}
	if (place !== "" && typeof code === "string") yield `${place}: ${code}`;
}

/** Messages of XML, or of the error page of a web framework. */
function* textsInMarkup(text: string): Generator<string> {
	const markup = text
		.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, "")
		.replaceAll(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, (_, data: string) => data.replaceAll("<", "&lt;"));
	if (isWebPage(text)) {
		yield* linesOf(markup);
		return;
	}
	const elements = markup.matchAll(/<(?:\w+:)?([\w.-]+)(?:\s[^<>]*)?>([^<]+)<\//g);
	const attributes = markup.matchAll(/\s([\w.-]+)=["']((?<=")[^"]*|(?<=')[^']*)["']/g);
	const named = [...elements, ...attributes].map(([, name = "", said = ""]) => [name, plain(said)]);
	yield* textsIn(Object.fromEntries(named.reverse()), false);
}

/** Lines that servers put on every error page. */
const OF_SERVER =
	/^powered by|\/+ ?\d+\.\d|for more information|^problem accessing|no explicit mapping|\(type=[^()]*, status=|\d\d:\d\d:\d\d/i;

/** Telling lines of a page. Its heading comes last: most frameworks fill it with general words. */
function linesOf(page: string): readonly string[] {
	const heading = /<h1\b[^<>]*>([\s\S]*?)(?:<\/h1|$)/i.exec(page)?.[1] ?? "";
	const lines = page
		.replaceAll(/<(title|style|script|center|address|h1)\b[^<>]*>[\s\S]*?(?:<\/\1[^<>]*>|$)/gi, "<br>")
		.replaceAll(/<\/?(?:a|code|em|font|i|small|span|tt|u|var)\b[^<>]*>/gi, " ")
		.split(/<[^<>]*>/);
	return [...lines, heading]
		.map((line) => plain(line).replace(/^HTTP (?:error|status) \d{3}(?: [-–])? ?/i, ""))
		.filter((line) => !isVague(line) && !OF_SERVER.test(line));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

function plain(markup: string): string {
	return markup
		.replaceAll(/<[^<>]*>/g, "")
		.replaceAll(/&#(x?)([\da-f]{1,5});/gi, (_, hex: string, code: string) =>
			String.fromCodePoint(Number.parseInt(code, hex === "" ? 10 : 16)),
		)
		.replaceAll(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
		.replaceAll(/\s+/g, " ")
		.trim();
}
