import type { Clock } from "#base/clock.ts";
import { LIMITS } from "#base/limits.ts";

/** The longest time spent on a body that explains a failure. */
const LONGEST_MS = 5_000;

/** Options of reading the body of a failed reply. */
export interface FailureOptions {
	readonly clock: Clock;
	/** Cuts the request off; used when the body takes too long. */
	readonly cut: AbortController;
	/** Called with the bytes of every piece. */
	readonly onPiece?: (bytes: number) => void;
}

/**
 * Reads the text in which a failed reply explains itself: at most 64 KB and 5 seconds of it. A connection that breaks on
 * the way ends the text where it broke: what it says is worth more than that it was cut.
 */
export async function readFailure(body: AsyncIterable<Uint8Array>, options: FailureOptions): Promise<string> {
	const { clock, cut, onPiece } = options;
	const timer = clock.after(LONGEST_MS, () => cut.abort(new Error("The body of a failed reply took too long.")));
	const decoder = new TextDecoder();
	let text = "";
	let left: number = LIMITS.failureBodyBytes;
	try {
		for await (const piece of body) {
			onPiece?.(piece.length);
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
