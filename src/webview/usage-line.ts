import { sumUsage } from "#base/cost.ts";
import type { ComposerView } from "#protocol/panel.ts";
import { el } from "./dom.ts";
import type { ReplyHead } from "./reply-article.ts";
import { usageWords } from "./words.ts";

/** Reported tokens of a conversation, and their estimated cost. */
export class UsageLine {
	readonly element = el("div", { class: "usage facts small-print" });

	constructor() {
		this.element.hidden = true;
	}

	/** Shows the sums of these replies, and the estimated cost of the conversation. */
	update(replies: readonly ReplyHead[], cost?: ComposerView["cost"]): void {
		const sums = sumFacts(replies, cost);
		this.element.hidden = sums === undefined;
		if (sums === undefined) return;
		this.element.replaceChildren(...sums.facts.map((text) => el("span", { class: "fact", text })));
		this.element.title = sums.tooltip;
	}
}

/** Describes the tokens of some replies; undefined if none are reported. */
export function sumFacts(
	replies: readonly ReplyHead[],
	cost?: ComposerView["cost"],
): { readonly facts: readonly string[]; readonly tooltip: string } | undefined {
	const ended = replies.filter(({ phase }) => phase.name === "ended");
	const words = usageWords(sumUsage(ended.map(({ usage }) => usage)));
	if (words === undefined) return undefined;
	const partial = ended.filter(({ usage }) => usage.inputTokens === null || usage.outputTokens === null).length;
	const facts = [words];
	if (partial > 0)
		facts.push(
			`usage of ${ended.length === 1 ? "the reply" : `${partial} of ${ended.length} replies`} not reported in full`,
		);
	if (cost !== undefined) facts.push(`about ${inDigits(cost.amount)} ${cost.currency}`);
	return { facts, tooltip: cost === undefined ? BASIS : `${BASIS} ${COST_BASIS}` };
}

const BASIS = "Tokens of the replies on screen as the services reported them; other versions are not counted.";
const COST_BASIS =
	"The cost is an estimate by the known prices of tokens. Every version of a reply counts; replies of models without a price do not.";

/** Formats a cost in hundredths, or with its first digit. By hand, since `Intl` costs a cold page some 20 ms. */
function inDigits(cost: number): string {
	return cost === 0 || cost >= 0.01 ? cost.toFixed(2) : cost.toFixed(-Math.floor(Math.log10(cost)));
}
