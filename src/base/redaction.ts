import { type Disposable, toDisposable } from "#base/disposables.ts";
import { base64Of } from "./base64.ts";
import { oneLine } from "./one-line.ts";

/** Replacement of a secret. */
export const REDACTED = "[redacted]";

/** Shorter values would blank out single letters of a log. */
const SHORTEST_SECRET = 4;

/**
 * Shortest secret that is removed from what a person reads and what is sent again. Local services take any word for a key, `ollama` or `user`,
 * and a conversation must not lose its words to that; keys that services issue are all longer.
 */
const SHORTEST_IN_PROSE = 12;

/** Fewest characters that count as the beginning of a secret; fewer too often begin other words. */
export const SHORTEST_BEGINNING = 8;

/** Shortest piece of a secret that is removed by itself: a shorter one would blank out ordinary words too. */
const SHORTEST_PIECE = 8;

/** Longest text about itself that a service can have stored, such as the login of a user. UTF-16 units. */
const LONGEST_STORED = 100;

/** Characters that are nothing to see: a secret that has some inside is whole for a reader, and for whoever copies it. */
const INVISIBLE = /[^\P{C}\n\r\t]|\p{Default_Ignorable_Code_Point}/gu;

/** Removes every registered secret from text, in all the forms in which it can surface: see {@link formsOf}. */
export class Redactor {
	readonly #all = new Forms(SHORTEST_SECRET);
	readonly #long = new Forms(SHORTEST_IN_PROSE);

	/** Registers a secret in use; dispose when it is no longer used anywhere. */
	register(secret: string): Disposable {
		const held = [this.#all, this.#long].map((forms) => forms.add(secret));
		return toDisposable(() => {
			for (const each of held) each.dispose();
		});
	}

	/** Another number than before once a secret was registered that was not known until then. */
	get generation(): number {
		return this.#all.generation;
	}

	/** A line of a log, or words about an error, with every form of every secret replaced by {@link REDACTED}. */
	redact(text: string): string {
		return this.#all.redact(text);
	}

	/**
	 * Number of characters at the end of a growing text that are the beginning of a secret. Such an end waits for what
	 * follows.
	 */
	heldBack(text: string): number {
		return this.#long.begunIn(text);
	}

	/**
	 * Redacts what leaves the product other than as a line of a log: a text, or plain JSON with every text in it and the
	 * names of its fields. Short words stay, even if one is a key.
	 */
	leaving<T>(value: T): T {
		return this.#long.empty ? value : (walked(value, (text) => this.#long.redact(text)) as T);
	}

	/** Makes a text that a service says of itself fit to be stored: redacted, printable, on one line and short. */
	storable(text: string): string {
		return oneLine(this.redact(text), LONGEST_STORED);
	}
}

function walked(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === "string") return change(value);
	if (Array.isArray(value)) return value.map((each) => walked(each, change));
	if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [change(name), walked(part, change)]));
}

/** The forms of the secrets that have at least so many characters. */
class Forms {
	readonly #shortest: number;
	/** Registered secrets, with the number of their registrations. */
	readonly #secrets = new Map<string, number>();
	/** Forms of each secret: a key file has hundreds. */
	readonly #forms = new Map<string, ReadonlySet<string>>();
	#finder: { readonly forms: readonly string[]; readonly pattern: RegExp } | undefined;
	generation = 0;

	constructor(shortest: number) {
		this.#shortest = shortest;
	}

	get empty(): boolean {
		return this.#secrets.size === 0;
	}

	add(secret: string): Disposable {
		if (!this.#secrets.has(secret)) {
			this.generation += 1;
			this.#finder = undefined;
		}
		this.#secrets.set(secret, (this.#secrets.get(secret) ?? 0) + 1);
		return toDisposable(() => {
			const left = (this.#secrets.get(secret) ?? 1) - 1;
			if (left > 0) this.#secrets.set(secret, left);
			else if (this.#secrets.delete(secret)) {
				this.#finder = undefined;
				this.#forms.delete(secret);
			}
		});
	}

	/** Only a text that hides a secret behind invisible characters loses these. */
	redact(text: string): string {
		if (this.empty) return text;
		const { pattern } = this.#found();
		const open = text.replaceAll(pattern, REDACTED);
		const visible = open.replace(INVISIBLE, "");
		return visible.search(pattern) < 0 ? open : visible.replaceAll(pattern, REDACTED);
	}

	/** Number of characters at the end of a text that begin a form which does not end in it. */
	begunIn(text: string): number {
		if (this.empty) return 0;
		const all = this.#found().forms;
		const near = text.slice(-2 * (all[0]?.length ?? 0));
		// Nearly always there is none, and nothing to look for in each place.
		const forms = all.filter((form) => near.includes(form.slice(0, SHORTEST_BEGINNING)));
		for (let at = 0; forms.length > 0 && at <= near.length - SHORTEST_BEGINNING; ) {
			const end = near.slice(at);
			// Though a shorter form may be there whole: it is not cut in two, and nothing within it is looked at.
			if (forms.some((form) => form.length > end.length && form.startsWith(end))) return end.length;
			at += forms.find((form) => end.startsWith(form))?.length ?? 1;
		}
		return 0;
	}

	#formsOf(secret: string): ReadonlySet<string> {
		const forms = this.#forms.get(secret) ?? formsOf(secret, this.#shortest);
		this.#forms.set(secret, forms);
		return forms;
	}

