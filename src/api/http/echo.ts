import { isUtf8 } from "node:buffer";
import { REDACTED } from "#base/redaction.ts";
import { withoutEntities } from "./entities.ts";

/** As deep are texts encoded in one another that services send back. */
const DEEPEST = 3;

/** A longer text is looked at as it is only, for that is quick. Characters. */
const LONGEST = 64 * 1024;

/** What may be base64, in lines too. */
const BASE64 = /[\w+/-]{8,}(?:\r?\n[\w+/-]+)*={0,2}/g;

/**
 * A text of a service without what `redact` removes, however it repeats that: percent-encoded several times, with
 * entities, escaped as in JSON, within a base64 of more. What shows a secret only once it is decoded stays decoded.
 */
export function redactEcho(text: string, redact: (text: string) => string): string {
	let clean = once((part) => redactAt(part, { redact }));
	for (let depth = 0; depth < DEEPEST; depth++) {
		const inner = clean;
		clean = once((part) => redactAt(part, { redact, inner }));
	}
	return clean(text);
}

/** Most ways of decoding lead to the same few texts. */
function once(clean: (text: string) => string): (text: string) => string {
	const known = new Map<string, string>();
	return (text) => {
		const cleaned = known.get(text) ?? clean(text);
		known.set(text, cleaned);
		return cleaned;
	};
}

/** How a text is cleaned, and what is found within it; nothing within is looked at without that. */
interface Cleaning {
	readonly redact: (text: string) => string;
	readonly inner?: (text: string) => string;
}

function redactAt(text: string, { redact, inner }: Cleaning): string {
	let clean = redact(text);
	if (text.length > LONGEST) return clean;
	let read = clean;
	const holdOne = (runs: readonly string[], within: (text: string) => string) =>
		[0, 1, 2, 3].some((at) => {
			const decoded = runs.map((run) => Buffer.from(run.slice(at), "base64").toString()).join("\0");
			return within(decoded) !== decoded;
		});
	const withoutBase64 = (from: string) => {
		const runs = inner && from.match(BASE64);
		// All at once: most words are runs, and to look at each by itself takes many times as long.
		if (!runs || !holdOne(runs, inner)) return from;
		return from.replaceAll(BASE64, (run) => (holdOne([run], inner) ? REDACTED : run));
	};
	for (let round = 0, before = ""; round < DEEPEST && read !== before; round++) {
		before = read;
		// As in a form, which others than forms must not be taken for.
		const spaced = withoutPercents(read.replaceAll("+", " "));
		const found = inner && read.includes("+") ? inner(spaced) : spaced;
		if (found !== spaced) {
			read = found;
			clean = found;
		}
		for (const decode of [withoutBase64, withoutEntities, withoutEscapes, withoutPercents]) {
			const decoded = decode(read);
			if (decoded === read) continue;
			read = redact(decoded);
			if (read !== decoded || decode === withoutBase64) clean = read;
		}
	}
	return clean;
}

/** A text without its percent-encodings, as far as they are any: of UTF-8, else of Latin-1, or of UTF-16 as `%u00e9`. */
export function withoutPercents(text: string): string {
	return text
		.replaceAll(/(?:%[\da-f]{2})+/gi, (codes) => textOfHex(codes.replaceAll("%", "")))
		.replaceAll(/%u([\da-f]{4})/gi, (_, hex: string) => characterOf(hex));
}

/** Also without what scripts of several languages escape. */
function withoutEscapes(text: string): string {
	return text
		.replaceAll(/(?:\\x[\da-f]{2})+/gi, (codes) => textOfHex(codes.replaceAll(/\\x/gi, "")))
		.replace(/\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|([!-/:-@[-`{-~]))/gi, (all, unit, point, mark) =>
			mark === undefined ? characterOf(unit ?? point) || all : mark,
		);
}

/** The text of bytes in UTF-8, or, where they are none, in Latin-1. */
function textOfHex(hex: string): string {
	const bytes = Buffer.from(hex, "hex");
	return isUtf8(bytes) ? bytes.toString() : bytes.toString("latin1");
}

/** The character of a hexadecimal number; empty where it has none. */
function characterOf(hex: string): string {
	const code = Number.parseInt(hex, 16);
	return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}
