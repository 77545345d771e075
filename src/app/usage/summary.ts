import { localDate, type UsageLine } from "./ledger.ts";

/** Periods that usage is shown for, with their names; the year is twelve months, the current one included. */
export const USAGE_PERIODS = {
	today: "Today",
	"7-days": "7 Days",
	month: "This Month",
	"last-month": "Last Month",
	year: "12 Months",
} as const;

/** Period that usage is shown for. */
export type UsagePeriod = keyof typeof USAGE_PERIODS;

/** First moment of a period and the first after it, by local time at `now`, in ms, and the months of the ledger to read. */
export function boundsOf(period: UsagePeriod, now: number) {
	const day = (ahead: number) => new Date(now).setHours(24 * ahead, 0, 0, 0);
	const month = (ahead: number) =>
		new Date(new Date(now).setMonth(ahead + new Date(now).getMonth(), 1)).setHours(0, 0, 0, 0);
	return {
		today: { from: day(0), until: day(1), months: 1 },
		"7-days": { from: day(-6), until: day(1), months: 2 },
		month: { from: month(0), until: month(1), months: 1 },
		"last-month": { from: month(-1), until: month(0), months: 2 },
		year: { from: month(-11), until: month(1), months: 12 },
	}[period];
}

/** Columns that usage is grouped by; `day` is a local date such as `2026-11-28`, or a month such as `2026-11` in a year. */
export const GROUPINGS = ["day", "model", "caller", "connection"] as const;

/** Sums of some replies. Costs are kept by currency, since they cannot be added together. */
export class UsageSums {
	replies = 0;
	inputTokens = 0;
	/** Part of the input. */
	cachedTokens = 0;
	outputTokens = 0;
	readonly costs: Record<string, number> = Object.create(null);
	/** Replies of which the cost is unknown. */
	unpriced = 0;
	/** Replies of which the service has not reported all usage. */
	estimated = 0;

	add({ input, cached = 0, output, cost, currency = "", estimated }: UsageLine): void {
		this.replies += 1;
		if (estimated) this.estimated += 1;
		this.inputTokens += input;
		this.cachedTokens += cached;
		this.outputTokens += output;
		if (cost === undefined) this.unpriced += 1;
		else this.costs[currency] = (this.costs[currency] ?? 0) + cost;
	}
}

/** Usage of a period, in total and by what replies share. */
export class UsageSummary {
	readonly total = new UsageSums();
	readonly groups: Readonly<Record<(typeof GROUPINGS)[number], Map<string, UsageSums>>> = {
		day: new Map(),
		model: new Map(),
		caller: new Map(),
		connection: new Map(),
	};
	/** Days by quarters of an hour, by which time zones differ: far fewer than replies. */
	readonly #days = new Map<number, string>();
	readonly #period: UsagePeriod;

	constructor(period: UsagePeriod) {
		this.#period = period;
	}

	/** Counts a reply of the period. */
	add(line: UsageLine): void {
		this.total.add(line);
		const quarter = Math.floor(line.at / 900_000);
		const day = this.#days.get(quarter) ?? localDate(line.at).slice(0, this.#period === "year" ? -3 : undefined);
		this.#days.set(quarter, day);
		for (const grouping of GROUPINGS) {
			const key = grouping === "day" ? day : line[grouping];
			const sums = this.groups[grouping].get(key) ?? new UsageSums();
			this.groups[grouping].set(key, sums);
			sums.add(line);
		}
	}
}
