/** Start of a record of a zip file's central directory, and of the record that ends the file. */
const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** The names of the files in a zip, in the order of its directory. */
export function zipEntries(zip: Buffer): string[] {
	let end = zip.length - 22;
	while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
	if (end < 0) throw new Error("This is not a zip file.");
	const names: string[] = [];
	let at = zip.readUInt32LE(end + 16);
	for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
		if (zip.readUInt32LE(at) !== ENTRY) throw new Error("The directory of this zip file is broken.");
		const nameLength = zip.readUInt16LE(at + 28);
		names.push(zip.toString("utf8", at + 46, at + 46 + nameLength));
		at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
	}
	return names;
}
