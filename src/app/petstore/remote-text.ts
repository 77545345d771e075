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

/** Text of a remote value; see {@link remoteText}. */
export type RemoteText<T> = ReturnType<typeof remoteText<T>>;

/**
 * Text of a remote value with file facts that show the editor changes. It compares time and size, so the size is a hash.
 * `changed` is called when the text changes by itself.
 */
export function remoteText<T>(document: RemoteDocument<T>, clock: Clock, changed: () => void) {
	const ctime = clock.now();
	let mtime = ctime;
	let known: Version<T> | undefined;
	let latest: { readonly at: number; readonly value: Promise<T> } | undefined;
	/** Time of the last write or beginning, which answers the next question of the editor. */
	let toldAt = Number.NEGATIVE_INFINITY;

	function shownText(): string {
		if (known === undefined) return "";
		known.shown ??= document.print(known.value);
		return known.shown;
	}

	async function read(): Promise<T> {
		const value = document.read();
		const begun = { at: clock.monotonic(), value };
		latest = begun;
		try {
			learn(await value);
			return await value;
		} catch (error) {
			if (latest === begun) latest = undefined;
			throw error;
		}
	}

	function recent(): Promise<T> | undefined {
		const { at = Number.NEGATIVE_INFINITY, value } = latest ?? {};
		return clock.monotonic() - at <= TOGETHER_MS ? value : undefined;
	}

	function advance(): void {
		mtime = Math.max(clock.now(), mtime + 1);
	}

	/** Takes in the value of the service. Returns true if the editor has another. */
	function learn(value: T): boolean {
		const before = known;
		if (before !== undefined && document.isSame(before.value, value)) return false;
		known = { value };
		if (before === undefined) return false;
		advance();
		return true;
	}

	return {
		get isKnown() {
			return known !== undefined;
		},
		learn,
		/** Begins with a value that was read just now. */
		begin(value: T): void {
			learn(value);
			toldAt = clock.monotonic();
			latest = { at: toldAt, value: Promise.resolve(value) };
		},
		/** Facts of the text, times in epoch milliseconds. Nothing is read right after a write or a beginning. */
		async facts() {
			const isTold = clock.monotonic() - toldAt <= TOGETHER_MS;
			toldAt = Number.NEGATIVE_INFINITY;
			if (!isTold) await read();
			return { ctime, mtime, size: sizeOf(shownText()) };
		},
		/** Text that belongs to the facts. */
		async text(): Promise<string> {
			learn(await (recent() ?? read()));
			return shownText();
		},
		/** Writes the text if its value differs. A value changed since is a refusal, unless the editor has just compared. */
		async write(shown: string): Promise<void> {
			const value = document.parse(shown);
			const compared = recent();
			const seen = known;
			const before = await (compared ?? read());
			latest = undefined;
			if (compared === undefined && seen !== undefined && !document.isSame(seen.value, before)) {
				throw invalid("petstore", "document", "was changed elsewhere meanwhile: save again to compare");
			}
			const now = document.isSame(value, before) ? before : await document.write(value, before);
			const written: Version<T> = { value, shown };
			known = written;
			advance();
			toldAt = clock.monotonic();
			if (document.isSame(now, value)) return;
			clock.after(SETTLED_MS, () => {
				// A value that was read or written since is newer.
				if (known === written && learn(now)) changed();
			});
		},
	};
}

/** Size of a text plus a hash, so that texts of equal length almost never have equal sizes. */
function sizeOf(text: string): number {
	let sum = 0;
	for (let at = 0; at < text.length; at++) sum = (Math.imul(sum, 31) + text.charCodeAt(at)) | 0;
	return new TextEncoder().encode(text).length + (Math.imul(sum, 0x9e3779b1) >>> 12);
}
