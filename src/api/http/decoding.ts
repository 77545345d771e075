import { Readable, type Transform } from "node:stream";
import {
	brotliDecompressSync,
	constants,
	createBrotliDecompress,
	createGunzip,
	createInflate,
	createZstdDecompress,
	gunzipSync,
	inflateSync,
	zstdDecompressSync,
} from "node:zlib";
import { LIMITS } from "#base/limits.ts";

/** Passes on what is decoded so far with every chunk instead of waiting for full buffers: events must not wait. */
const eager = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

/** The longest input in which what comes before some damage is looked for, and the longest output. Bytes. */
const LONGEST_KEPT = 256 * 1024;
const maxOutputLength = 4 * 1024 * 1024;

/** One content encoding: decoding as bytes come, and all at once. */
interface Decoding {
	readonly create: () => Transform;
	readonly decode: (input: Uint8Array) => Uint8Array;
}

const gzip: Decoding = {
	create: () => createGunzip(eager),
	decode: (input) => gunzipSync(input, { ...eager, maxOutputLength }),
};
const brotliEager = {
	flush: constants.BROTLI_OPERATION_FLUSH,
	finishFlush: constants.BROTLI_OPERATION_FLUSH,
	maxOutputLength,
};

/** By name. The names come from services: an object would also have those of its prototype. */
const DECODINGS: ReadonlyMap<string, Decoding> = new Map(
	Object.entries({
		gzip,
		"x-gzip": gzip,
		deflate: {
			create: () => createInflate(eager),
			decode: (input) => inflateSync(input, { ...eager, maxOutputLength }),
		},
		br: {
			create: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
			decode: (input) => brotliDecompressSync(input, brotliEager),
		},
		zstd: { create: () => createZstdDecompress(), decode: (input) => zstdDecompressSync(input, { maxOutputLength }) },
	} satisfies Record<string, Decoding>),
);

/** Names that services send for no encoding at all. */
const PLAIN = ["", "identity", "none", "utf-8"];

/**
 * Undoes the content encodings of a body, the last one first. The body throws where one is unknown, or where there are
 * more than anybody has use for.
 */
export function decodeContent(
	body: AsyncIterable<Uint8Array>,
	contentEncoding: string | undefined,
): AsyncIterable<Uint8Array> {
	const names = (contentEncoding ?? "").toLowerCase().split(",");
	const encodings = names.map((name) => name.trim()).filter((name) => !PLAIN.includes(name));
	const decodings = encodings.flatMap((name) => DECODINGS.get(name) ?? []);
	if (decodings.length < encodings.length || encodings.length > LIMITS.contentCodings) return refused(body);
	return decodings.reduceRight(through, body);
}

/** Leaves the body with its first piece, which closes the connection. */
async function* refused(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
	for await (const piece of body) {
		if (piece.length > 0) throw Object.assign(new Error("unknown content encoding"), { code: "ERR_ENCODING" });
		yield piece;
	}
}

async function* through(body: AsyncIterable<Uint8Array>, decoding: Decoding): AsyncGenerator<Uint8Array, void> {
	const decoder = decoding.create();
	const source = Readable.from(body);
	source.on("error", (error) => decoder.destroy(error));
	let input: Uint8Array[] = [];
	let kept = 0;
	source.on("data", (piece: Uint8Array) => {
		kept += piece.length;
		if (kept <= LONGEST_KEPT) input.push(piece);
		else input = [];
	});
	let given = 0;
	try {
		for await (const chunk of source.pipe(decoder)) {
			given += chunk.length;
			yield chunk;
		}
	} catch (error) {
		// A decoder drops what it had decoded of the piece in which it met the damage.
		if (input.length > 0 && source.errored === null) yield beforeDamage(Buffer.concat(input), decoding).subarray(given);
		throw error;
	} finally {
		source.destroy();
	}
}

/** Decoded text of the longest part of an input that can be decoded. */
function beforeDamage(input: Uint8Array, { decode }: Decoding): Uint8Array {
	let best: Uint8Array = new Uint8Array(0);
	for (let good = 0, bad = input.length; bad - good > 1; ) {
		const middle = Math.floor((good + bad) / 2);
		try {
			best = decode(input.subarray(0, middle));
			good = middle;
		} catch {
			bad = middle;
		}
	}
	return best;
}
