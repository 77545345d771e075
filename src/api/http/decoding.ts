import { Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

/** Passes on what is decoded so far with every chunk instead of waiting for full buffers: events must not wait. */
const eager = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

const DECODERS: Readonly<Record<string, () => Transform>> = {
	gzip: () => createGunzip(eager),
	"x-gzip": () => createGunzip(eager),
	deflate: () => createInflate(eager),
	br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
	zstd: () => createZstdDecompress(),
};

/**
 * Undoes the content encodings of a body, the last one first. An unknown encoding is left as it is: whoever reads the
 * body reports that it makes no sense.
 */
export function decodeContent(
	body: AsyncIterable<Uint8Array>,
	contentEncoding: string | undefined,
): AsyncIterable<Uint8Array> {
	const encodings = (contentEncoding ?? "").toLowerCase().split(",");
	return encodings.reduceRight((encoded, name) => {
		const create = DECODERS[name.trim()];
		return create === undefined ? encoded : through(encoded, create());
	}, body);
}

async function* through(body: AsyncIterable<Uint8Array>, decoder: Transform): AsyncGenerator<Uint8Array, void> {
	const source = Readable.from(body);
	source.on("error", (error) => decoder.destroy(error));
	try {
		for await (const chunk of source.pipe(decoder)) yield chunk;
	} finally {
		source.destroy();
	}
}
