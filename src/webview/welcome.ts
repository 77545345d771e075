import type { ComposerView } from "#protocol/panel.ts";
import { el, icon, textButton } from "./dom.ts";

/** Events of the welcome. */
interface WelcomeEvents {
	/** An example was chosen. */
	example(text: string): void;
	addConnection(): void;
}

const EXAMPLES = ["Which pets are pending?", "Summarize issue 12", "Sell a pet that is available"];

/** The page of an empty conversation: what the chat is, how to begin. */
export class Welcome {
	readonly element: HTMLElement;
	readonly #setup: HTMLElement;

	constructor(events: WelcomeEvents) {
		const mark = icon("comment-discussion");
		mark.classList.add("welcome-mark");
		this.#setup = textButton("Add a Key", "primary", () => events.addConnection());
		this.element = el("section", {
			class: "welcome",
			attributes: { id: "welcome", "aria-label": "Welcome" },
			children: [
				mark,
				el("h2", { text: "Ask a question" }),
				el("p", {
					text: "Replies arrive block by block while the service writes them. Your key stays in the editor's secret storage.",
				}),
				this.#setup,
				el("ul", {
					class: "examples",
					attributes: { "aria-label": "Examples" },
					children: EXAMPLES.map((text) => {
						const children = [icon("comment"), el("span", { text })];
						const click = () => events.example(text);
						return el("li", { children: [el("button", { class: "example", children, click })] });
					}),
				}),
			],
		});
	}

	update(composer: ComposerView): void {
		this.#setup.hidden = composer.connection !== undefined;
	}
}
