/** Bytes of one slab. */
const SIZE = 64 * 1024;

/** Gathers small chunks of bytes: copying them side by side costs far less than keeping and joining them. */
export class Slab {
	#bytes = new Uint8Array(0);
	/** Range that is filled and not yet taken. */
	#start = 0;
	#end = 0;

	/** Copies a chunk of at most 64 KB. When it did not fit behind what was there, that is given back first. */
	add(chunk: Uint8Array): Uint8Array | undefined {
		if (this.put(chunk)) return undefined;
		const full = this.take();
		this.#bytes = new Uint8Array(SIZE);
		this.reuse();
		this.put(chunk);
		return full;
	}

	/** Copies a chunk if it fits behind what is there, and says whether it did. */
	put(chunk: Uint8Array): boolean {
		const end = this.#end + chunk.length;
		if (end > this.#bytes.length) return false;
		this.#bytes.set(chunk, this.#end);
		this.#end = end;
		return true;
	}

	/** Allows the bytes taken so far to be overwritten; the caller must no longer use them. */
	reuse(): void {
		this.#start = 0;
		this.#end = 0;
	}

	/**
	 * Takes all bytes since the last time; undefined if there are none. They are overwritten only after {@link reuse}.
	 */
	take(): Uint8Array | undefined {
		if (this.#start === this.#end) return undefined;
		const taken = this.#bytes.subarray(this.#start, this.#end);
		this.#start = this.#end;
		return taken;
	}
}
