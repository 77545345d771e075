import { inflateRawSync } from "node:zlib";

/** Start of a record of a zip file's central directory, and of the record that ends the file. */
const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** Type and access rights, as Unix writes them, of what is packaged. */
const PLAIN_FILE = 0o100_644;

/** A file in a zip file. */
export interface ZipEntry {
	readonly name: string;
	/** Offset of its record in the central directory, and of its data's header. */
	readonly record: number;
	readonly header: number;
	readonly compressedSize: number;
	readonly isDeflated: boolean;
}

/** Reads the central directory of a zip file, in its order. Throws where there is none. */
export function entriesOf(zip: Buffer): ZipEntry[] {
	let end = zip.length - 22;
	while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
	if (end < 0) throw new Error("This is not a zip file.");
	const entries: ZipEntry[] = [];
	let record = zip.readUInt32LE(end + 16);
	for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
		if (zip.readUInt32LE(record) !== ENTRY) throw new Error("The directory of this zip file is broken.");
		const nameLength = zip.readUInt16LE(record + 28);
		entries.push({
			name: zip.toString("utf8", record + 46, record + 46 + nameLength),
			record,
			header: zip.readUInt32LE(record + 42),
			compressedSize: zip.readUInt32LE(record + 20),
			isDeflated: zip.readUInt16LE(record + 10) === 8,
		});
		record += 46 + nameLength + zip.readUInt16LE(record + 30) + zip.readUInt16LE(record + 32);
	}
	return entries;
}

/** Makes every entry a plain file that its owner may write, whatever the umask of this machine says. */
export function makePlain(zip: Buffer): void {
	for (const { record } of entriesOf(zip)) zip.writeUInt32LE((PLAIN_FILE << 16) >>> 0, record + 38);
}

/** Unpacked bytes of an entry. */
export function unpack(zip: Buffer, { header, compressedSize, isDeflated }: ZipEntry): Buffer {
	const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
	const packed = zip.subarray(start, start + compressedSize);
	return isDeflated ? inflateRawSync(packed) : packed;
}
