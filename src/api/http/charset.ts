/** A charset in a media type, and in the first line of XML. */
const OF_TYPE = /;\s*charset\s*=\s*["']?([^\s;"']+)/i;
const OF_XML = /^<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([^"']+)/;

/** First bytes of XML in UTF-16: a byte order mark, or `<` in two bytes. */
const BEGINNINGS: ReadonlyMap<string, string> = new Map([
	["fffe", "utf-16le"],
	["3c00", "utf-16le"],
	["feff", "utf-16be"],
	["003c", "utf-16be"],
]);

/**
 * The text of a body in the charset that it declares: by a mark at its beginning, the media type, its XML declaration.
 * One that declares none, or one that nobody knows, is UTF-8.
 */
export function textOfBody(bytes: Buffer, type = ""): string {
	const label =
		BEGINNINGS.get(bytes.toString("hex", 0, 2)) ??
		OF_TYPE.exec(type)?.[1] ??
		OF_XML.exec(bytes.toString("latin1", 0, 200))?.[1];
	try {
		if (label !== undefined) return new TextDecoder(label).decode(bytes);
	} catch {
		// Nobody knows it, or the text would be too long.
	}
	return bytes.toString("utf8");
}
