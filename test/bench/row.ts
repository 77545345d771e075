/** One figure of a bench. */
export interface BenchRow {
	readonly name: string;
	/** The median of all rounds. */
	readonly value: number;
	/** `ms`, `x` for a ratio taken within one run, `%` ... */
	readonly unit: string;
	/** Goal, such as `<= 2.5`; empty for a figure that is only compared. */
	readonly goal: string;
	/** Null where there is no goal. */
	readonly met: boolean | null;
	/** Method of the measurement, where the name does not say it. */
	readonly note?: string;
}

/** A figure that shall not be above `limit`. */
export function atMost(limit: number, figure: Omit<BenchRow, "goal" | "met">): BenchRow {
	return { ...figure, goal: `<= ${limit}`, met: figure.value <= limit };
}

/** A figure that shall not be below `limit`. */
export function atLeast(limit: number, figure: Omit<BenchRow, "goal" | "met">): BenchRow {
	return { ...figure, goal: `>= ${limit}`, met: figure.value >= limit };
}

/** A figure without a goal, for comparison. */
export function beside(figure: Omit<BenchRow, "goal" | "met">): BenchRow {
	return { ...figure, goal: "", met: null };
}

/** The middle of some figures. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
