import { mediaRangesOf } from "#sandbox/accept.ts";

/** How a body is written. */
export type Format = "json" | "xml";

/** The media types of the formats (contract section 1). */
export const MEDIA_TYPES: Readonly<Record<Format, string>> = { json: "application/json", xml: "application/xml" };

/** All formats, the one that is sent by default first. */
export const FORMATS: readonly Format[] = ["json", "xml"];

/**
 * The format that an `Accept` header likes best among those that are given, JSON where it likes several as much;
 * undefined where it takes none of them.
 */
export function formatOf(accept: string | undefined, given: readonly Format[]): Format | undefined {
	if (accept === undefined) return given[0];
	const ranges = mediaRangesOf(accept);
	const liking = (format: Format): number => {
		// The most exact range decides, not the kindest.
		const exact = [MEDIA_TYPES[format], "application/*", "*/*"];
		return exact.map((type) => ranges.find((range) => range.type === type)).find((one) => one)?.quality ?? 0;
	};
	const [best] = given.toSorted((a, b) => liking(b) - liking(a));
	return best !== undefined && liking(best) > 0 ? best : undefined;
}
