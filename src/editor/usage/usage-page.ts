import { GROUPINGS, USAGE_PERIODS, type UsagePeriod, type UsageSummary, type UsageSums } from "#app/usage/summary.ts";
import { inDigits } from "#base/cost.ts";
import type { PageTable, PageView } from "#protocol/page.ts";
import { plainLine } from "../kit/text.ts";

const EMPTY = "No replies in this period. Choose another one, or send a message in the chat.";

/** Columns of numbers, by their headers. */
const CELLS = {
	Cost: costWords,
	Tokens: (sums: UsageSums) => inWords(tokensOf(sums)),
	Replies: ({ replies, estimated }: UsageSums) =>
		inWords(replies) + (estimated > 0 ? ` (${inWords(estimated)} estimated)` : ""),
};

/** Page of usage; `limits` are sentences about those of connections, and `labelOf` names a connection. */
export function usagePage(
	pressed: UsagePeriod,
	{ total, groups }: UsageSummary,
	limits: readonly string[],
	labelOf: (connection: string) => string,
): PageView {
	const { replies, estimated, inputTokens, cachedTokens, outputTokens } = total;
	const nameOf = { day: undefined, model: String, caller: String, connection: labelOf };
	const facts = [
		`Cost: ${costWords(total)}`,
		`${inWords(replies)} ${replies === 1 ? "reply" : "replies"}`,
		...(estimated > 0 ? [`${inWords(estimated)} estimated, since the service has not reported all tokens`] : []),
		`${inWords(inputTokens)} input tokens, ${inWords(cachedTokens)} of them cached`,
		`${inWords(outputTokens)} output tokens`,
	];
	return {
		title: "Usage",
		choice: { label: "Period", buttons: Object.entries(USAGE_PERIODS), pressed },
		facts: [...(replies === 0 ? [EMPTY] : facts), ...limits],
		tables: GROUPINGS.filter(() => replies > 0).map((each) => {
			const header = each === "day" && pressed === "year" ? "Month" : each.charAt(0).toUpperCase() + each.slice(1);
			return tableOf(header, groups[each], total, nameOf[each]);
		}),
	};
}

/** Table of groups, the newest or the largest first. Bars compare costs, or tokens unless all costs are in one currency. */
function tableOf(
	header: string,
	groups: ReadonlyMap<string, UsageSums>,
	{ costs, unpriced }: UsageSums,
	nameOf: ((key: string) => string) | undefined,
): PageTable {
	const [currency = "", ...others] = Object.keys(costs);
	const isComparable = unpriced === 0 && others.length === 0;
	const sizeOf = (sums: UsageSums) => (isComparable ? (sums.costs[currency] ?? 0) : tokensOf(sums));
	const columns = isComparable ? (["Cost", "Tokens", "Replies"] as const) : (["Tokens", "Cost", "Replies"] as const);
	const sorted = [...groups].sort(([day, a], [other, b]) =>
		nameOf === undefined ? other.localeCompare(day) : sizeOf(b) - sizeOf(a),
	);
	const rows = sorted.map(([key, sums]) => ({
		name: nameOf === undefined ? key : plainLine(nameOf(key), "(no name)"),
		values: columns.map((column) => CELLS[column](sums)),
		size: sizeOf(sums),
	}));
	return { caption: `By ${header}`, columns: [header, ...columns], rows };
}

/** Cost in words, as in `1.20 EUR + 0.30 USD + unknown`. */
function costWords({ costs, unpriced }: UsageSums): string {
	const known = Object.entries(costs).map(([currency, cost]) => `${inDigits(cost)} ${plainLine(currency)}`);
	return [...known, ...(unpriced > 0 ? ["unknown"] : [])].join(" + ") || "0";
}

function tokensOf({ inputTokens, outputTokens }: UsageSums): number {
	return inputTokens + outputTokens;
}

function inWords(count: number): string {
	return count.toLocaleString("en");
}
