import type { Clock } from "#base/clock.ts";
import { invalid } from "#base/errors.ts";

/** A text that a service has told. */
export interface Told {
	readonly text: string;
	/** A fingerprint of what else the service has of the thing; undefined where that is not told, as after most changes. */
	readonly rest?: string | undefined;
}

/** Something of a service that is edited as text. Each of its calls rejects with ClientError. */
export interface RemoteDocument {
	/** Whether it has no change that the service takes. */
	readonly isReadonly?: boolean;
	/** Its text as the service has it now; the same thing is always the same text. */
	read(): Promise<Told>;
	/** Whether two different texts that were read, or checked, say the same; without it none do. */
	isSame?(one: string, other: string): boolean;
	/** The text that {@link read} would give if the service had this text. Throws ClientError `invalid` for what breaks a rule. */
	check(text: string): string;
	/** Whether a text that was checked has all that its check gives; without it every text does. */
	isWhole?(text: string): boolean;
	/** Brings a text that was checked to the service, which now has `before`; resolves to what it has afterwards. */
	write(text: string, before: string): Promise<Told>;
}

/** What the editor decides by whether a text has become another. Times are milliseconds since the epoch. */
export interface TextFacts {
	readonly ctime: number;
	readonly mtime: number;
	readonly size: number;
}

/** What an editor uses. */
export interface RemoteTextParts {
	readonly document: RemoteDocument;
	readonly clock: Clock;
	/** Hears that the text has become another by itself. */
	readonly changed: () => void;
}

/** The editor asks for the facts, then for the text, or writes: what was read for the one serves the other. Milliseconds. */
const TOGETHER_MS = 2000;

/** How long the editor may take to note that it has saved, before it hears that the service made something else of it. */
const SETTLED_MS = 300;

interface Version {
	/** As the service has it. */
	readonly plain: string;
	/** As the editor shows it: what a person has laid out differently stays so. */
	readonly shown: string;
	/** Of what the service has beside it; undefined until that is told. */
	rest: string | undefined;
}

/**
 * What an editor of files is told of something that has neither times nor sizes, so that it notices by itself when that
 * was changed elsewhere. It takes a file for changed when both the time has advanced and the size is another one. So the
 * time advances whenever what is read differs from what was known, and the size depends on every letter of the text.
 */
export class RemoteText {
	readonly #parts: RemoteTextParts;
	readonly #ctime: number;
	#mtime: number;
	#known: Version | undefined;
	/** What was last tried to be written: it may have arrived though nobody said so. */
	#tried: Version | undefined;
	#latest: { readonly at: number; readonly told: Promise<Told> } | undefined;
	/** When the service was asked on another way, so that the editor's next question is answered already. */
	#toldAt = Number.NEGATIVE_INFINITY;

	constructor(parts: RemoteTextParts) {
		this.#parts = parts;
		this.#ctime = parts.clock.now();
		this.#mtime = this.#ctime;
	}

	/** Whether anything was ever told of it, or read. */
	get isKnown(): boolean {
		return this.#known !== undefined;
	}

	/** Begins with what was read just now, so that it is not asked for once more. */
	begin(told: Told): void {
		this.learn(told);
		const at = this.#parts.clock.monotonic();
		this.#latest = { at, told: Promise.resolve(told) };
		this.#toldAt = at;
	}

