import type { Clock } from "#base/clock.ts";
import { LIMITS } from "#base/limits.ts";

/** The longest time spent on a body that explains a failure. */
const LONGEST_MS = 5_000;

/**
 * Reads the text in which a failed reply explains itself: at most 64 KB and 5 seconds of it. A connection that breaks on
 * the way ends the text where it broke: what it says is worth more than that it was cut. `cut` cuts the request off when the body takes too long;
 * `onPiece` is called with the bytes of every piece.
 */
export async function readFailure(
	body: AsyncIterable<Uint8Array>,
	{ clock, cut, onPiece }: { clock: Clock; cut: AbortController; onPiece(bytes: number): void },
): Promise<string> {
	const timer = clock.after(LONGEST_MS, () => cut.abort(new Error("The body of a failed reply took too long.")));
	const decoder = new TextDecoder();
	let text = "";
	let left: number = LIMITS.failureBodyBytes;
	try {
		for await (const piece of body) {
			onPiece(piece.length);
			text += decoder.decode(piece.subarray(0, left), { stream: true });
			left -= piece.length;
			if (left <= 0) break;
		}
		return text + decoder.decode();
	} catch {
		return text;
	} finally {
		timer.dispose();
	}
}
