/** A shorter piece of a secret would blank out ordinary words too. */
const SHORTEST_PIECE = 8;

/**
 * The forms in which a secret can surface: as it is, base64 and base64url (also inside a longer encoded text, as in a Basic
 * header), hexadecimal, URL-encoded, form-encoded, escaped as in JSON, XML, HTML and SQL, and what another charset makes
 * of it; for a JSON Web Token also each of its parts, for a key file each of its lines. Values of fewer than `shortest`
 * characters have none.
 */
export function formsOf(secret: string, shortest: number): ReadonlySet<string> {
	const forms = new Set<string>();
	for (const value of [secret, secret.trim(), ...piecesOf(secret)].flatMap(normalForms)) {
		if (value.length < shortest) continue;
		const all = [value, ...jsonFormsOf(value), ...markupFormsOf(value), ...urlFormsOf(value), ...byteFormsOf(value)];
		for (const one of [...all, ...doubledQuotesOf(value), ...misreadFormsOf(value, shortest)]) forms.add(one);
	}
	return forms;
}

/** The parts of a JSON Web Token, or the lines of a key file without its public frame. */
function piecesOf(secret: string): string[] {
	if (/^[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}$/.test(secret)) return secret.split(".");
	const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
	if (lines.length === 1) return [];
	return lines.filter((line) => line.length >= SHORTEST_PIECE && !line.startsWith("-----"));
}

/** As it is, and with its accents within the letters or beside them, as some services keep every text. */
function normalForms(value: string): string[] {
	return isAscii(value) ? [value] : [value, value.normalize("NFC"), value.normalize("NFD")];
}

/** Some escape slashes, what is not ASCII, or what could end a script in a page. */
function jsonFormsOf(value: string): string[] {
	const json = JSON.stringify(value).slice(1, -1);
	const escaped = [/[^ -~]/g, /[^ -~]|[<>&]/g, /[^ -~]|[<>&'=]/g, /[^ -~]|[<>&'=+]/g].map((marks) =>
		json.replace(marks, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`),
	);
	const capitals = escaped.map((form) => form.replace(/\\u..../g, (code) => `\\u${code.slice(2).toUpperCase()}`));
	return [json, ...escaped, ...capitals].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}

/**
 * As text of an element, where quotation marks may stand as they are, as the value of an attribute, and with every mark
 * as a number.
 */
function markupFormsOf(value: string): string[] {
	const text = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
	const quoted = text.replaceAll('"', "&quot;");
	const apostrophes = ["&apos;", "&#39;", "&#039;", "&#x27;"].map((entity) => quoted.replaceAll("'", entity));
	const numbered = text.replaceAll('"', "&#34;").replaceAll("'", "&#39;");
	const numbers = [10, 16].map((base) =>
		value.replace(/[^\w]/gu, (mark) => `&#${base === 16 ? "x" : ""}${(mark.codePointAt(0) ?? 0).toString(base)};`),
	);
	const capitals = numbers.map((form) => form.replace(/&#x[^;]+/g, (code) => `&#x${code.slice(3).toUpperCase()}`));
	return [text, quoted, ...apostrophes, numbered, numbered.replaceAll("+", "&#43;"), ...numbers, ...capitals];
}

function urlFormsOf(value: string): string[] {
	const percent = encodeURIComponent(value.toWellFormed());
	const form = new URLSearchParams([["", value]]).toString().slice(1);
	// A URL encodes the apostrophe in its query by itself, and some services every mark.
	const quoted = percent.replaceAll("'", "%27");
	const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
	const once = [percent, quoted, strict, form].flatMap((encoded) => [encoded, lowerHex(encoded)]);
	// An address within an address is encoded once more.
	const twice = once.map(encodeURIComponent);
	return [...once, ...twice, ...twice.map(lowerHex)];
}

/** In base64 and in hexadecimal digits. */
function byteFormsOf(value: string): string[] {
	const bytes = new TextEncoder().encode(value);
	const whole = base64Of(bytes);
	const forms = [whole, whole.replace(/=+$/, "")];
	// Inside a longer text the encoding depends on where in a group of three bytes the secret begins, and its first and
	// last characters on its neighbours: what is between them is always the same.
	for (const offset of [0, 1, 2]) {
		const shifted = new Uint8Array(offset + bytes.length);
		shifted.set(bytes, offset);
		const own = base64Of(shifted).slice(Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6));
		if (own.length >= SHORTEST_PIECE) forms.push(own);
	}
	let hex = "";
	for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
	const safe = forms.map((form) => form.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"));
	return [...forms, ...safe, hex, hex.toUpperCase()];
}

/** As in SQL and in tables. */
function doubledQuotesOf(value: string): string[] {
	return [value.replaceAll("'", "''"), value.replaceAll('"', '""')];
}

/** What a service makes of it that reads or writes another charset than UTF-8, as far as much of it stays. */
function misreadFormsOf(value: string, shortest: number): string[] {
	if (isAscii(value)) return [];
	const bytes = new TextEncoder().encode(value);
	const latin1 = String.fromCharCode(...bytes);
	const windows = new TextDecoder("windows-1252").decode(bytes);
	const misread = [latin1, windows].flatMap((text) => [text, ...urlFormsOf(text)]);
	if (value.replace(/[^ -~]/g, "").length < shortest) return misread;
	const beyond = value.replace(/[^\0-\xff]/gu, "?");
	const percent = Array.from(value, (mark) => (/[\x80-\xff]/.test(mark) ? byteCode(mark) : urlFormsOf(mark)[0])).join(
		"",
	);
	const lossy = [beyond, beyond.replace(/[^\0-\x7f]/g, "\ufffd"), beyond.replace(/[^\0-\x7f]/g, "?")];
	return [...misread, percent, lowerHex(percent), ...lossy, value.replace(/[^\0-\x7f]/gu, "\ufffd")];
}

function isAscii(value: string): boolean {
	return /^[\0-\x7f]*$/.test(value);
}

function byteCode(mark: string): string {
	return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Also where the percent sign is encoded itself. */
function lowerHex(encoded: string): string {
	return encoded.replace(/%(?:25)?../g, (code) => code.toLowerCase());
}

/** Base64 without Node's Buffer: this layer also runs in the panel. */
function base64Of(bytes: Uint8Array): string {
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return btoa(binary);
}
