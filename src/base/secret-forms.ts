/** Fewest characters of a piece of a secret: a shorter one would blank out ordinary words too. */
const SHORTEST_PIECE = 8;

/**
 * Forms in which a secret can surface: as it is, base64 and base64url (also inside a longer encoded text, as in a Basic
 * header), hexadecimal, URL-encoded, form-encoded, and escaped as in JSON, XML and HTML; for a JSON Web Token also each of
 * its parts, for a key file each of its lines. Values of fewer than `shortest` characters have none.
 */
export function formsOf(secret: string, shortest: number): ReadonlySet<string> {
	const values = [secret, secret.trim(), ...piecesOf(secret)].filter((value) => value.length >= shortest);
	return new Set(
		values.flatMap((value) => [
			...[value, ...jsonFormsOf(value), ...markupFormsOf(value), ...urlFormsOf(value), ...byteFormsOf(value)],
		]),
	);
}

/** Parts of a JSON Web Token, or lines of a key file without its public frame. */
function piecesOf(secret: string): string[] {
	if (/^[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}$/.test(secret)) return secret.split(".");
	const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
	if (lines.length === 1) return [];
	return lines.filter((line) => line.length >= SHORTEST_PIECE && !line.startsWith("-----"));
}

/** Plain JSON, and JSON of nothing but ASCII; some services escape slashes as well. */
function jsonFormsOf(value: string): string[] {
	const json = JSON.stringify(value).slice(1, -1);
	const ascii = json.replace(/[^ -~]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
	return [json, ascii].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}

/** Text of an element, and the value of an attribute. */
function markupFormsOf(value: string): string[] {
	const text = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
	const quoted = text.replaceAll('"', "&quot;");
	const apostrophes = ["&apos;", "&#39;", "&#x27;"].map((entity) => quoted.replaceAll("'", entity));
	return [text, quoted, ...apostrophes];
}

function urlFormsOf(value: string): string[] {
	const percent = encodeURIComponent(value.toWellFormed());
	const form = new URLSearchParams([["", value]]).toString().slice(1);
	// A URL encodes the apostrophe in its query by itself, and some services every mark.
	const quoted = percent.replaceAll("'", "%27");
	const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
	return [percent, quoted, strict, form].flatMap((encoded) => [
		encoded,
		encoded.replace(/%../g, (code) => code.toLowerCase()),
	]);
}

/** Base64 and hexadecimal digits. */
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

/** Base64 without Node's Buffer: this layer also runs in the panel. */
function base64Of(bytes: Uint8Array): string {
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return btoa(binary);
}
