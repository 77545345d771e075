import type { Clock } from "#base/clock.ts";
import { invalid } from "#base/errors.ts";

/** Resource of a service that is edited as text. Each of its calls rejects with ClientError. */
export interface RemoteDocument<T> {
	read(): Promise<T>;
	/** Value of a text that a person has typed. Throws ClientError `invalid` for text that breaks a rule. */
	parse(text: string): T;
	/** Text of a value, as an editor shows it first. */
	print(value: T): string;
	/** True if two values say the same. */
	isSame(one: T, other: T): boolean;
	/** Writes a value over `before`, which the service has now; resolves to its value afterwards. */
	write(value: T, before: T): Promise<T>;
}

/** Time for which one read answers several questions of the editor. Milliseconds. */
const TOGETHER_MS = 2000;

/** Time for the editor to finish a save before it hears of what the service made of it. Milliseconds. */
const SETTLED_MS = 300;

interface Version<T> {
	readonly value: T;
	/** Text in the editor: a person's own layout stays. Undefined until the editor asks for it. */
	shown?: string;
}

/** File facts of a remote value, which show the editor changes. It compares time and size, so the size is a hash. */
export class RemoteText<T> {
	readonly #document: RemoteDocument<T>;
	readonly #clock: Clock;
	readonly #changed: () => void;
	readonly #ctime: number;
	#mtime: number;
	#known: Version<T> | undefined;
	#latest: { readonly at: number; readonly value: Promise<T> } | undefined;
	/** Time of the last write or beginning, which answers the next question of the editor. */
	#toldAt = Number.NEGATIVE_INFINITY;

	/** `changed` is called when the text changes by itself. */
	constructor(document: RemoteDocument<T>, clock: Clock, changed: () => void) {
		this.#document = document;
		this.#clock = clock;
		this.#changed = changed;
		this.#ctime = clock.now();
		this.#mtime = this.#ctime;
	}

	get isKnown(): boolean {
		return this.#known !== undefined;
	}

	/** Begins with a value that was read just now. */
	begin(value: T): void {
		this.learn(value);
		const at = this.#clock.monotonic();
		this.#latest = { at, value: Promise.resolve(value) };
		this.#toldAt = at;
	}

	/** Facts of the text, times in epoch milliseconds. Nothing is read right after a write or a beginning. */
	async facts() {
		const isTold = this.#clock.monotonic() - this.#toldAt <= TOGETHER_MS;
		this.#toldAt = Number.NEGATIVE_INFINITY;
		if (!isTold) await this.#read();
		return { ctime: this.#ctime, mtime: this.#mtime, size: sizeOf(this.#shown) };
	}

	/** Text that belongs to the facts. */
	async text(): Promise<string> {
		this.learn(await (this.#recent() ?? this.#read()));
		return this.#shown;
	}

	/** Writes the text if its value differs. A value changed since is a refusal, unless the editor has just compared. */
	async write(shown: string): Promise<void> {
		const document = this.#document;
		const value = document.parse(shown);
		const compared = this.#recent();
		const seen = this.#known;
		const before = await (compared ?? this.#read());
		this.#latest = undefined;
		if (compared === undefined && seen !== undefined && !document.isSame(seen.value, before)) {
			throw invalid("petstore", "document", "was changed elsewhere meanwhile: save again to compare");
		}
		const now = document.isSame(value, before) ? before : await document.write(value, before);
		const known: Version<T> = { value, shown };
		this.#known = known;
		this.#advance();
		this.#toldAt = this.#clock.monotonic();
		if (document.isSame(now, value)) return;
		this.#clock.after(SETTLED_MS, () => {
			// A value that was read or written since is newer.
			if (this.#known === known && this.learn(now)) this.#changed();
		});
	}

	/** Takes in the value of the service. Returns true if the editor has another. */
	learn(value: T): boolean {
		const known = this.#known;
		if (known !== undefined && this.#document.isSame(known.value, value)) return false;
		this.#known = { value };
		if (known === undefined) return false;
		this.#advance();
		return true;
	}

	get #shown(): string {
		const known = this.#known;
		if (known === undefined) return "";
		known.shown ??= this.#document.print(known.value);
		return known.shown;
	}

	async #read(): Promise<T> {
		const value = this.#document.read();
		const latest = { at: this.#clock.monotonic(), value };
		this.#latest = latest;
		try {
			this.learn(await value);
			return await value;
		} catch (error) {
			if (this.#latest === latest) this.#latest = undefined;
			throw error;
		}
	}

	#recent(): Promise<T> | undefined {
		const { at = Number.NEGATIVE_INFINITY, value } = this.#latest ?? {};
		return this.#clock.monotonic() - at <= TOGETHER_MS ? value : undefined;
	}

	#advance(): void {
		this.#mtime = Math.max(this.#clock.now(), this.#mtime + 1);
	}
}

/** Size of a text plus a hash, so that texts of equal length almost never have equal sizes. */
function sizeOf(text: string): number {
	let sum = 0;
	for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
	return new TextEncoder().encode(text).length + (Math.imul(sum, 0x9e3779b1) >>> 12);
}
