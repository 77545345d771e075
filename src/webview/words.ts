import type { Usage } from "#base/cost.ts";
import { OUTCOME_WORDS } from "#base/reply.ts";
import type { CardAction, Phase } from "#protocol/panel.ts";
import { el } from "./dom.ts";

/** Labels of the buttons of error cards. */
export const ACTION_LABELS: Readonly<Record<CardAction, string>> = {
	retry: "Retry",
	continue: "Continue",
	"set-key": "Replace Key",
	"edit-connection": "Edit Connection",
	"add-connection": "Add Connection",
	"select-model": "Select Model",
	"raise-max-tokens": "Raise Limit",
	"show-log": "Show Log",
};

/** Describes the outcome of a reply of `tokens`; a stop sequence and an unknown stop reason are quoted. */
export function outcomeWords(phase: Extract<Phase, { name: "ended" }>, tokens: number | null = null): string {
	const { outcome, stopSequence, explanation, stopReason } = phase;
	const words = OUTCOME_WORDS[outcome];
	if (outcome === "truncated") return tokens === null ? words : `${words}: longer than ${tokenWords(tokens)}`;
	if (outcome === "stop-sequence" && stopSequence !== undefined) return `Ended at “${stopSequence}”`;
	if (explanation) return `${words}: ${explanation}`;
	return stopReason === undefined ? words : `Ended with “${stopReason}”`;
}

/** Formats a duration: `0.4 s`, `12 s`, `3 min 5 s`; empty for 0.0 s. */
export function durationWords(ms: number): string {
	if (ms < 50) return "";
	return ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : clockWords(ms + 500);
}

/** Formats the whole seconds of a running clock: `8 s`, `1 min 4 s`, `2 min`. */
export function clockWords(ms: number): string {
	const whole = Math.floor(Math.max(0, ms) / 1000);
	const rest = whole % 60;
	const minutes = whole < 60 ? "" : `${(whole - rest) / 60} min`;
	return minutes !== "" && rest === 0 ? minutes : `${minutes} ${rest} s`.trimStart();
}

/** Formats an estimate: `42`, `1,200`, `140,000`. */
export function countWords(count: number): string {
	return count.toLocaleString("en-US", { maximumSignificantDigits: 2 });
}

/** Formats the tokens of a reply, `12 tokens in (9 cached), 340 out`; undefined if the service reported none. */
export function usageWords({ inputTokens, outputTokens, cachedTokens = 0 }: Usage): string | undefined {
	const cached = cachedTokens === 0 ? "" : ` (${cachedTokens.toLocaleString("en-US")} cached)`;
	const input = inputTokens === null ? undefined : `${tokenWords(inputTokens)} in${cached}`;
	if (input === undefined || outputTokens === null) {
		return outputTokens === null ? input : `${tokenWords(outputTokens)} out`;
	}
	return `${input}, ${outputTokens.toLocaleString("en-US")} out`;
}

function tokenWords(count: number): string {
	return `${count.toLocaleString("en-US")} ${count === 1 ? "token" : "tokens"}`;
}

/** Formats a token rate, `48 tokens/s`; undefined if there is too little for an estimate. */
export function rateWords(tokens: number | null, ms: number): string | undefined {
	if (tokens === null || tokens < 2 || ms < 100) return undefined;
	const rate = tokens / (ms / 1000);
	return `${rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString("en-US")} tokens/s`;
}

const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

/** Creates the element of a time of day in the person's language, with the date as its tooltip. */
export function timeOfDay(at: number): HTMLTimeElement {
	const date = new Date(at);
	return el("time", {
		class: "time-of-day small-print",
		text: TIME.format(date),
		attributes: { datetime: date.toISOString(), title: DATE.format(date) },
	});
}
