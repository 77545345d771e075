/** A decoded reply that can be asked about again. */
interface Remembered<T> {
	readonly etag: string;
	readonly value: T;
	/** The reply's `Link` header: an unchanged page leads where it led. */
	readonly link: string | undefined;
	/** Length of the whole listing, by the service's count. */
	readonly total?: number | undefined;
	/** The length of its body, as a measure of what it takes up. */
	readonly size: number;
}

/** An `ETag` that can be sent back as it came. */
const SENDABLE = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$|^[\x21\x23-\x2b\x2d-\x7e]+$/;

/** LRU cache of replies by address and credential, for conditional requests. */
export class ReplyMemory<T> {
	/** In the order of use, the latest last. */
	readonly #entries = new Map<string, Remembered<T>>();
	readonly #limits: { readonly entries: number; readonly size: number };
	#size = 0;

	/** `limits` are numbers of replies and of characters of their bodies. */
	constructor(limits: { readonly entries: number; readonly size: number }) {
		this.#limits = limits;
	}

	/** The reply remembered for an address, which thereby counts as used. */
	recall(url: URL, identity: string): Remembered<T> | undefined {
		const key = keyOf(url, identity);
		const entry = this.#entries.get(key);
		if (entry === undefined) return undefined;
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		return entry;
	}

	/** Remembers a reply, or forgets the last one if it has no valid `ETag`. */
	keep(url: URL, identity: string, reply: Omit<Remembered<T>, "etag"> & { readonly etag: string | undefined }): void {
		const key = keyOf(url, identity);
		this.#forget(key);
		const { etag, size } = reply;
		if (etag === undefined || !SENDABLE.test(etag) || size > this.#limits.size) return;
		this.#entries.set(key, { ...reply, etag });
		this.#size += size;
		for (const oldest of this.#entries.keys()) {
			if (this.#entries.size <= this.#limits.entries && this.#size <= this.#limits.size) break;
			this.#forget(oldest);
		}
	}

	#forget(key: string): void {
		this.#size -= this.#entries.get(key)?.size ?? 0;
		this.#entries.delete(key);
	}
}

function keyOf(url: URL, identity: string): string {
	return `${identity} ${url.href}`;
}
