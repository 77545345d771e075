import { costOf, type Usage } from "#base/reply.ts";
import type { Price, Prices } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import type { ReplyHead } from "./reply-article.ts";
import { isWhole, usageWords } from "./words.ts";

/** The tokens of a whole conversation, as the services reported them, and about what they cost. */
export class UsageLine {
	readonly element = el("div", { class: "usage facts small-print" });

	constructor() {
		this.element.hidden = true;
	}

	/** Shows the sums of these replies. */
	update(replies: readonly ReplyHead[], prices: Prices = {}): void {
		const sums = sumFacts(replies, prices);
		this.element.hidden = sums === undefined;
		if (sums === undefined) return;
		this.element.replaceChildren(...sums.facts.map((text) => el("span", { class: "fact", text })));
		this.element.title = sums.tooltip;
	}
}

/** Words about the tokens of some replies; undefined while there is nothing to say. */
export function sumFacts(
	replies: readonly ReplyHead[],
	prices: Prices,
): { readonly facts: readonly string[]; readonly tooltip: string } | undefined {
	const ended = replies.filter(({ phase }) => phase.name === "ended");
	const reported = ended.filter(({ usage }) => usage.inputTokens !== null || usage.outputTokens !== null);
	const cachedTokens = sum(reported, "cachedTokens");
	const usage = {
		inputTokens: sum(reported, "inputTokens"),
		outputTokens: sum(reported, "outputTokens"),
		...(cachedTokens === null ? {} : { cachedTokens }),
	};
	const words = usageWords(usage);
	if (words === undefined) return undefined;
	const silent = ended.length - reported.length;
	const halves = reported.filter(({ phase, usage }) => usage.outputTokens === null && !isWhole(phase)).length;
	const facts = [words];
	if (silent > 0) facts.push(`no usage reported for ${someOf(silent, ended.length)}`);
	if (halves > 0) facts.push(`output of ${someOf(halves, ended.length)} not reported`);
	const costs = costWords(reported, prices);
	if (costs !== undefined) facts.push(costs.text);
	const basis = "Tokens of the replies on screen as the services reported them; other versions are not counted.";
	return { facts, tooltip: costs === undefined ? basis : `${basis} ${costs.tooltip}` };
}

function someOf(count: number, all: number): string {
	return all === 1 ? "the reply" : `${count} of ${all} replies`;
}

/** Null where no reply says anything of it. */
function sum(replies: readonly ReplyHead[], of: keyof Usage): number | null {
	return replies.reduce<number | null>((all, { usage: { [of]: count = null } }) => {
		return count === null ? all : (all ?? 0) + count;
	}, null);
}

/** An estimate, for no service says what it charges: tokens by the prices that the person has set. */
function costWords(replies: readonly ReplyHead[], prices: Prices): { text: string; tooltip: string } | undefined {
	const costs = new Map<string, number>();
	let without = 0;
	for (const { model, asked = model, usage } of replies) {
		const price = priceOf(model, prices) ?? priceOf(asked, prices);
		if (price === undefined) {
			without += 1;
			continue;
		}
		costs.set(price.currency, (costs.get(price.currency) ?? 0) + costOf(usage, price));
	}
	if (costs.size === 0) return undefined;
	const sums = [...costs].map(([currency, cost]) => `${amount(cost)} ${currency}`).join(" + ");
	const priced = `${replies.length - without} of ${replies.length} replies`;
	const text = without === 0 ? `about ${sums}` : `about ${sums} for ${priced}`;
	const rest = without === 0 ? "" : ` ${without} of ${replies.length} replies are of models without a price.`;
	return { text, tooltip: `The cost is an estimate by the known prices of tokens.${rest}` };
}

function priceOf(model: string, prices: Prices): Price | undefined {
	return Object.hasOwn(prices, model) ? prices[model] : undefined;
}

/** In whole hundredths, or with its first digit. By hand: the engine's own way costs a cold page some 20 ms. */
function amount(cost: number): string {
	return cost === 0 || cost >= 0.01 ? cost.toFixed(2) : cost.toFixed(-Math.floor(Math.log10(cost)));
}
