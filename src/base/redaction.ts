import { type Disposable, toDisposable } from "#base/disposables.ts";
import { base64Of } from "./base64.ts";
import { oneLine } from "./one-line.ts";

/** Replacement of a secret. */
export const REDACTED = "[redacted]";

/** Shortest secret that is redacted in logs: a shorter one would blank out letters. */
const SHORTEST_SECRET = 4;

/** Shortest secret that is redacted in prose. Local services accept keys such as `ollama`; issued keys are longer. */
const SHORTEST_IN_PROSE = 12;

/** Fewest characters that count as the beginning of a secret. */
export const SHORTEST_BEGINNING = 8;

/** Shortest part of a secret that is redacted by itself: a shorter one would blank out words. */
const SHORTEST_PIECE = 8;

/** Longest text that a service can have stored about itself, such as a login. UTF-16 units. */
const LONGEST_STORED = 100;

/** Invisible characters: a secret split by them is still readable. */
const INVISIBLE = /[^\P{C}\n\r\t]|\p{Default_Ignorable_Code_Point}/gu;

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", lowbar: "_", sol: "/" };

/** Escapes of HTML, JSON and URLs. */
const ESCAPED = /&#(\d+);?|&#x([\da-f]+);?|\\u([\da-f]{4})|\\x([\da-f]{2})|&([a-z]+);|\\(["'\\/])|((?:%[\da-f]{2})+)/gi;
const CUT_OFF = /(?:&#?\w{0,8}|\\(?:u[\da-f]{0,3}|x[\da-f]?)?|%[\da-f]?|(?<=[\da-f]{2})[: ][\da-f]?)$/i;
const HEX = /(?<![\da-f])[\da-f]{2}(?:[\da-f]{2}|[: ][\da-f]{2}\b){3,}[\da-f]?/gi;

/** Decodings that a reader could apply, in order; escapes may be nested. */
const READINGS: readonly ((text: string) => string)[] = [
	(text) => text.replace(INVISIBLE, ""),
	unescaped,
	unescaped,
	(text) => text.replace(HEX, (run) => run.replace(/[: ]/g, "").toLowerCase()),
];

function unescaped(text: string): string {
	const plain = (whole: string, ...[decimal, hex, unit, byte, name, mark, percent]: (string | undefined)[]) => {
		const bytes = percent?.slice(1).split("%") ?? [];
		if (bytes.length > 0) return new TextDecoder().decode(Uint8Array.from(bytes, (each) => Number(`0x${each}`)));
		const point = Number(decimal ?? `0x${hex ?? unit ?? byte}`);
		return mark ?? NAMED[name ?? ""] ?? (point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole);
	};
	return text.replace(ESCAPED, plain).replace(INVISIBLE, "");
}

/** Removes registered secrets from text in all their forms: see {@link formsOf}. */
export class Redactor {
	readonly #all = new Forms(SHORTEST_SECRET);
	readonly #long = new Forms(SHORTEST_IN_PROSE);

	/** Registers a secret; dispose when it is no longer used. */
	register(secret: string): Disposable {
		const held = [this.#all, this.#long].map((forms) => forms.add(secret));
		return toDisposable(() => {
			for (const each of held) each.dispose();
		});
	}

	/** Changes when a new secret was registered. */
	get generation(): number {
		return this.#all.generation;
	}

	/** A line of a log, or words about an error, with every form of every secret replaced by {@link REDACTED}. */
	redact(text: string): string {
		return this.#all.redact(text);
	}

	/** Number of characters at the end of a growing text that may begin a secret and must wait for what follows. */
	heldBack(text: string): number {
		return this.#long.begunIn(text);
	}

	/** Redacts a text, or all texts and field names of plain JSON, outside of logs. Short secrets stay. */
	leaving<T>(value: T): T {
		return this.#long.empty ? value : (walked(value, (text) => this.#long.redact(text)) as T);
	}

	/** Text of a service, safe to store: redacted, printable, one short line. */
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

/** Forms of all secrets of a minimum length. */
class Forms {
	readonly #shortest: number;
	/** Registered secrets, counted. */
	readonly #secrets = new Map<string, number>();
	/** Forms by secret, cached: a key file has hundreds. */
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

	/** Only a text that hides a secret in one of the {@link READINGS} is changed beyond that. */
	redact(text: string): string {
		if (this.empty) return text;
		const { pattern } = this.#found();
		let open = text.replaceAll(pattern, REDACTED);
		let read = open;
		for (const reading of READINGS) {
			read = reading(read);
			if (read !== open && read.search(pattern) >= 0) open = read = read.replaceAll(pattern, REDACTED);
		}
		return open;
	}

	/** Characters at the end of a text that begin a form without ending it, in any decoding. */
	begunIn(text: string): number {
		if (this.empty) return 0;
		// An escape has up to eight characters per character of a form.
		const near = text.slice(-8 * (this.#found().forms[0]?.length ?? 0));
		let read = near.replace(CUT_OFF, "");
		const isBegun = (reading: (text: string) => string) => {
			read = reading(read);
			return read !== near && this.#begunIn(read, SHORTEST_SECRET) > 0;
		};
		return this.#begunIn(near) || (READINGS.some(isBegun) ? near.length : 0);
	}

	#begunIn(text: string, fewest = SHORTEST_BEGINNING): number {
		const all = this.#found().forms;
		const near = text.slice(-2 * (all[0]?.length ?? 0));
		// Nearly always no form begins here, and the search ends.
		const forms = all.filter((form) => near.includes(form.slice(0, fewest)));
		for (let at = 0; forms.length > 0 && at <= near.length - fewest; ) {
			const end = near.slice(at);
			// A shorter form that is here whole is skipped.
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

	/** Forms, longest first, compiled on demand: many secrets are never searched for. */
	#found(): { readonly forms: readonly string[]; readonly pattern: RegExp } {
		if (this.#finder === undefined) {
			const secrets = [...this.#secrets.keys()];
			const all = new Set(secrets.flatMap((secret) => [...this.#formsOf(secret)]));
			const forms = [...all].sort((a, b) => b.length - a.length);
			const escaped = forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
			// Without forms, it matches nothing.
			this.#finder = { forms, pattern: new RegExp(escaped.join("|") || "(?!)", "g") };
		}
		return this.#finder;
	}
}

/** Forms of a secret, of the parts of a JWT and of the lines of a key file: plain, escaped, hex and base64. */
function formsOf(secret: string, shortest: number): ReadonlySet<string> {
	const values = [secret, secret.trim(), ...piecesOf(secret)].filter((value) => value.length >= shortest);
	const escaped = (value: string) => [JSON.stringify(value).slice(1, -1), value.replaceAll(" ", "+")];
	return new Set(values.flatMap((value) => [value, ...escaped(value), ...encodedFormsOf(value)]));
}

/** Parts of a JWT, or lines of a key file without its frame. */
function piecesOf(secret: string): string[] {
	if (/^[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}$/.test(secret)) return secret.split(".");
	const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
	if (lines.length === 1) return [];
	return lines.filter((line) => line.length >= SHORTEST_PIECE && !line.startsWith("-----"));
}

function encodedFormsOf(value: string): string[] {
	const bytes = new TextEncoder().encode(value);
	const whole = base64Of(bytes);
	const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
	const forms = [hex, whole, whole.replace(/=+$/, "")];
	// Inside a longer text the encoding depends on the offset in a group of three bytes; only the edges depend on neighbors.
	for (const offset of [0, 1, 2]) {
		const shifted = new Uint8Array(offset + bytes.length);
		shifted.set(bytes, offset);
		const own = base64Of(shifted).slice(Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6));
		if (own.length >= SHORTEST_PIECE) forms.push(own);
	}
	return [...forms, ...forms.map((form) => form.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"))];
}
