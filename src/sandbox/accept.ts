/** A media range of an `Accept` header. */
export interface MediaRange {
	/** In lower case, such as `application/json` or `application/*`. */
	readonly type: string;
	/** From 1, the default, to 0, which refuses it. */
	readonly quality: number;
}

/** The media ranges of an `Accept` header in its order. A quality that is no number counts as 1. */
export function mediaRangesOf(accept: string): readonly MediaRange[] {
	return accept.split(",").map((range) => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const quality = parameters.map((one) => /^q=([01](?:\.\d{0,3})?)$/.exec(one)?.[1]).find((one) => one !== undefined);
		return { type, quality: Number(quality ?? 1) };
	});
}
