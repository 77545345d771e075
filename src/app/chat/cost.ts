import { costOf } from "#base/reply.ts";
import type { Prices } from "#protocol/panel.ts";
import type { Entry } from "./conversation.ts";

/**
 * Cost of the replies among some entries, by the prices that the person has set: the sum in the currency in which it is
 * the highest. Replies of models without a price are free.
 */
export function costOfReplies(
	entries: readonly Entry[],
	prices: Prices,
): { readonly cost: number; readonly currency: string } {
	const costs = new Map<string, number>();
	for (const entry of entries) {
		if (entry.role !== "assistant" || entry.reply === undefined) continue;
		const { model, usage } = entry.reply;
		const name = [model ?? "", entry.model].find((each) => Object.hasOwn(prices, each));
		const price = name === undefined ? undefined : prices[name];
		if (price !== undefined) costs.set(price.currency, (costs.get(price.currency) ?? 0) + costOf(usage, price));
	}
	const [[currency, cost] = ["", 0]] = [...costs].sort(([, one], [, other]) => other - one);
	return { cost, currency };
}