	/** Asks the service and tells what is known then. Right after a write, or the beginning, nothing is asked. */
	async facts(): Promise<TextFacts> {
		const isTold = this.#parts.clock.monotonic() - this.#toldAt <= TOGETHER_MS;
		this.#toldAt = Number.NEGATIVE_INFINITY;
		if (!isTold) await this.#read();
		const { shown = "", rest = "" } = this.#known ?? {};
		return { ctime: this.#ctime, mtime: this.#mtime, size: sizeOf(shown + rest) };
	}

	/** The text that belongs to the facts. */
	async text(): Promise<string> {
		const latest = this.#recent();
		this.learn(await (latest ?? this.#read()));
		return this.#known?.shown ?? "";
	}

	/**
	 * Writes what the editor shows. What the editor has just been told the facts of is overwritten, for it has compared or
	 * asked; otherwise a text that is not the known one any more is refused. What the service has already is not sent.
	 */
	async write(shown: string): Promise<void> {
		const { document, clock } = this.#parts;
		const plain = document.check(shown);
		const before = (await this.#recent()) ?? (await this.#readUnchanged());
		this.#latest = undefined;
		// What becomes of the rest is for the service to say.
		this.#tried = { plain, shown, rest: undefined };
		const now = this.#saysSame(plain, before.text) ? before : await document.write(shown, before.text);
		this.#tried = undefined;
		const known: Version = { plain, shown, rest: now.rest };
		this.#known = known;
		this.#advance();
		this.#toldAt = clock.monotonic();
		const isWhole = document.isWhole?.(shown) !== false;
		if (isWhole && this.#saysSame(now.text, plain)) return;
		clock.after(SETTLED_MS, () => {
			// What was read or written since is newer.
			if (this.#known !== known) return;
			if (!this.learn(now)) {
				this.#known = { ...known, shown: plain };
				this.#advance();
			}
			this.#parts.changed();
		});
	}

	/** Asks the service again. Returns whether the editor was told of something else before. */
	async renew(): Promise<boolean> {
		const before = this.#known;
		await this.#read();
		return before !== undefined && this.#known !== before;
	}

	/** Takes note of what the service has. Returns whether the editor was told of something else before. */
	learn(told: Told): boolean {
		const { text, rest } = told;
		const known = this.#known;
		if (known !== undefined && this.#isSame(known, told)) {
			known.rest ??= rest;
			return false;
		}
		const tried = this.#tried;
		const isTried = tried !== undefined && this.#isSame(tried, told);
		this.#known = { ...(isTried ? tried : { plain: text, shown: text }), rest };
		// What was written is no change to whoever wrote it.
		if (known === undefined || isTried) return false;
		this.#advance();
		return true;
	}

	async #read(): Promise<Told> {
		const told = this.#parts.document.read();
		const latest = { at: this.#parts.clock.monotonic(), told };
		this.#latest = latest;
		try {
			this.learn(await told);
			return await told;
		} catch (error) {
			if (this.#latest === latest) this.#latest = undefined;
			throw error;
		}
	}

	async #readUnchanged(): Promise<Told> {
		const known = this.#known;
		const told = await this.#read();
		const seen = [known, this.#tried].filter((each) => each !== undefined);
		if (known !== undefined && !seen.some((each) => this.#isSame(each, told))) {
			// The editor has not seen it yet.
			this.#latest = undefined;
			throw invalid("petstore", "document", "was changed elsewhere meanwhile: save again to compare");
		}
		return told;
	}

	/** Whether nothing is told that is not known, in the text or beside it. */
	#isSame({ plain, rest }: Version, told: Told): boolean {
		const isRest = rest === undefined || told.rest === undefined || rest === told.rest;
		return isRest && this.#saysSame(plain, told.text);
	}

	#saysSame(one: string, other: string): boolean {
		return one === other || this.#parts.document.isSame?.(one, other) === true;
	}

	#recent(): Promise<Told> | undefined {
		const { at = Number.NEGATIVE_INFINITY, told } = this.#latest ?? {};
		return this.#parts.clock.monotonic() - at <= TOGETHER_MS ? told : undefined;
	}

	#advance(): void {
		this.#mtime = Math.max(this.#parts.clock.now(), this.#mtime + 1);
	}
}

/** A size that another text of the same length does not have either, but for one in a million. */
function sizeOf(text: string): number {
	let sum = 0;
	for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
	return new TextEncoder().encode(text).length + (Math.imul(sum, 0x9e3779b1) >>> 12);
}
