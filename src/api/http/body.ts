/**
 * Reads at most `limit` bytes of a body as UTF-8 text and lets go of the rest. A connection that breaks on the way ends
 * the text where it broke: what it says is worth more than that it was cut.
 */
export async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
	const decoder = new TextDecoder();
	let text = "";
	let left = limit;
	try {
		for await (const chunk of body) {
			text += decoder.decode(chunk.subarray(0, left), { stream: true });
			left -= chunk.length;
			if (left <= 0) break;
		}
	} catch {
		return text;
	}
	return text + decoder.decode();
}
