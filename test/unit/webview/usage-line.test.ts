/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "#base/reply.ts";
import { sumFacts } from "#webview/usage-line.ts";
import { conversation, ENDED, openPanel, REPLY } from "./support/open-panel.ts";

function reply(inputTokens: number | null, outputTokens: number | null, model = "m") {
	const usage: Usage = { inputTokens, outputTokens };
	return { ...REPLY, model, phase: ENDED, usage };
}

const text = (...asked: Parameters<typeof sumFacts>) => sumFacts(...asked)?.facts.join(" · ");

const PRICES = { m: { input: 3, output: 15, currency: "EUR" }, n: { input: 1, output: 1, currency: "USD" } };

test("the tokens of a conversation are the sums of what the services reported", () => {
	assert.equal(text([reply(1000, 20), reply(2000, 30)], {}), "3,000 tokens in, 50 out");
	assert.equal(text([reply(1000, null), reply(null, 30)], {}), "1,000 tokens in, 30 out");
});

test("a reply without a report is named, and nothing is shown where no reply has one", () => {
	assert.equal(text([reply(1, 2), reply(null, null)], {}), "1 token in, 2 out · no usage reported for 1 of 2 replies");
	assert.equal(sumFacts([reply(null, null)], {}), undefined);
	assert.equal(sumFacts([REPLY], {}), undefined);
});

test("the output of a reply that broke off is said to be unknown", () => {
	const stopped = { ...reply(5, null), phase: { ...ENDED, outcome: "stopped" } } as const;
	assert.equal(text([stopped], {}), "5 tokens in · output of the reply not reported");
	const both = text([reply(1, 2), stopped, reply(null, null)], {});
	assert.match(both ?? "", /no usage reported for 1 of 3 replies · output of 1 of 3 replies not reported$/);
	assert.equal(text([reply(1, 2), stopped], {}), "6 tokens in, 2 out · output of 1 of 2 replies not reported");
});

test("a price makes an estimate that is called one, and says what it leaves out", () => {
	const words = sumFacts([reply(1_000_000, 100_000), reply(500, 5, "other")], PRICES);
	assert.equal(words?.facts.join(" · "), "1,000,500 tokens in, 100,005 out · about 4.50 EUR for 1 of 2 replies");
	assert.match(words?.tooltip ?? "", /estimate.*1 of 2 replies are of models without a price/);
	assert.equal(text([reply(100, 0)], PRICES), "100 tokens in, 0 out · about 0.0003 EUR");
	const cheap = { m: { input: 0.02, output: 0.02, currency: "USD" } };
	assert.equal(text([reply(24, 0)], cheap), "24 tokens in, 0 out · about 0.0000005 USD");
	assert.match(text([reply(1e6, 0), reply(1e6, 0, "n")], PRICES) ?? "", /about 3\.00 EUR \+ 1\.00 USD$/);
});

test("cached tokens are counted apart, and cost less where the price says so", () => {
	const cached = { ...reply(1_000_000, 0), usage: { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 900_000 } };
	assert.equal(text([cached, reply(1, 1)], {}), "1,000,001 tokens in (900,000 cached), 1 out");
	assert.match(text([cached], PRICES) ?? "", /about 3\.00 EUR$/);
	assert.match(text([cached], { m: { ...PRICES.m, cached: 0.3 } }) ?? "", /about 0\.57 EUR$/);
});

test("a price is found by the model that answered, then by the one asked for", () => {
	const answered = { ...reply(1e6, 0, "m-20260101"), asked: "m" };
	assert.match(text([answered], PRICES) ?? "", /about 3\.00 EUR$/);
	assert.match(text([{ ...answered, model: "n" }], PRICES) ?? "", /about 1\.00 USD$/);
	const foreign = { ...answered, model: "toString", asked: "constructor" };
	assert.doesNotMatch(text([foreign], PRICES) ?? "", /about/);
});

test("the line under the composer follows the replies and the prices", () => {
	const panel = openPanel();
	panel.tell(conversation([{ role: "user", id: "u1", text: "x" }, reply(10, 20)]));
	assert.equal(panel.find(".usage").textContent, "10 tokens in, 20 out");
	panel.tell({ type: "composer", composer: { busy: false, prices: PRICES } });
	const facts = [...panel.find(".usage").children].map(({ textContent }) => textContent);
	assert.deepEqual(facts, ["10 tokens in, 20 out", "about 0.0003 EUR"]);
	panel.tell(conversation([]));
	assert.equal(panel.find(".usage").hidden, true);
});
