import type { ComposerView } from "#protocol/panel.ts";
import { el, icon, textButton } from "./dom.ts";

const EXAMPLES = [
	"What can you do?",
	"Show me a table, a list and some code",
	"Explain in three sentences how a reply is streamed",
];

/** Page of an empty conversation. */
export class Welcome {
	readonly element: HTMLElement;
	readonly #setup: HTMLElement;
	readonly #examples = el("ul", { class: "examples bare-list", attributes: { "aria-label": "Examples" } });
	readonly #chosen: (text: string) => void;
	#shown = "";

	constructor(chosen: (text: string) => void, addConnection: () => void) {
		this.#chosen = chosen;
		this.#setup = textButton("Add a Model", "primary", addConnection);
		this.element = el("section", {
			class: "welcome",
			attributes: { id: "welcome", "aria-label": "Welcome" },
			children: [
				icon("comment-discussion"),
				el("h2", { text: "Ask a question" }),
				el("p", {
					text: "Replies appear as they are written. Keys stay in the editor's secret storage.",
				}),
				this.#setup,
				this.#examples,
			],
		});
	}

	update(composer: ComposerView): void {
		this.#setup.hidden = composer.connection !== undefined;
		const { examples = EXAMPLES } = composer;
		if (examples.join() === this.#shown) return;
		this.#shown = examples.join();
		const rows = examples.map((text) => {
			const children = [icon("comment"), el("span", { text })];
			const click = () => this.#chosen(text);
			return el("li", { children: [el("button", { class: "example", children, click })] });
		});
		this.#examples.replaceChildren(...rows);
	}
}
