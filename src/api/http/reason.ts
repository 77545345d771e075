import { STATUS_CODES } from "node:http";
import { LIMITS } from "#base/limits.ts";
import { isCutJson, isRecord, parseJson, textOf } from "./json.ts";
import { plainSentence } from "./sentence.ts";

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

/** Names under which services say why, in small letters alone; what the first of these is about tells most. */
const NAMES = [
	/^(?:\w+messages|\w*message|\w*msg|faultstring)$/,
	/^(?:\w*description|\w*details?|explanation|(?:error|fault|status)?reasons?)$/,
	/^(?:\w*errors?|err|fault|\w*exception|(?:root)?cause|causedby|raw)$/,
	/^(?:title|summary|statustext|string)$/,
];

const rankOf = (name: string) => {
	const letters = name.replaceAll(/[^a-z]/gi, "").toLowerCase();
	const rank = NAMES.findIndex((names) => names.test(letters));
	return rank === -1 ? NAMES.length : rank;
};

/** Words that say no more than a status does. */
const VAGUE: ReadonlySet<string> = new Set(
	`${Object.values(STATUS_CODES).join(" ")} status a an the given one or of in on by from with was were is been error errors exception
	failure failed invalid occurred happened what went wrong something some unknown unexpected unhandled caught provider
	upstream constraint violation input data returned validation response api code whitelabel page report`
		.toLowerCase()
		.split(/\s+/),
);

/** True for a text that says nothing of its own: an identifier, a path, or general words. */
function isVague(text: string): boolean {
	const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
	return /^[\w.:/-]*$/.test(text) || words.every((word) => VAGUE.has(word) || /^\d*$/.test(word));
}

/**
 * Message in the body of a failed reply, or in JSON of one, not yet redacted; empty where it has none. The first that
 * says something, with a vague one in front that comes before it: `Provider returned error: at most 1 image`.
 */
export function reasonIn(reply: unknown): string {
	if (typeof reply === "string" && reply.length > 4 * LIMITS.failureBodyBytes) return "";
	let vague = "";
	for (const text of textsIn(reply, !isRecord(reply))) {
		if (!isVague(text)) return vague === "" ? text : `${vague.replace(/[.:]$/, "")}: ${text}`;
		vague ||= text;
	}
	return vague;
}

/** A longer text is no message. Characters. */
const LONGEST = 8 * 1024;

/** Message in a body as one plain redacted line; empty if there is none. */
export function excerptOf(body: string, redact: (text: string) => string): string {
	const message = reasonIn(body);
	return message.length > LONGEST ? "" : plainSentence(redact(message));
}

/** Messages in a value, depth first. A text counts where it `isSaid`: it is all there is, or has a name that means a message. */
function* textsIn(value: unknown, isSaid: boolean): Generator<string> {
	if (Array.isArray(value)) for (const each of value) yield* textsIn(each, isSaid && !isRecord(each));
	if (isRecord(value)) yield* textsInRecord(value, isSaid);
	if (typeof value !== "string") return;
	// Of an event of a stream the data is read.
	const text = value.replace(/^[\uFEFF\s]*(?:(?:(?:event|id|retry):.*\n\s*)*data:)?\s*/, "").trimEnd();
	const json = parseJson(text);
	if (json !== undefined) yield* textsIn(json, isSaid && !isRecord(json));
	else if (!isSaid || text === "") return;
	else if (text.startsWith("<")) yield* textsInMarkup(text.slice(0, LIMITS.failureBodyBytes));
	// JSON that was cut off could end within a secret.
	else if (!/^[{["]/.test(text) || !isCutJson(text)) yield text;
}

function* textsInRecord(record: Readonly<Record<string, unknown>>, isSaid: boolean): Generator<string> {
	const { field, param, loc, code } = record;
	const place = Array.isArray(loc) ? loc.slice(loc[0] === "body" ? 1 : 0).join(".") : (textOf(field ?? param) ?? "");
	const entries = Object.entries(record).map(([name, each]) => ({ name, each, rank: rankOf(name) }));
	// Some frameworks list messages by field: `{"name": ["must not be empty"]}`.
	const isByField = isSaid || entries.every(({ each }) => Array.isArray(each));
	for (const { name, each, rank } of entries.toSorted((a, b) => a.rank - b.rank)) {
		const isNamed = rank < NAMES.length;
		const isOfField = isByField && !isNamed && (Array.isArray(each) || (textOf(each)?.includes(" ") ?? false));
		const about = isNamed ? place : isOfField ? name : "";
		for (const text of textsIn(each, isNamed || isOfField)) yield text.includes(about) ? text : `${about}: ${text}`;
	}
	if (place !== "" && typeof code === "string") yield `${place}: ${code}`;
}

/** Messages in XML, or in the page that a web framework makes of an error. */
function* textsInMarkup(text: string): Generator<string> {
	const markup = text
		.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, "")
		.replaceAll(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, (_, data: string) => data.replaceAll("<", "&lt;"));
	if (isWebPage(text)) {
		yield* linesOf(markup);
		return;
	}
	const elements = markup.matchAll(/<(?:\w+:)?([\w.-]+)(?:\s[^<>]*)?>([^<]+)<\//g);
	const named = Array.from(elements, ([, name = "", said = ""]) => [name, plain(said)]);
	yield* textsIn(Object.fromEntries(named.reverse()), false);
}

/** Lines that servers add to every page. */
const OF_SERVER =
	/^powered by|\/+ ?\d+\.\d|for more information|^problem accessing|no explicit mapping|\(type=[^()]*, status=|\d\d:\d\d:\d\d/i;

/** Lines of a page that say something of their own; its heading, which most frameworks fill with general words, comes last. */
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

/** Text of markup on one line. */
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
