/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "#base/cost.ts";
import { sumFacts } from "#webview/usage-line.ts";
import { conversation, ENDED, openPanel, REPLY } from "./support/open-panel.ts";

function reply(inputTokens: number | null, outputTokens: number | null) {
	const usage: Usage = { inputTokens, outputTokens };
	return { ...REPLY, phase: ENDED, usage };
}

const text = (...asked: Parameters<typeof sumFacts>) => sumFacts(...asked)?.facts.join(" · ");

const COST = { amount: 0.0003, currency: "EUR" };

test("the tokens of a conversation are the sums of what the services reported", () => {
	assert.equal(text([reply(1000, 20), reply(2000, 30)]), "3,000 tokens in, 50 out");
	assert.equal(
		text([reply(1000, null), reply(null, 30)]),
		"1,000 tokens in, 30 out · usage of 2 of 2 replies not reported in full",
	);
});

test("a reply without a report is named, and nothing is shown where no reply has one", () => {
	assert.equal(
		text([reply(1, 2), reply(null, null)]),
		"1 token in, 2 out · usage of 1 of 2 replies not reported in full",
	);
	assert.equal(sumFacts([reply(null, null)]), undefined);
	assert.equal(sumFacts([REPLY]), undefined);
});

test("a reply that broke off before its output was counted is named", () => {
	const stopped = { ...reply(5, null), phase: { ...ENDED, outcome: "stopped" } } as const;
	assert.equal(text([stopped]), "5 tokens in · usage of the reply not reported in full");
	assert.match(text([reply(1, 2), stopped, reply(null, null)]) ?? "", /usage of 2 of 3 replies not reported in full$/);
});

test("the cost beside the tokens is in hundredths, or has its first digit", () => {
	const of = (amount: number) => text([reply(1, 2)], { amount, currency: "EUR" });
	assert.deepEqual(
		[4.5, 0.0003, 0.00000048, 0].map(of),
		["4.50", "0.0003", "0.0000005", "0.00"].map((amount) => `1 token in, 2 out · about ${amount} EUR`),
	);
	assert.match(sumFacts([reply(1, 2)], COST)?.tooltip ?? "", /estimate.*Every version of a reply counts/);
});

test("cached tokens are counted apart", () => {
	const cached = { ...reply(1_000_000, 0), usage: { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 900_000 } };
	assert.equal(text([cached, reply(1, 1)]), "1,000,001 tokens in (900,000 cached), 1 out");
});

test("the line under the composer follows the replies and the cost", () => {
	const panel = openPanel();
	panel.tell(conversation([{ role: "user", id: "u1", text: "x" }, reply(10, 20)]));
	assert.equal(panel.find(".usage").textContent, "10 tokens in, 20 out");
	panel.tell({ type: "composer", composer: { busy: false, cost: COST } });
	const facts = [...panel.find(".usage").children].map(({ textContent }) => textContent);
	assert.deepEqual(facts, ["10 tokens in, 20 out", "about 0.0003 EUR"]);
	panel.tell(conversation([]));
	assert.equal(panel.find(".usage").hidden, true);
});
