import type { Clock } from "#base/clock.ts";
import { invalid } from "#base/errors.ts";

/** Resource of a service that is edited as text. Each of its calls rejects with ClientError. */
export interface RemoteDocument {
	/** Reads its text; the same thing is always the same text. */
	read(): Promise<string>;
	/** True if two different texts say the same; without it none do. */
	isSame?(one: string, other: string): boolean;
	/** Text that {@link read} would give if the service had this text. Throws ClientError `invalid` for what breaks a rule. */
	check(text: string): string;
	/** Writes a text that was checked over `before`, which the service has now; resolves to its text afterwards. */
	write(text: string, before: string): Promise<string>;
}

/** Time for which a read for one question of the editor answers the next. Milliseconds. */
const TOGETHER_MS = 2000;

/** Time for the editor to note a save before it hears that the service made something else of it. Milliseconds. */
const SETTLED_MS = 300;

interface Version {
	/** Text in the service's form. */
	readonly plain: string;
	/** Text in the editor: a person's own layout stays. */
	readonly shown: string;
}

/**
 * File facts of a remote text, so that the editor notices changes made elsewhere. It takes a file for changed when both
 * the time has advanced and the size differs, so that the size depends on every letter of the text.
 */
export class RemoteText {
	readonly #document: RemoteDocument;
	readonly #clock: Clock;
	readonly #changed: () => void;
	readonly #ctime: number;
	#mtime: number;
	#known: Version | undefined;
	#latest: { readonly at: number; readonly text: Promise<string> } | undefined;
	/** Time of a write or a beginning, after which the editor's next question is answered already. */
	#toldAt = Number.NEGATIVE_INFINITY;

	/** `changed` hears that the text has become another by itself. */
	constructor(document: RemoteDocument, clock: Clock, changed: () => void) {
		this.#document = document;
		this.#clock = clock;
		this.#changed = changed;
		this.#ctime = clock.now();
		this.#mtime = this.#ctime;
	}

	/** True once its text was read. */
	get isKnown(): boolean {
		return this.#known !== undefined;
	}

	/** Begins with a text that was read just now. */
	begin(text: string): void {
		this.learn(text);
		const at = this.#clock.monotonic();
		this.#latest = { at, text: Promise.resolve(text) };
		this.#toldAt = at;
	}

	/**
	 * Reads the text and returns its facts, with times in milliseconds since the epoch. Right after a write, or the
	 * beginning, nothing is read.
	 */
	async facts() {
		const isTold = this.#clock.monotonic() - this.#toldAt <= TOGETHER_MS;
		this.#toldAt = Number.NEGATIVE_INFINITY;
		if (!isTold) await this.#read();
		return { ctime: this.#ctime, mtime: this.#mtime, size: sizeOf(this.#known?.shown ?? "") };
	}

	/** Text that belongs to the facts. */
	async text(): Promise<string> {
		this.learn(await (this.#recent() ?? this.#read()));
		return this.#known?.shown ?? "";
	}

	/**
	 * Writes the text of the editor. Overwrites the store's text if the editor has just read its facts, for it has
	 * compared them or asked the person; else refuses if that has changed. The same text is not sent.
	 */
	async write(shown: string): Promise<void> {
		const plain = this.#document.check(shown);
		const compared = this.#recent();
		const seen = this.#known;
		const before = await (compared ?? this.#read());
		this.#latest = undefined;
		if (compared === undefined && seen !== undefined && !this.#isSame(seen.plain, before)) {
			throw invalid("petstore", "document", "was changed elsewhere meanwhile: save again to compare");
		}
		const now = this.#isSame(plain, before) ? before : await this.#document.write(shown, before);
		const known: Version = { plain, shown };
		this.#known = known;
		this.#advance();
		this.#toldAt = this.#clock.monotonic();
		if (this.#isSame(now, plain)) return;
		this.#clock.after(SETTLED_MS, () => {
			// A text that was read or written since is newer.
			if (this.#known === known && this.learn(now)) this.#changed();
		});
	}

	/** Takes in the text of the service. Returns whether the editor has another. */
	learn(text: string): boolean {
		const known = this.#known;
		if (known !== undefined && this.#isSame(known.plain, text)) return false;
		this.#known = { plain: text, shown: text };
		if (known === undefined) return false;
		this.#advance();
		return true;
	}

	async #read(): Promise<string> {
		const text = this.#document.read();
		const latest = { at: this.#clock.monotonic(), text };
		this.#latest = latest;
		try {
			this.learn(await text);
			return await text;
		} catch (error) {
			if (this.#latest === latest) this.#latest = undefined;
			throw error;
		}
	}

	#isSame(one: string, other: string): boolean {
		return one === other || this.#document.isSame?.(one, other) === true;
	}

	#recent(): Promise<string> | undefined {
		const { at = Number.NEGATIVE_INFINITY, text } = this.#latest ?? {};
		return this.#clock.monotonic() - at <= TOGETHER_MS ? text : undefined;
	}

	#advance(): void {
		this.#mtime = Math.max(this.#clock.now(), this.#mtime + 1);
	}
}

/** Size that another text of the same length does not have either, but for one in a million. */
function sizeOf(text: string): number {
	let sum = 0;
	for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
	return new TextEncoder().encode(text).length + (Math.imul(sum, 0x9e3779b1) >>> 12);
}
