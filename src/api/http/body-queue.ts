import { Slab } from "./slab.ts";

/** Bytes held back before the sender is asked to pause. */
const HIGH_WATER = 256 * 1024;
/** Chunks from this size on are handed out as they came. */
const LARGE = 8 * 1024;

/** The sender's side of a body, as far as the queue steers it. */
interface BodySource {
	pause(): void;
	resume(): void;
	/** Closes the socket; called when the reader leaves before the end. */
	abandon(): void;
}

/**
 * Hands the chunks of a body to one reader. Chunks that arrived since the last read are joined into one piece, so that
 * a body sent in tiny frames costs its reader hardly more than one sent in large ones. What arrived before a failure
 * is handed out before the failure is thrown.
 */
export class BodyQueue implements AsyncIterableIterator<Uint8Array, undefined> {
	readonly #source: BodySource;
	/** Whole pieces, in front of what is in the slab. */
	#pieces: Uint8Array[] = [];
	readonly #slab = new Slab();
	#bytes = 0;
	#paused = false;
	/** The reader will be answered at the end of this turn, with all that comes until then. */
	#waking = false;
	#ended = false;
	#failure: { readonly error: unknown } | undefined;
	#reader: PromiseWithResolvers<IteratorResult<Uint8Array, undefined>> | undefined;

	constructor(source: BodySource) {
		this.#source = source;
	}

	/** Takes a chunk, which must not be written to afterwards. */
	push(chunk: Uint8Array): void {
		if (this.#ended || chunk.length === 0) return;
		const isLarge = chunk.length >= LARGE;
		const before = isLarge ? this.#slab.take() : this.#slab.add(chunk);
		if (before !== undefined) this.#pieces.push(before);
		if (isLarge) this.#pieces.push(chunk);
		this.#bytes += chunk.length;
		if (this.#reader !== undefined && !this.#waking) {
			this.#waking = true;
			queueMicrotask(this.#wake);
		}
		if (this.#bytes > HIGH_WATER && !this.#paused) {
			this.#paused = true;
			this.#source.pause();
		}
	}

	end(): void {
		this.#ended = true;
		this.#serve();
	}

	fail(error: unknown): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#failure = { error };
		this.#serve();
	}

	[Symbol.asyncIterator](): this {
		return this;
	}

	next(): Promise<IteratorResult<Uint8Array, undefined>> {
		this.#reader = Promise.withResolvers();
		const { promise } = this.#reader;
		this.#serve();
		return promise;
	}

	return(): Promise<IteratorResult<Uint8Array, undefined>> {
		if (!this.#ended) {
			this.#ended = true;
			this.#source.abandon();
		}
		this.#pieces = [];
		this.#slab.take();
		this.#bytes = 0;
		return Promise.resolve({ done: true, value: undefined });
	}

	readonly #wake = (): void => {
		this.#waking = false;
		this.#serve();
	};

	/** Answers the waiting reader if there is anything to say. */
	#serve(): void {
		const reader = this.#reader;
		if (reader === undefined) return;
		const piece = this.#take();
		if (piece === undefined && !this.#ended) return;
		// Forgotten before anything else happens: a source that is resumed may push and end at once.
		this.#reader = undefined;
		if (piece !== undefined) reader.resolve({ done: false, value: piece });
		else if (this.#failure !== undefined) reader.reject(this.#failure.error);
		else reader.resolve({ done: true, value: undefined });
		if (this.#paused && this.#bytes < HIGH_WATER / 2) {
			this.#paused = false;
			this.#source.resume();
		}
	}

	#take(): Uint8Array | undefined {
		const piece = this.#pieces.shift() ?? this.#slab.take();
		this.#bytes -= piece?.length ?? 0;
		return piece;
	}
}
