/** A shorter piece of a secret would blank out ordinary words too. */
const SHORTEST_PIECE = 8;

/**
 * The forms in which a secret can surface: plain, base64 and base64url (also inside a longer encoded text, as in a Basic
 * header), URL-encoded, form-encoded, and JSON-escaped; for a JSON Web Token also each of its parts, for a key file each
 * of its lines. Values of fewer than `shortest` characters have none.
 */
export function formsOf(secret: string, shortest: number): ReadonlySet<string> {
	const values = [secret, secret.trim(), ...piecesOf(secret)].filter((value) => value.length >= shortest);
	return new Set(
		values.flatMap((value) => [value, ...jsonFormsOf(value), ...urlFormsOf(value), ...base64FormsOf(value)]),
	);
}

/** The parts of a JSON Web Token, or the lines of a key file without its public frame. */
function piecesOf(secret: string): string[] {
	if (/^[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}$/.test(secret)) return secret.split(".");
	const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
	if (lines.length === 1) return [];
	return lines.filter((line) => line.length >= SHORTEST_PIECE && !line.startsWith("-----"));
}

/** JSON-escaped, with slashes or what is not ASCII escaped too, as some services do. */
function jsonFormsOf(value: string): string[] {
	const json = JSON.stringify(value).slice(1, -1);
	const ascii = json.replace(/[^ -~]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
	return [json, ascii].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}

function urlFormsOf(value: string): string[] {
	const percent = encodeURIComponent(value.toWellFormed());
	const form = new URLSearchParams([["", value]]).toString().slice(1);
	// A URL encodes the apostrophe in its query by itself.
	const encoded = [percent, percent.replaceAll("'", "%27"), form];
	return encoded.flatMap((each) => [each, each.replace(/%../g, (code) => code.toLowerCase())]);
}

function base64FormsOf(value: string): string[] {
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
	return [...forms, ...forms.map((form) => form.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"))];
}

/** Base64 without Node's Buffer: this layer also runs in the panel. */
function base64Of(bytes: Uint8Array): string {
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return btoa(binary);
}
