import { isRecord, parseJson, textOf } from "../http/json.ts";
import { plainSentence } from "../http/sentence.ts";

/** How much of a body is looked at for what it says to a person. Characters. */
const LOOKED_AT = 16 * 1024;

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

/**
 * What a body of any kind says to a person, in one plain line; empty when it says nothing. Errors come as JSON,
 * problem+json, XML, HTML or plain text. Secrets must be removed by `redact`, before the line is cut to its length.
 */
export function excerptOf(body: string, redact: (text: string) => string): string {
	const text = body.replace(/^\uFEFF/, "").trimStart();
	if (text.startsWith("<")) return plainSentence(redact(spokenMarkup(text.slice(0, LOOKED_AT))));
	const json = parseJson(text);
	return plainSentence(redact(json === undefined ? text : (spokenJson(json) ?? "")));
}

function spokenJson(json: unknown): string | null {
	if (!isRecord(json)) return textOf(json);
	const inner = json["error"];
	return (
		[json["message"], json["detail"], json["title"], json["error_description"], inner].map(textOf).find(Boolean) ??
		(isRecord(inner) ? textOf(inner["message"]) : null)
	);
}

/** A message, the title or the first heading, else whatever words there are. */
function spokenMarkup(markup: string): string {
	const told = ["message", "detail", "title", "h1"]
		.map((name) => new RegExp(`<${name}(?:\\s[^<>]*)?>([^<]{1,1000})</${name}`, "i").exec(markup)?.[1]?.trim())
		.find(Boolean);
	const words = told ?? wordsOf(markup);
	return words.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (all, decimal, hex, name) => {
		const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
		if (name !== undefined) return ENTITIES[name] ?? all;
		return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
	});
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
