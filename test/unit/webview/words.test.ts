/// <reference types="node" />
import assert from "node:assert/strict";
import { test } from "node:test";
import { phaseWords } from "#webview/phase-line.ts";
import { clockWords, durationWords, outcomeWords, usageWords } from "#webview/words.ts";

test("a duration is said in the unit a person would use", () => {
	assert.deepEqual([30, 380, 3240, 9960, 59_400, 60_000, 185_000].map(durationWords), [
		"",
		"0.4 s",
		"3.2 s",
		"10 s",
		"59 s",
		"1 min",
		"3 min 5 s",
	]);
	assert.equal(clockWords(64_900), "1 min 4 s");
});

test("usage says only what the service has said", () => {
	assert.equal(usageWords({ inputTokens: null, outputTokens: null }), undefined);
	assert.equal(usageWords({ inputTokens: 12, outputTokens: null }), "12 tokens in");
	assert.equal(usageWords({ inputTokens: null, outputTokens: 5 }), "5 tokens out");
	assert.equal(usageWords({ inputTokens: 1200, outputTokens: 5 }), "1,200 tokens in, 5 out");
	assert.equal(usageWords({ inputTokens: 3, outputTokens: 0 }), "3 tokens in, 0 out");
});

test("a met stop sequence is quoted", () => {
	const ended = { name: "ended", outcome: "stop-sequence", durationMs: 1 } as const;
	assert.equal(outcomeWords({ ...ended, stopSequence: "END" }), "Ended at “END”");
	assert.equal(outcomeWords(ended), "Ended at a stop sequence");
	assert.equal(outcomeWords({ ...ended, outcome: "other", stopReason: "pause_turn" }), "Ended with “pause_turn”");
});

test("a reply that was cut off says at how many tokens, if they were counted", () => {
	const cut = { name: "ended", outcome: "truncated", durationMs: 1 } as const;
	assert.equal(outcomeWords(cut, 4_096), "Cut off: longer than 4,096 tokens");
	assert.equal(outcomeWords(cut, null), "Cut off");
});

test("a countdown counts down and a silence counts up from what the host said", () => {
	const retrying = { name: "retrying", inMs: 8000, attempt: 1, reason: "429" } as const;
	assert.equal(phaseWords(retrying, 0), "Retrying in 8 s (429)");
	assert.equal(phaseWords(retrying, 3500), "Retrying in 5 s (429)");
	assert.equal(phaseWords(retrying, 9000), "Retrying now (429)");
	assert.equal(phaseWords({ name: "streaming", elapsedMs: 40_000, silentMs: 30_000 }, 2000), "No data for 32 s");
});

test("elapsed time is said after five seconds only", () => {
	assert.equal(phaseWords({ name: "streaming", elapsedMs: 3000 }, 1999), undefined);
	assert.equal(phaseWords({ name: "streaming", elapsedMs: 3000 }, 2000), "5 s");
	assert.equal(phaseWords({ name: "waiting", elapsedMs: 0, isLocal: true }, 4999), "Waiting");
});

test("a refusal is explained in the service's words, where it has some", () => {
	const refused = { name: "ended", outcome: "refused", durationMs: 1 } as const;
	assert.equal(outcomeWords({ ...refused, explanation: "This is not done here." }), "Refused: This is not done here.");
	assert.equal(outcomeWords({ ...refused, explanation: "" }), "Refused");
});
