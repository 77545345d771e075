import { parseExactJson } from "#base/exact-json.ts";
import { REDACTED } from "#base/redaction.ts";
import { withoutEntities } from "../http/entities.ts";
import { isRecord, textOf } from "../http/json.ts";
import { plainSentence } from "../http/sentence.ts";
import { isPasswordRule } from "./password-rule.ts";

/** How much of markup is looked at for what it says to a person: all of it is cleaned of secrets. Characters. */
const LOOKED_AT = 8 * 1024;

/**
 * What a body of any kind says to a person, in one plain line; empty when it says nothing. Errors come as JSON,
 * problem+json, XML, HTML or plain text. Secrets must be removed by `redact`: before tags are, and before the line is
 * cut to its length. What is called a password goes without that, for services tell those that nobody here has sent.
 */
export function excerptOf(body: string, redact: (text: string) => string): string {
	const text = body.replace(/^\uFEFF/, "").trimStart();
	const said = spoken(text, redact);
	const clean = cleaned(said.slice(0, CLEANED), said.length > CLEANED, redact);
	return plainSentence(
		clean.replace(PASSWORD_PAIR, (pair, name: string, value: string) =>
			isPasswordRule(value.replace(QUOTES, "")) ? pair : name + REDACTED,
		),
	);
}

/** How much of what a body says is cleaned of secrets, which costs time. Characters, many more than are shown. */
const CLEANED = 6 * 1024;

/** So much before the end of a cut text is not shown: of a secret that is cut in two nobody knows the first half. */
const UNSURE = 4 * 1024;

/** What a body begins with, without secrets, and without one that a cut at its end might have hidden. */
function cleaned(beginning: string, isCut: boolean, redact: (text: string) => string): string {
	if (!isCut) return redact(beginning);
	// Up to the last gap between words: most encodings leave none, however long they are.
	const [whole = ""] = /^[\s\S]*[\s"<>]/.exec(beginning) ?? [];
	const clean = redact(whole);
	return clean.slice(0, Math.max(0, clean.length - Math.max(0, UNSURE - (beginning.length - whole.length))));
}

/** A name that ends so with its value, in JSON of any make, as in a form, or as in a log, to the end of that. */
const PASSWORD_PAIR =
	/(password\w{0,30}\\*["']?\s*[:=]\s*)(\[redacted\]|\\*"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s,;&<>{})][^,;&<>{})\r\n]*)/gi;

/** What encloses such a value, escaped as often as it may be; of a run of escapes only the first begins one. */
const QUOTES = /^\\*["']|(?<!\\)\\*["']$/g;

/** The name of the element that a tag opens, in lower case, where it is called a password. */
function passwordName(inside: string): string | undefined {
	const [name = ""] = /^(?:\w+:)?\w+(?=\s|$)/.exec(inside) ?? [];
	return /password/i.test(name.slice(name.indexOf(":") + 1)) && !inside.endsWith("/") ? name.toLowerCase() : undefined;
}

/** Markup without what elements called a password hold, each to its end or that of the text, but for a rule. */
function withoutPasswords(markup: string): string {
	let kept = "";
	let from = 0;
	let open: { readonly name: string; readonly at: number } | undefined;
	const close = (end: number) => {
		const element = markup.slice(open?.at, end);
		kept += isPasswordRule(wordsOf(element)) ? element : " ";
		from = end;
		open = undefined;
	};
	// Tag by tag: one pattern for an element would go over the same names and blanks again and again.
	for (const { 0: tag, 1: inside = "", index } of markup.matchAll(/<([^<>]*)>/g)) {
		if (open !== undefined) {
			if (inside.trimEnd().toLowerCase() === `/${open.name}`) close(index + tag.length);
			continue;
		}
		const name = passwordName(inside);
		if (name === undefined) continue;
		kept += markup.slice(from, index);
		open = { name, at: index };
	}
	if (open !== undefined) close(markup.length);
	return kept + markup.slice(from);
}

function spoken(text: string, redact: (text: string) => string): string {
	if (text.startsWith("<")) {
		// Of a secret with a tag in it, which was not escaped, the words between tags would be a part that nobody knows.
		const beginning = withoutPasswords(text.slice(0, LOOKED_AT));
		return spokenMarkup(cleaned(beginning, text.length > LOOKED_AT, redact));
	}
	try {
		const json = parseExactJson(text);
		return spokenJson(json) || listed(json);
	} catch {
		return text;
	}
}

function spokenJson(json: unknown): string | null | undefined {
	if (!isRecord(json)) return textOf(json);
	const inner = json["error"];
	return (
		[json["message"], json["detail"], json["title"], json["error_description"], inner].map(textOf).find(Boolean) ??
		(isRecord(inner) ? textOf(inner["message"]) : null)
	);
}

/** What is listed of JSON without a message: so many of a list, so deep. */
const MOST_LISTED = 20;
const DEEPEST_LISTED = 6;

/** Names whose values are nobody's business. */
const SECRET_NAME = /passw|passphrase|pwd|secret|token|jwt|api_?key|authorization|signature/i;

/** Names under which an error says which field it is about, and those under which it repeats what that held. */
const FIELD_NAME = /^(?:field|param|property|path|pointer|loc|key|name)/i;
const GIVEN_NAME = /value|input|given|actual/i;

function namesSecret(value: unknown): boolean {
	return [value].flat().some((part) => typeof part === "string" && SECRET_NAME.test(part));
}

/** Whether what stands under the name of a secret is one sentence about it, or several. */
function saysRules(value: unknown): boolean {
	const all = [value].flat();
	return all.length > 0 && all.every((each) => typeof each === "string" && isPasswordRule(each));
}

/** All that JSON holds, as far as a person reads it, such as `errors: field: name, rule: missing`. */
function listed(json: unknown, depth = 0): string {
	if (typeof json !== "object" || json === null) return json === null ? "" : String(json);
	if (depth === DEEPEST_LISTED) return "…";
	const entries: [string, unknown][] = Object.entries(json).slice(0, MOST_LISTED);
	const isOfSecret = entries.some(([name, value]) => FIELD_NAME.test(name) && namesSecret(value));
	const parts = entries.map(([name, value]) => {
		const mayTell = SECRET_NAME.test(name) || (isOfSecret && GIVEN_NAME.test(name));
		const said = mayTell && !saysRules(value) ? REDACTED : listed(value, depth + 1);
		return said === "" || Array.isArray(json) ? said : `${name}: ${said}`;
	});
	return parts.filter((part) => part !== "").join(", ");
}

/** A message, the title or the first heading, else whatever words there are. */
function spokenMarkup(markup: string): string {
	const told = ["message", "detail", "title", "h1"]
		.map((name) => new RegExp(`<${name}(?:\\s[^<>]*)?>([^<]{1,1000})</${name}`, "i").exec(markup)?.[1]?.trim())
		.find(Boolean);
	return withoutEntities(told ?? wordsOf(markup));
}

/** The text between tags, without what scripts and styles say. */
function wordsOf(markup: string): string {
	let words = "";
	let skipped: string | null = null;
	for (const piece of markup.split("<")) {
		const end = piece.indexOf(">");
		const tag = /^(\/?)(\w+)/.exec(piece);
		const name = tag?.[2]?.toLowerCase() ?? null;
		if (skipped !== null) {
			if (tag?.[1] === "/" && name === skipped) skipped = null;
			else continue;
		} else if (tag?.[1] === "" && (name === "script" || name === "style")) {
			skipped = name;
			continue;
		}
		if (end >= 0) words += ` ${piece.slice(end + 1)}`;
	}
	return words.trim();
}
