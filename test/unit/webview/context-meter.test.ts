/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Usage } from "#base/cost.ts";
import type { ComposerView } from "#protocol/panel.ts";
import { usedFacts } from "#webview/context-meter.ts";
import { conversation, ENDED, openPanel, REPLY } from "./support/open-panel.ts";

function reply(inputTokens: number | null, outputTokens: number | null) {
	const usage: Usage = { inputTokens, outputTokens };
	return { ...REPLY, phase: ENDED, usage };
}

const text = (...asked: Parameters<typeof usedFacts>) => usedFacts(...asked).join(" · ");

test("the tokens of a conversation are the sums of what the services reported", () => {
	assert.equal(text([reply(1000, 20), reply(2000, 30)]), "So far 3,000 tokens in, 50 out");
	assert.equal(
		text([reply(1000, null), reply(null, 30)]),
		"So far 1,000 tokens in, 30 out · Usage of 2 of 2 replies not reported in full",
	);
});

test("a reply without a report is named, and nothing is shown where no reply has one", () => {
	assert.equal(
		text([reply(1, 2), reply(null, null)]),
		"So far 1 token in, 2 out · Usage of 1 of 2 replies not reported in full",
	);
	assert.deepEqual([usedFacts([reply(null, null)]), usedFacts([REPLY])], [[], []]);
});

test("a reply that broke off before its output was counted is named", () => {
	const stopped = { ...reply(5, null), phase: { ...ENDED, outcome: "stopped" } } as const;
	assert.equal(text([stopped]), "So far 5 tokens in · Usage of the reply not reported in full");
	assert.match(text([reply(1, 2), stopped, reply(null, null)]), /Usage of 2 of 3 replies not reported in full$/);
});

test("cached tokens are counted apart", () => {
	const cached = { ...reply(1_000_000, 0), usage: { inputTokens: 1_000_000, outputTokens: 0, cachedTokens: 900_000 } };
	assert.equal(text([cached, reply(1, 1)]), "So far 1,000,001 tokens in (900,000 cached), 1 out");
});

/** The words beside the ring, and the figures of its hover, for a state of the composer. */
function meter(composer: Partial<ComposerView>, messages: readonly (typeof REPLY)[] = []) {
	const panel = openPanel();
	panel.tell(conversation(messages, { connection: "c", tokens: 24_000, ...composer }));
	const figures = [...panel.find("#figures").children].map(({ textContent }) => textContent ?? "");
	const button = panel.find("#tokens");
	assert.equal(button.getAttribute("aria-label"), figures.join(". "), "who cannot hover hears them");
	assert.equal(button.classList.contains("over"), button.textContent !== "");
	return { panel, words: button.textContent, figures, offers: !panel.find("#compact").hidden };
}

test("the figures are in the hover of the ring, which has no words far from a limit", () => {
	const cost = { amount: 0.0003, currency: "EUR" };
	const { words, figures, panel, offers } = meter({ contextTokens: 200_000, budget: 100_000, cost }, [reply(10, 20)]);
	assert.deepEqual([words, offers], ["", false]);
	assert.deepEqual(figures, [
		"12% of 200K, the model's context",
		"About 24,000 tokens would be sent",
		"So far 10 tokens in, 20 out",
		"About 0.0003 EUR in all versions",
		"Click to show the request",
	]);
	panel.find("#tokens").click();
	assert.deepEqual(panel.posted.at(-1), { type: "action", action: "show-request" });
	const share = (composer: Partial<ComposerView>) => meter(composer).figures[0];
	assert.equal(share({ budget: 100_000 }), "24% of 100K, your budget");
	assert.equal(share({ tokens: 100, contextTokens: 1_048_576 }), "<1% of 1M, the model's context");
	assert.equal(share({ tokens: 0, contextTokens: 8_192 }), "0% of 8.2K, the model's context");
	assert.equal(share({}), "About 24,000 tokens would be sent");
});

test("near a limit the ring has words, and a context nearly full offers a summary", () => {
	const near = (composer: Partial<ComposerView>) => {
		const { words, offers } = meter(composer);
		return [words, offers];
	};
	assert.deepEqual(near({ tokens: 161_000, contextTokens: 200_000, busy: true }), ["80% of 200K", false]);
	assert.deepEqual(near({ tokens: 300_000, contextTokens: 200_000 }), ["150% of 200K", true]);
	assert.deepEqual(near({ tokens: 120_000, contextTokens: 200_000, budget: 100_000 }), ["120,000 tokens", false]);
	assert.deepEqual(near({ tokens: 140_000, budget: 1_000 }), ["14000% of 1K", true]);
	const cost = { amount: 1.9, currency: "EUR" };
	assert.deepEqual(near({ cost: { ...cost, limit: 2 } }), ["1.90 of 2 EUR", false]);
	assert.deepEqual(
		[near({ cost: { ...cost, limit: 20 } }), near({ cost })],
		[
			["", false],
			["", false],
		],
	);
	const { panel } = meter({ tokens: 300_000, contextTokens: 200_000 });
	panel.find("#compact").click();
	assert.deepEqual(panel.posted.at(-1), { type: "action", action: "compact" });
});

test("a cost is in hundredths, or has its first digit", () => {
	const of = (amount: number) => meter({ cost: { amount, currency: "EUR" } }).figures.at(-2);
	assert.deepEqual(
		[4.5, 0.0003, 0.00000048, 0].map(of),
		["4.50", "0.0003", "0.0000005", "0.00"].map((amount) => `About ${amount} EUR in all versions`),
	);
});
