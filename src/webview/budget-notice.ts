import { el, textButton } from "./dom.ts";
import { countWords } from "./words.ts";

/** Asks before a message is sent that is larger than the person's budget. What is typed stays where it is. */
export class BudgetNotice {
	readonly element: HTMLElement;
	readonly #words = el("p", { attributes: { id: "budget-words" } });
	readonly #back: HTMLButtonElement;
	readonly #returned: () => void;
	#send: () => void = () => undefined;

	/** `returned` hears that the person goes back to what is typed. */
	constructor(returned: () => void) {
		this.#returned = returned;
		this.#back = textButton("Go Back", "secondary", () => this.#end());
		const anyway = textButton("Send Anyway", "primary", () => {
			this.element.hidden = true;
			this.#send();
		});
		this.element = el("div", {
			class: "budget",
			attributes: { role: "alertdialog", "aria-labelledby": "budget-words" },
			children: [this.#words, el("div", { class: "card-actions", children: [anyway, this.#back] })],
		});
		this.element.hidden = true;
		this.element.addEventListener("keydown", (event) => {
			if (event.key !== "Escape") return;
			event.preventDefault();
			event.stopPropagation();
			this.#end();
		});
	}

	/** Says how much it is, and calls `send` if the person wants it all the same. */
	ask({ tokens, budget }: { readonly tokens: number; readonly budget: number }, send: () => void): void {
		this.#send = send;
		this.#words.textContent = `This message is about ${countWords(tokens)} tokens; your budget is ${countWords(budget)}. The service may refuse it, or charge for all of it.`;
		this.element.hidden = false;
		this.#back.focus();
	}

	close(): void {
		this.element.hidden = true;
	}

	#end(): void {
		this.close();
		this.#returned();
	}
}
