import { inDigits, sumUsage } from "#base/cost.ts";
import type { ComposerView, ToHost } from "#protocol/panel.ts";
import { el, textButton, wordButton } from "./dom.ts";
import type { ReplyHead } from "./reply-article.ts";
import { countWords, usageWords } from "./words.ts";

/** Share of a limit above which the meter shows words; of the model's context, it offers a summary. */
const NEARLY_FULL = 0.8;

/** Format of token counts such as `900`, `1.8K` or `200K`. */
const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });

/** Size of the next message as a ring, relative to the model's context or the budget. Hover and focus show the figures. */
export class ContextMeter {
	readonly elements: readonly HTMLElement[];
	readonly #button: HTMLButtonElement;
	readonly #ring = el("span", { class: "ring" });
	readonly #words = el("span");
	readonly #figures = el("div", { attributes: { id: "figures", "aria-hidden": "true" } });
	readonly #compact: HTMLButtonElement;
	/** Figures of the conversation so far. */
	#used: readonly string[] = [];

	constructor(post: (message: ToHost) => void) {
		this.#button = wordButton("tokens", [this.#ring, this.#words], () => {
			post({ type: "action", action: "show-request" });
		});
		this.#compact = textButton("Compact", "secondary", () => post({ type: "action", action: "compact" }));
		this.#compact.id = "compact";
		this.#compact.title = "Go on from a summary of this conversation. The messages stay as another version.";
		this.elements = [this.#button, this.#figures, this.#compact];
	}

	/** Takes the replies on screen, whose tokens {@link show} sums. */
	replied(replies: readonly ReplyHead[]): void {
		this.#used = usedFacts(replies);
	}

	/** Shows the estimated tokens of the next request, if known. */
	show(tokens: number | undefined, { connection, contextTokens, budget, busy, cost }: ComposerView): void {
		this.#button.hidden = tokens === undefined || connection === undefined;
		const limit = contextTokens || budget || 0;
		const part = tokens === undefined || limit === 0 ? 0 : tokens / limit;
		this.#compact.hidden = this.#button.hidden || part <= NEARLY_FULL || busy;
		if (tokens === undefined) return;
		const percent = part > 0 && part < 0.01 ? "<1%" : `${Math.floor(part * 100)}%`;
		const share = `${percent} of ${COMPACT.format(limit)}`;
		const size = `${countWords(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
		const { amount = 0, limit: most, currency } = cost ?? {};
		const spent = `${inDigits(amount)} ${most === undefined ? "" : `of ${most} `}${currency}`;
		const near = [
			part > NEARLY_FULL && share,
			tokens > (budget ?? tokens) && size,
			most !== undefined && amount > NEARLY_FULL * most && spent,
		];
		this.#words.textContent = near.find((each) => each !== false) ?? "";
		this.#button.classList.toggle("over", this.#words.textContent !== "");
		this.#ring.style.setProperty("--part", `${Math.min(100, part * 100)}%`);
		const figures = [
			...(limit === 0 ? [] : [`${share}, ${contextTokens ? "the model's context" : "your budget"}`]),
			`About ${size} would be sent`,
			...this.#used,
			...(cost === undefined ? [] : [`About ${spent} in all versions`]),
			"Click to show the request",
		];
		this.#figures.replaceChildren(...figures.map((text) => el("div", { text })));
		this.#button.setAttribute("aria-label", figures.join(". "));
	}
}

/** Describes the tokens of some replies; empty if none are reported. */
export function usedFacts(replies: readonly ReplyHead[]): readonly string[] {
	const ended = replies.filter(({ phase }) => phase.name === "ended");
	const words = usageWords(sumUsage(ended.map(({ usage }) => usage)));
	if (words === undefined) return [];
	const partial = ended.filter(({ usage }) => usage.inputTokens === null || usage.outputTokens === null).length;
	const whose = ended.length === 1 ? "the reply" : `${partial} of ${ended.length} replies`;
	return [`So far ${words}`, ...(partial > 0 ? [`Usage of ${whose} not reported in full`] : [])];
}
