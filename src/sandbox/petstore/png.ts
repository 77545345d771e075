import { crc32, deflateSync } from "node:zlib";

/** A square picture: three bytes for each pixel, row by row. */
export interface Pixels {
	readonly side: number;
	readonly rgb: Uint8Array;
}

/** Writes a picture as PNG. */
export function encodePng({ side, rgb }: Pixels): Buffer {
	const header = Buffer.alloc(13);
	header.writeUInt32BE(side, 0);
	header.writeUInt32BE(side, 4);
	// Eight bits for each of red, green and blue.
	header.set([8, 2, 0, 0, 0], 8);
	const row = side * 3;
	// Each row begins with the number of its filter: none.
	const rows = Buffer.alloc(side * (row + 1));
	for (let y = 0; y < side; y++) rows.set(rgb.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
	return Buffer.concat([
		Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
		chunk("IHDR", header),
		chunk("IDAT", deflateSync(rows)),
		chunk("IEND", Buffer.alloc(0)),
	]);
}

function chunk(type: string, data: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
	const frame = Buffer.alloc(8);
	frame.writeUInt32BE(data.length, 0);
	frame.writeUInt32BE(crc32(named), 4);
	return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}
