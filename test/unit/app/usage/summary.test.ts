import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageLine } from "#app/usage/ledger.ts";
import { boundsOf, type UsagePeriod, UsageSummary, type UsageSums } from "#app/usage/summary.ts";

const NOW = new Date(2026, 10, 28, 15, 30).getTime();
const at = (month: number, day: number, hour = 12) => new Date(2026, month - 1, day, hour).getTime();

let count = 0;
const line = (rest: Partial<UsageLine> = {}): UsageLine => ({
	id: `${++count}`,
	at: NOW,
	connection: "c1",
	model: "large",
	caller: "Chat",
	input: 100,
	output: 10,
	...rest,
});

function summaryOf(lines: readonly UsageLine[], period: UsagePeriod = "month"): UsageSummary {
	const summary = new UsageSummary(period);
	for (const each of lines) summary.add(each);
	return summary;
}

const repliesOf = (groups: ReadonlyMap<string, UsageSums>) =>
	Object.fromEntries([...groups].map(([key, { replies }]) => [key, replies]));

test("replies are summed by model, caller, connection and local day", () => {
	const lines = [
		line({ cached: 40 }),
		line({ model: "small", connection: "c2" }),
		line({ caller: "Agent", at: at(11, 27, 23) }),
		line({ caller: "Agent", at: at(11, 28, 0) }),
	];
	const { total, groups } = summaryOf(lines);
	const { replies, inputTokens, outputTokens, cachedTokens } = total;
	assert.deepEqual([replies, inputTokens, outputTokens, cachedTokens], [4, 400, 40, 40]);
	assert.deepEqual(repliesOf(groups.day), { "2026-11-28": 3, "2026-11-27": 1 });
	assert.deepEqual(repliesOf(groups.model), { large: 3, small: 1 });
	assert.deepEqual(repliesOf(groups.caller), { Chat: 2, Agent: 2 });
	assert.deepEqual(repliesOf(groups.connection), { c1: 3, c2: 1 });
	assert.deepEqual(repliesOf(summaryOf(lines, "year").groups.day), { "2026-11": 4 });
});

test("a model or currency may have any name", () => {
	const { groups, total } = summaryOf([line({ model: "__proto__", cost: 1, currency: "constructor" })]);
	assert.deepEqual([...groups.model.keys()], ["__proto__"]);
	assert.equal(total.costs["constructor"], 1);
});

test("costs of two currencies stay apart, and replies without a price are counted", () => {
	const { total } = summaryOf([
		line({ cost: 1, currency: "EUR" }),
		line({ cost: 2, currency: "EUR" }),
		line({ cost: 0.5, currency: "USD" }),
		line({ cost: 0, currency: "EUR" }),
		line(),
	]);
	assert.deepEqual({ ...total.costs }, { EUR: 3, USD: 0.5 });
	assert.equal(total.unpriced, 1);
});

test("a period is from its first moment to its last, by local time", () => {
	const bounds: Record<UsagePeriod, readonly [from: number, until: number]> = {
		today: [at(11, 28, 0), at(11, 29, 0)],
		"7-days": [at(11, 22, 0), at(11, 29, 0)],
		month: [at(11, 1, 0), at(12, 1, 0)],
		"last-month": [at(10, 1, 0), at(11, 1, 0)],
		year: [new Date(2025, 11).getTime(), at(12, 1, 0)],
	};
	for (const [period, [from, until]] of Object.entries(bounds) as [UsagePeriod, [number, number]][]) {
		const { months, ...found } = boundsOf(period, NOW);
		assert.deepEqual(found, { from, until }, period);
		const first = new Date(NOW);
		assert.ok(new Date(first.getFullYear(), first.getMonth() - months + 1).getTime() <= from, period);
	}
	assert.equal(boundsOf("last-month", at(1, 31)).from, new Date(2025, 11).getTime());
	assert.equal(boundsOf("7-days", at(1, 3)).from, new Date(2025, 11, 28).getTime());
});
