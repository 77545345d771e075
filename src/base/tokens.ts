const ASCII_PER_TOKEN = 4;

/** UTF-8 bytes per token in other scripts. */
const OTHER_BYTES_PER_TOKEN = 3;

/** Estimated tokens of an image. */
export const IMAGE_TOKENS = 1_600;

/** UTF-8 bytes and tokens of a text. Tokens are an estimate: about right for English, low for code, high for other languages. */
export function sizeOf(text: string) {
	let ascii = 0;
	let other = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code < 0x80) ascii++;
		// Half of a surrogate pair is two of its four bytes.
		else other += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
	}
	return { bytes: ascii + other, tokens: Math.ceil(ascii / ASCII_PER_TOKEN + other / OTHER_BYTES_PER_TOKEN) };
}

/** Size in words, independent of locale: `512 bytes`, `12 KB`, `3.4 MB`. */
export function sizeWords(bytes: number): string {
	if (bytes < 1_000) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
	const isMega = bytes >= 999_500;
	const size = bytes / (isMega ? 1_000_000 : 1_000);
	return `${size < 9.95 ? size.toFixed(1).replace(".0", "") : Math.round(size)} ${isMega ? "MB" : "KB"}`;
}
