import { type Disposable, toDisposable } from "#base/disposables.ts";

/** What stands where a secret stood. */
export const REDACTED = "[redacted]";

/** Shorter values would blank out ordinary words; no service issues keys this short. */
const SHORTEST_SECRET = 4;

/**
 * Removes every registered secret from text, in the forms in which it can surface: as it is, base64, base64url,
 * URL-encoded, JSON-escaped, and for a JSON Web Token each of its parts.
 */
export class Redactor {
	/** Form of a secret -> how many registrations hold it. */
	readonly #forms = new Map<string, number>();
	#pattern: RegExp | undefined;

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
}

function formsOf(secret: string): Set<string> {
	const wholes = secret.trim() === secret ? [secret] : [secret, secret.trim()];
	const parts = /^[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}$/.test(secret) ? secret.split(".") : [];
	const forms = new Set<string>();
	for (const value of [...wholes, ...parts]) {
		if (value.length < SHORTEST_SECRET) continue;
		const base64 = base64Of(value);
		const base64Bare = base64.replace(/=+$/, "");
		for (const form of [
			value,
			base64,
			base64Bare,
			base64Bare.replaceAll("+", "-").replaceAll("/", "_"),
			encodeURIComponent(value.toWellFormed()),
			JSON.stringify(value).slice(1, -1),
		]) {
			forms.add(form);
		}
	}
	return forms;
}

/** Base64 of the UTF-8 bytes, without Node's Buffer: this layer also runs in the panel. */
function base64Of(text: string): string {
	let binary = "";
	for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
	return btoa(binary);
}
