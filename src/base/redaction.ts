import { type Disposable, toDisposable } from "#base/disposables.ts";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

/** Shorter values would blank out ordinary words; no service issues keys this short. */
const SHORTEST_SECRET = 4;

/** A shorter piece of a secret would blank out ordinary words too. */
const SHORTEST_PIECE = 8;

/**
 * Removes every registered secret from text, in the forms in which it can surface: as it is, base64 and base64url (also
 * inside a longer encoded text, as in a Basic header), URL-encoded, form-encoded, JSON-escaped; for a JSON Web Token
 * also each of its parts, for a key file each of its lines.
 */
export class Redactor {
	/** Form of a secret -> how many registrations hold it. */
	readonly #forms = new Map<string, number>();
	#pattern: RegExp | undefined;
	/** Of the secrets that only logs are cleared of. */
	#unsent: Redactor | undefined;

	/** Registers a secret in use; dispose when it is no longer used anywhere. */
	register(secret: string): Disposable {
		const forms = formsOf(secret);
		for (const form of forms) this.#forms.set(form, (this.#forms.get(form) ?? 0) + 1);
		this.#pattern = undefined;
		return toDisposable(() => {
			for (const form of forms) {
				const holders = (this.#forms.get(form) ?? 0) - 1;
				if (holders > 0) this.#forms.set(form, holders);
				else this.#forms.delete(form);
			}
			this.#pattern = undefined;
		});
	}

	/**
	 * Registers a secret that no service is ever sent, such as a passphrase. A person may have chosen a common word, which
	 * services use as well: it is removed by {@link redactForLog} only.
	 */
	registerUnsent(secret: string): Disposable {
		this.#unsent ??= new Redactor();
		return this.#unsent.register(secret);
	}

	/** The same as {@link redact}, and without the secrets that are never sent. */
	redactForLog(text: string): string {
		// Last, since such a secret may be part of a longer one, which would not be found without it.
		const redacted = this.redact(text);
		return this.#unsent?.redact(redacted) ?? redacted;
	}

	/** The text with every form of every registered secret replaced by {@link REDACTED}. */
	redact(text: string): string {
		if (this.#forms.size === 0) return text;
		this.#pattern ??= new RegExp(
			[...this.#forms.keys()]
				.sort((a, b) => b.length - a.length)
				.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
				.join("|"),
			"g",
		);
		return text.replace(this.#pattern, REDACTED);
	}

	/** Plain JSON with every text in it redacted, names of fields excepted. */
	redactAll<T>(value: T): T {
		if (this.#forms.size === 0) return value;
		return this.#walk(value) as T;
	}

	#walk(value: unknown): unknown {
		if (typeof value === "string") return this.redact(value);
		if (Array.isArray(value)) return value.map((each) => this.#walk(each));
		if (typeof value !== "object" || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.#walk(part)]));
	}
}

function formsOf(secret: string): Set<string> {
	const forms = new Set<string>();
	for (const value of [secret, secret.trim(), ...piecesOf(secret)]) {
		if (value.length < SHORTEST_SECRET) continue;
		const percent = encodeURIComponent(value.toWellFormed());
		const form = new URLSearchParams([["", value]]).toString().slice(1);
		const plain = [value, JSON.stringify(value).slice(1, -1), percent, form, lowerHex(percent), lowerHex(form)];
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
