import { Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { LIMITS } from "#base/limits.ts";

/** Flushes what is decoded so far with every chunk instead of waiting for full buffers: events must not wait. */
const EAGER = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

/** Decoders by name. The names come from services: an object would also have those of its prototype. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
	["gzip", () => createGunzip(EAGER)],
	["x-gzip", () => createGunzip(EAGER)],
	["deflate", () => createInflate(EAGER)],
	["br", () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
	["zstd", () => createZstdDecompress()],
]);

/** Names that services send for no encoding at all. */
const PLAIN = ["", "identity", "none", "utf-8"];

/**
 * Undoes the content encodings of a body, the last one first. The body throws where one is unknown, or where there are
 * more than any service needs.
 */
export function decodeContent(
	body: AsyncIterable<Uint8Array>,
	contentEncoding: string | undefined,
): AsyncIterable<Uint8Array> {
	const names = (contentEncoding ?? "").toLowerCase().split(",");
	const encodings = names.map((name) => name.trim()).filter((name) => !PLAIN.includes(name));
	const decoders = encodings.flatMap((name) => DECODERS.get(name) ?? []);
	if (decoders.length < encodings.length || encodings.length > LIMITS.contentCodings) return refused(body);
	return decoders.reduceRight(through, body);
}

/** Leaves the body with its first piece, which closes the connection. */
async function* refused(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
	for await (const piece of body) {
		if (piece.length > 0) throw Object.assign(new Error("unknown content encoding"), { code: "ERR_ENCODING" });
		yield piece;
	}
}

async function* through(body: AsyncIterable<Uint8Array>, create: () => Transform): AsyncGenerator<Uint8Array, void> {
	const decoder = create();
	const source = Readable.from(body);
	source.on("error", (error) => decoder.destroy(error));
	try {
		yield* source.pipe(decoder);
	} finally {
		source.destroy();
	}
}
