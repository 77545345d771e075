import { type Disposable, toDisposable } from "#base/disposables.ts";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

/** Shorter values would blank out single letters of a log. */
const SHORTEST_SECRET = 4;

/**
 * The same for what a person reads and what is sent again. Local services take any word for a key, `ollama` or `user`,
 * and a conversation must not lose its words to that; keys that services issue are all longer.
 */
const SHORTEST_IN_PROSE = 12;

/** So much of a secret at the end of a text is taken for its beginning; less is too often a beginning of other words. */
const SHORTEST_BEGINNING = 6;

/** A shorter piece of a secret would blank out ordinary words too. */
const SHORTEST_PIECE = 8;

/**
 * Removes every registered secret from text, in the forms in which it can surface: as it is, base64 and base64url (also
 * inside a longer encoded text, as in a Basic header), URL-encoded, form-encoded, escaped as in JSON and XML; for a JSON
 * Web Token also each of its parts, for a key file each of its lines.
 */
export class Redactor {
	readonly #all = new Forms(SHORTEST_SECRET);
	readonly #long = new Forms(SHORTEST_IN_PROSE);
	/** Of the secrets that only logs are cleared of. */
	readonly #unsent = new Forms(SHORTEST_SECRET);

	/** Registers a secret in use; dispose when it is no longer used anywhere. */
	register(secret: string): Disposable {
		const all = this.#all.add(secret);
		const long = this.#long.add(secret);
		return toDisposable(() => {
			all.dispose();
			long.dispose();
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
	 * Registers a secret that no service is ever sent, such as a passphrase. A person may have chosen a common word, which
	 * services use as well: it is removed by {@link redactForLog} only.
	 */
	registerUnsent(secret: string): Disposable {
		return this.#unsent.add(secret);
	}

	/** The same as {@link redact}, and without the secrets that are never sent. */
	redactForLog(text: string): string {
		// Last, since such a secret may be part of a longer one, which would not be found without it.
		return this.#unsent.redact(this.redact(text));
	}

	/** A text of a conversation or of a service: short words stay, though somebody uses one for a key. */
	redactProse(text: string): string {
		return this.#long.redact(text);
	}

	/**
	 * How many characters at the end of a growing text may be the beginning of a secret, whose rest is still to come. Such
	 * an end is kept from where it could not be taken away again.
	 */
	heldBack(text: string): number {
		return this.#long.begunIn(text);
	}

	/** Plain JSON with every text in it redacted as prose, names of fields excepted. */
	redactAll<T>(value: T): T {
		return this.#long.empty ? value : (this.#walk(value) as T);
	}

	#walk(value: unknown): unknown {
		if (typeof value === "string") return this.redactProse(value);
		if (Array.isArray(value)) return value.map((each) => this.#walk(each));
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.#walk(part)]));
	}
}

/** The forms of the secrets that have at least so many characters. */
class Forms {
	readonly #shortest: number;
	/** Form of a secret -> how many registrations hold it. */
	readonly #holders = new Map<string, number>();
	#finder: Finder | undefined;
	#generation = 0;

	constructor(shortest: number) {
		this.#shortest = shortest;
	}

	get generation(): number {
		return this.#generation;
	}

	get empty(): boolean {
		return this.#holders.size === 0;
	}

	add(secret: string): Disposable {
		const forms = formsOf(secret, this.#shortest);
		if ([...forms].some((form) => !this.#holders.has(form))) {
			this.#generation += 1;
			this.#finder = undefined;
		}
		for (const form of forms) this.#holders.set(form, (this.#holders.get(form) ?? 0) + 1);
		return toDisposable(() => {
			for (const form of forms) {
				const holders = (this.#holders.get(form) ?? 0) - 1;
				if (holders > 0) this.#holders.set(form, holders);
				else this.#holders.delete(form);
			}
			this.#finder = undefined;
		});
	}

	/** How many characters at the end of a text begin a form that does not end in it. */
	begunIn(text: string): number {
		if (this.empty) return 0;
		const finder = this.#found();
		const near = Math.max(0, text.length - finder.longest);
		let from = near;
		if (near > 0) {
			// What is a part of a form that is there whole begins no other.
			for (let form = finder.next(text, 0); form !== undefined && form.at < near; form = finder.next(text, form.end)) {
				from = Math.max(from, form.end);
			}
		}
		return finder.begunIn(text, from);
	}

	redact(text: string): string {
		if (this.empty) return text;
		const finder = this.#found();
		let clean = "";
		let from = 0;
		for (let form = finder.next(text, 0); form !== undefined; form = finder.next(text, from)) {
			clean += text.slice(from, form.at) + REDACTED;
			from = form.end;
		}
		return clean + text.slice(from);
	}

	#found(): Finder {
		this.#finder ??= new Finder([...this.#holders.keys()]);
		return this.#finder;
	}
}

/** Where in a text a form stands. */
interface Place {
	readonly at: number;
	readonly end: number;
}

/**
 * Finds forms without comparing each at each place: a key file alone has a thousand. A pattern of their first characters
 * is made much faster than one of all of them, and tells of so few places that the rest is compared there.
 */
class Finder {
	/** The forms by their first characters, the longest first. */
	readonly #forms: ReadonlyMap<string, readonly string[]>;
	readonly #starts: RegExp;
	/** Characters of the longest form. */
	readonly longest: number;

	constructor(forms: readonly string[]) {
		const sorted = forms.toSorted((a, b) => b.length - a.length);
		this.longest = sorted[0]?.length ?? 0;
		this.#forms = Map.groupBy(sorted, (form) => form.slice(0, SHORTEST_SECRET));
		const starts = [...this.#forms.keys()].map((start) => start.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
		this.#starts = new RegExp(starts.join("|"), "g");
	}

	/** The first form that stands whole in a text from there on, the longest of those that begin in the same place. */
	next(text: string, from: number): Place | undefined {
		for (let at = this.#startIn(text, from); at !== undefined; at = this.#startIn(text, at + 1)) {
			const form = this.#at(text, at).find((each) => text.startsWith(each, at));
			if (form !== undefined) return { at, end: at + form.length };
		}
		return undefined;
	}

	/** How many characters the longest form has at the end of a text that does not end in it, looked for from there on. */
	begunIn(text: string, from: number): number {
		for (let at = this.#startIn(text, from); at !== undefined && at <= text.length - SHORTEST_BEGINNING; ) {
			const end = text.slice(at);
			const forms = this.#at(text, at);
			// Though a shorter form may be there whole: it is not cut in two, and nothing within it is looked at.
			if (forms.some((form) => form.length > end.length && form.startsWith(end))) return end.length;
			const whole = forms.find((form) => end.startsWith(form));
			at = this.#startIn(text, at + (whole?.length ?? 1));
		}
		return 0;
	}

	/** Where a form may begin, from there on. */
	#startIn(text: string, from: number): number | undefined {
		this.#starts.lastIndex = from;
		return this.#starts.test(text) ? this.#starts.lastIndex - SHORTEST_SECRET : undefined;
	}

	#at(text: string, at: number): readonly string[] {
		return this.#forms.get(text.slice(at, at + SHORTEST_SECRET)) ?? [];
	}
}

function formsOf(secret: string, shortest: number): Set<string> {
	const forms = new Set<string>();
	for (const value of [secret, secret.trim(), ...piecesOf(secret)]) {
		if (value.length < shortest) continue;
		const percent = encodeURIComponent(value.toWellFormed());
		const form = new URLSearchParams([["", value]]).toString().slice(1);
		const json = JSON.stringify(value).slice(1, -1);
		// A URL encodes the apostrophe in its query by itself, and some services every mark.
		const quoted = percent.replaceAll("'", "%27");
		const strict = percent.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
		// An address within an address is encoded once more.
		const encoded = [percent, quoted, strict, form, encodeURIComponent(percent), encodeURIComponent(form)];
		const plain = [value, json, ...xmlFormsOf(value), ...encoded, ...encoded.map(lowerHex)];
		for (const one of [...plain, ...base64FormsOf(value)]) forms.add(one);
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

/** As text of an element, where quotation marks may stand as they are, and as the value of an attribute. */
function xmlFormsOf(value: string): string[] {
	const text = value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
	const quoted = text.replaceAll('"', "&quot;");
	const apostrophes = ["&apos;", "&#39;", "&#x27;"].map((entity) => quoted.replaceAll("'", entity));
	return [text, quoted, ...apostrophes];
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

function lowerHex(encoded: string): string {
	return encoded.replace(/%../g, (code) => code.toLowerCase());
}

/** Base64 without Node's Buffer: this layer also runs in the panel. */
function base64Of(bytes: Uint8Array): string {
	let binary = "";
	for (const byte of bytes) binary += String.fromCharCode(byte);
	return btoa(binary);
}
