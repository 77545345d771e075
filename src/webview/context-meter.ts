import type { ComposerView, ToHost } from "#protocol/panel.ts";
import { el, setName, textButton, wordButton } from "./dom.ts";
import { countWords } from "./words.ts";

/** Share of the model's context above which the meter warns and offers a summary. */
const NEARLY_FULL = 0.8;

/** Format of token counts such as `900`, `1.8K` or `200K`. */
const COMPACT = new Intl.NumberFormat("en", { notation: "compact" });

/** Size of the next message, relative to the model's context if that is known. */
export class ContextMeter {
	readonly elements: readonly HTMLElement[];
	readonly #button: HTMLButtonElement;
	readonly #words = el("span", { class: "meter-words" });
	readonly #rest = el("span", { class: "meter-rest" });
	readonly #fill = el("span", { class: "meter-fill" });
	readonly #bar = el("span", { class: "meter-bar", children: [this.#fill] });
	readonly #compact: HTMLButtonElement;

	constructor(post: (message: ToHost) => void) {
		this.#button = wordButton("tokens", [this.#words, this.#rest, this.#bar], () => {
			post({ type: "action", action: "show-request" });
		});
		this.#compact = textButton("Compact", "secondary", () => post({ type: "action", action: "compact" }));
		this.#compact.id = "compact";
		this.#compact.title = "Go on from a summary of this conversation. The messages stay as another version.";
		this.elements = [this.#button, this.#compact];
	}

	/** Shows the estimated tokens of the next request, if known. */
	show(tokens: number | undefined, { connection, contextTokens, budget, busy }: ComposerView): void {
		this.#button.hidden = tokens === undefined || connection === undefined;
		const part = tokens === undefined || !contextTokens ? 0 : tokens / contextTokens;
		const isNearlyFull = part > NEARLY_FULL;
		this.#compact.hidden = this.#button.hidden || !isNearlyFull || busy;
		if (tokens === undefined) return;
		const hasMeter = Boolean(contextTokens);
		const percent = part > 0 && part < 0.01 ? "<1%" : `${Math.floor(part * 100)}%`;
		this.#words.textContent = hasMeter ? percent : `~${countWords(tokens)}`;
		const unit = tokens === 1 ? " token" : " tokens";
		this.#rest.textContent = hasMeter ? ` of ${COMPACT.format(contextTokens ?? 0)}` : unit;
		this.#button.dataset["short"] = hasMeter ? percent : `~${COMPACT.format(tokens)}`;
		this.#bar.hidden = !hasMeter;
		this.#fill.style.width = `${Math.min(100, part * 100)}%`;
		// The accessible name begins with the visible words.
		const limit = hasMeter ? `${percent}${this.#rest.textContent} that the model takes. ` : "";
		setName(this.#button, `${limit}About ${countWords(tokens)} tokens would be sent. Show the request.`);
		this.#button.classList.toggle("over", isNearlyFull || tokens > (budget ?? tokens));
	}
}
