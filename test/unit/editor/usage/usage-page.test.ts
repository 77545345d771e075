import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageLine } from "#app/usage/ledger.ts";
import { type UsagePeriod, UsageSummary } from "#app/usage/summary.ts";
import { usagePage } from "#editor/usage/usage-page.ts";

const LINE: UsageLine = {
	id: "1",
	at: new Date(2026, 10, 28, 12).getTime(),
	connection: "c1",
	model: "large",
	caller: "Chat",
	input: 1000,
	output: 200,
};

const priced = (rest: Partial<UsageLine> = {}): UsageLine => ({ ...LINE, cost: 2, currency: "EUR", ...rest });

function page(lines: readonly UsageLine[], period: UsagePeriod = "month", limits: readonly string[] = []) {
	const summary = new UsageSummary(period);
	for (const line of lines) summary.add(line);
	return usagePage(period, summary, limits, (id) => (id === "c1" ? "Cloud" : "Removed connection"));
}

function rows(lines: readonly UsageLine[], caption: string) {
	const table = page(lines).tables.find((each) => each.caption === caption);
	return table?.rows.map(({ name, values, size }) => [name, ...values, size]);
}

test("usage has totals, and tables by day, model, caller and connection", () => {
	const { facts, tables } = page([priced({ cached: 400 }), priced({ connection: "gone" })]);
	assert.deepEqual(facts, [
		"Cost: 4.00 EUR",
		"2 replies",
		"2,000 input tokens, 400 of them cached",
		"400 output tokens",
	]);
	assert.deepEqual(
		tables.map(({ caption, columns }) => [caption, ...columns]),
		[
			["By Day", "Day", "Cost", "Tokens", "Replies"],
			["By Model", "Model", "Cost", "Tokens", "Replies"],
			["By Caller", "Caller", "Cost", "Tokens", "Replies"],
			["By Connection", "Connection", "Cost", "Tokens", "Replies"],
		],
	);
	assert.deepEqual(rows([priced(), priced({ connection: "gone" })], "By Connection"), [
		["Cloud", "2.00 EUR", "1,200", "1", 2],
		["Removed connection", "2.00 EUR", "1,200", "1", 2],
	]);
});

test("replies of which not all usage was reported are called estimated", () => {
	const { facts, tables } = page([priced({ estimated: true }), priced()]);
	assert.ok(facts?.includes("1 estimated, since the service has not reported all tokens"));
	assert.deepEqual(tables[0]?.rows[0]?.values.at(-1), "2 (1 estimated)");
});

test("costs in one currency are compared, the highest first", () => {
	assert.deepEqual(rows([priced({ model: "small", cost: 1, input: 9000 }), priced()], "By Model"), [
		["large", "2.00 EUR", "1,200", "1", 2],
		["small", "1.00 EUR", "9,200", "1", 1],
	]);
});

test("tokens are compared where a cost is unknown or in another currency", () => {
	assert.deepEqual(rows([priced(), { ...LINE, model: "local", input: 2200 }], "By Model"), [
		["local", "2,400", "unknown", "1", 2400],
		["large", "1,200", "2.00 EUR", "1", 1200],
	]);
	assert.deepEqual(rows([priced(), priced({ cost: 0.001, currency: "USD" })], "By Model"), [
		["large", "2,400", "2.00 EUR + 0.001 USD", "2", 2400],
	]);
});

test("days begin with the newest, and a year has months", () => {
	const yesterday = priced({ at: new Date(2026, 10, 27, 23).getTime(), cost: 8 });
	assert.deepEqual(
		rows([yesterday, priced()], "By Day")?.map(([name]) => name),
		["2026-11-28", "2026-11-27"],
	);
});

test("without replies there is a sentence with a next step, the limits, and no table", () => {
	assert.deepEqual(page([], "today", ["Cloud: 0.00 of 5.00 EUR today"]), {
		title: "Usage",
		choice: page([LINE], "today").choice,
		facts: [
			"No replies in this period. Choose another one, or send a message in the chat.",
			"Cloud: 0.00 of 5.00 EUR today",
		],
		tables: [],
	});
	assert.equal(page([], "today").choice?.pressed, "today");
});

test("the name of a model is one line without what reverses it", () => {
	assert.doesNotMatch(`${rows([{ ...LINE, model: "a\n\u202eb" }], "By Model")?.[0]?.[0]}`, /[\n\u202e]/);
});
