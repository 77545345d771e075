import { type Disposable, toDisposable } from "#base/disposables.ts";
import { formsOf } from "./secret-forms.ts";

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

/** Removes every registered secret from text, in all the forms in which it can surface: see {@link formsOf}. */
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

	/** Line of a log: {@link redact}, and without the secrets that are never sent. */
	redactForLog(text: string): string {
		// Last, since such a secret may be part of a longer one, which would not be found without it.
		return this.#unsent.redact(this.redact(text));
	}

	/** A text of a conversation or of a service: short words stay, though somebody uses one for a key. */
	redactProse(text: string): string {
		return this.#long.redact(text);
	}

	/**
	 * Number of characters at the end of a growing text that are the beginning of a secret. Such an end waits for what
	 * follows.
	 */
	heldBack(text: string): number {
		return this.#long.begunIn(text);
	}

	/** Plain JSON with every text in it redacted as prose, names of fields excepted. */
	redactAll<T>(value: T): T {
		return this.#long.empty ? value : (walked(value, (text) => this.redactProse(text)) as T);
	}
}

function walked(value: unknown, change: (text: string) => string): unknown {
	if (typeof value === "string") return change(value);
	if (Array.isArray(value)) return value.map((each) => walked(each, change));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, walked(part, change)]));
}

/** The forms of the secrets that have at least so many characters. */
class Forms {
	readonly #shortest: number;
	readonly #secrets = new Map<string, Held>();
	#finder: Finder | undefined;
	#generation = 0;

	constructor(shortest: number) {
		this.#shortest = shortest;
	}

	get generation(): number {
		return this.#generation;
	}

	get empty(): boolean {
		return this.#secrets.size === 0;
	}

	add(secret: string): Disposable {
		const held = this.#secrets.get(secret) ?? { holders: 0, forms: undefined };
		held.holders += 1;
		if (held.holders === 1) {
			this.#secrets.set(secret, held);
			this.#generation += 1;
			this.#finder = undefined;
		}
		return toDisposable(() => {
			held.holders -= 1;
			if (held.holders > 0) return;
			this.#secrets.delete(secret);
			this.#finder = undefined;
		});
	}

	/** Number of characters at the end of a text that begin a form which does not end in it. */
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
		this.#finder ??= new Finder([...this.#secrets].flatMap(([secret, held]) => [...this.#formsOf(secret, held)]));
		return this.#finder;
	}

	/** Not before a text is gone over: that of a key file takes a moment, and many a secret comes and goes without one. */
	#formsOf(secret: string, held: Held): ReadonlySet<string> {
		held.forms ??= formsOf(secret, this.#shortest);
		return held.forms;
	}
}

/** A secret that is registered. */
interface Held {
	/** Registrations of it. */
	holders: number;
	forms: ReadonlySet<string> | undefined;
}

/** Range of a form in a text. */
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
		const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length);
		this.longest = sorted[0]?.length ?? 0;
		this.#forms = Map.groupBy(sorted, (form) => form.slice(0, SHORTEST_SECRET));
		const starts = [...this.#forms.keys()].map((start) => start.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
		// Without any, as of a secret that is too short to have one, it finds nothing.
		this.#starts = new RegExp(starts.join("|") || "(?!)", "g");
	}

	/** The first form that stands whole in a text from there on, the longest of those that begin in the same place. */
	next(text: string, from: number): Place | undefined {
		for (let at = this.#startIn(text, from); at !== undefined; at = this.#startIn(text, at + 1)) {
			const form = this.#at(text, at).find((each) => text.startsWith(each, at));
			if (form !== undefined) return { at, end: at + form.length };
		}
		return undefined;
	}

	/** Number of characters of the longest form that begins at the end of a text, searched from there on. */
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

	/** Next place where a form may begin. */
	#startIn(text: string, from: number): number | undefined {
		this.#starts.lastIndex = from;
		return this.#starts.test(text) ? this.#starts.lastIndex - SHORTEST_SECRET : undefined;
	}

	#at(text: string, at: number): readonly string[] {
		return this.#forms.get(text.slice(at, at + SHORTEST_SECRET)) ?? [];
	}
}
