/** Bytes of one slab. */
const SIZE = 64 * 1024;

/** Gathers small chunks of bytes: copying them side by side costs far less than keeping and joining them. */
export class Slab {
	#bytes = new Uint8Array(0);
	/** What is filled and not yet taken. */
	#start = 0;
	#end = 0;

	/** Copies a chunk of at most 64 KB. When it did not fit behind what was there, that is given back first. */
	add(chunk: Uint8Array): Uint8Array | undefined {
		let full: Uint8Array | undefined;
		if (!this.fits(chunk.length)) {
			full = this.take();
			this.#bytes = new Uint8Array(SIZE);
			this.#start = 0;
			this.#end = 0;
		}
		this.#bytes.set(chunk, this.#end);
		this.#end += chunk.length;
		return full;
	}

	/** Whether a chunk of so many bytes fits behind what is there. */
	fits(length: number): boolean {
		return this.#end + length <= this.#bytes.length;
	}

	/** Allows what was taken so far to be written over, by whoever has no more use for it. */
	reuse(): void {
		this.#start = 0;
		this.#end = 0;
	}

	/** All that was gathered since the last time; undefined if nothing was. It is not written to again but for {@link reuse}. */
	take(): Uint8Array | undefined {
		if (this.#start === this.#end) return undefined;
		const taken = this.#bytes.subarray(this.#start, this.#end);
		this.#start = this.#end;
		return taken;
	}
}
