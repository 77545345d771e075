/** Tokens as the service last reported them; null where it reported none. */
export interface Usage {
	readonly inputTokens: number | null;
	readonly outputTokens: number | null;
	/** Part of the input that the service had in its cache; absent where it reports none. */
	readonly cachedTokens?: number;
}

/** Price of a million tokens of a model. */
export interface Price {
	readonly input: number;
	readonly output: number;
	/** Of the part of the input that the service has in its cache; absent where it costs as much as any other. */
	readonly cached?: number;
	/** A few letters such as `EUR`. */
	readonly currency: string;
}

/** Prices by the name of the model. */
export type Prices = Readonly<Record<string, Price>>;

/** Cost of tokens by the prices of a million; cached ones cost as much as any other where they have no price. */
export function costOf(
	{ inputTokens, outputTokens, cachedTokens = 0 }: Usage,
	{ input, output, cached = input }: Omit<Price, "currency">,
): number {
	const kept = Math.min(cachedTokens, inputTokens ?? 0);
	return (((inputTokens ?? 0) - kept) * input + kept * cached + (outputTokens ?? 0) * output) / 1e6;
}

/** Sums reported tokens; null where no report has them. */
export function sumUsage(usages: readonly Usage[]): Usage {
	const sum = (field: keyof Usage) => {
		const counts = usages.flatMap(({ [field]: count }) => count ?? []);
		return counts.length === 0 ? null : counts.reduce((all, count) => all + count);
	};
	const cachedTokens = sum("cachedTokens");
	const usage = { inputTokens: sum("inputTokens"), outputTokens: sum("outputTokens") };
	return cachedTokens === null ? usage : { ...usage, cachedTokens };
}

/** Formats a cost in hundredths, or with its first digit. By hand, since `Intl` costs a cold page some 20 ms. */
export function inDigits(cost: number): string {
	return cost === 0 || cost >= 0.01 ? cost.toFixed(2) : cost.toFixed(-Math.floor(Math.log10(cost)));
}