	/** Forms, the longest first; made when a text is gone over, for many a secret comes and goes without one. */
	#found(): { readonly forms: readonly string[]; readonly pattern: RegExp } {
		if (this.#finder === undefined) {
			const secrets = [...this.#secrets.keys()];
			const all = new Set(secrets.flatMap((secret) => [...this.#formsOf(secret)]));
			const forms = [...all].sort((a, b) => b.length - a.length);
			const escaped = forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
			// Without any, as of a secret that is too short to have one, it finds nothing.
			this.#finder = { forms, pattern: new RegExp(escaped.join("|") || "(?!)", "g") };
		}
		return this.#finder;
	}
}

/**
 * The forms in which a secret can surface: plain, base64 and base64url (also inside a longer encoded text, as in a Basic
 * header), URL-encoded, form-encoded, JSON-escaped once or twice, and on one line also hexadecimal and HTML-escaped; for a
 * JSON Web Token also each of its parts, for a key file each of its lines. Values of fewer than `shortest` characters have none.
 */
function formsOf(secret: string, shortest: number): ReadonlySet<string> {
	const values = [secret, secret.trim(), ...piecesOf(secret)].filter((value) => value.length >= shortest);
	return new Set(
		values.flatMap((value) => [
			...[value, ...jsonFormsOf(value), ...urlFormsOf(value), ...base64FormsOf(value)],
			// Of a key file each line is a value of its own.
			...(/[\r\n]/.test(value) ? [] : [...hexFormsOf(value), ...htmlFormsOf(value)]),
		]),
	);
}

/** The parts of a JSON Web Token, or the lines of a key file without its public frame. */
function piecesOf(secret: string): string[] {
	if (/^[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}$/.test(secret)) return secret.split(".");
	const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
	if (lines.length === 1) return [];
	return lines.filter((line) => line.length >= SHORTEST_PIECE && !line.startsWith("-----"));
}

/** JSON-escaped, with slashes or what is not ASCII escaped too, as some services do; once, and again in a text of JSON. */
function jsonFormsOf(value: string): string[] {
	const json = jsonEscaped(value);
	const ascii = json.replace(/[^ -~]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);
	const once = [json, ascii].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
	return [...once, ...once.map(jsonEscaped)];
}

function jsonEscaped(text: string): string {
	return JSON.stringify(text).slice(1, -1);
}

function urlFormsOf(value: string): string[] {
	const percent = encodeURIComponent(value.toWellFormed());
	const form = new URLSearchParams([["", value]]).toString().slice(1);
	// A URL encodes the apostrophe in its query by itself.
	const encoded = [percent, percent.replaceAll("'", "%27"), form];
	return encoded.flatMap((each) => [each, each.replace(/%../g, (code) => code.toLowerCase())]);
}

function hexFormsOf(value: string): string[] {
	const hex = [...new TextEncoder().encode(value)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	return [hex, hex.toUpperCase()];
}

/** Escaped where HTML needs it, in the ways that are common, or as a whole. */
function htmlFormsOf(value: string): string[] {
	const marks = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
	const quoted = ["&quot;", "&#34;"].flatMap((quote) =>
		["'", "&#39;", "&#x27;", "&apos;"].map((single) => marks.replaceAll('"', quote).replaceAll("'", single)),
	);
	const coded = (code: (point: number) => string) =>
		Array.from(value, (one) => `&#${code(one.codePointAt(0) ?? 0)};`).join("");
	const whole = [
		coded(String),
		coded((point) => `x${point.toString(16)}`),
		coded((point) => `x${point.toString(16).toUpperCase()}`),
	];
	return [marks, ...quoted, ...quoted.map((form) => form.replaceAll("/", "&#x2F;")), ...whole];
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
