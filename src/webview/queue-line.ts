import type { QueuedView, ToHost } from "#protocol/panel.ts";
import { el, iconButton } from "./dom.ts";

/** What waits to be sent, above the composer: a row each, to be taken away, or sent where the queue waits. */
export class QueueLine {
	readonly element: HTMLElement;
	readonly #list = el("ul");
	readonly #post: (message: ToHost) => void;
	#queue: readonly QueuedView[] = [];
	#busy = false;

	constructor(post: (message: ToHost) => void) {
		this.#post = post;
		const attributes = { "aria-label": "Queued messages" };
		this.element = el("section", { class: "queue", attributes, children: [this.#list] });
		this.element.hidden = true;
	}

	show(queue: readonly QueuedView[]): void {
		this.#queue = queue;
		this.#draw();
	}

	/** While a reply is under way the queue goes on by itself. */
	update(busy: boolean): void {
		if (this.#busy === busy) return;
		this.#busy = busy;
		this.#draw();
	}

	#draw(): void {
		this.element.hidden = this.#queue.length === 0;
		this.#list.replaceChildren(
			...this.#queue.map(({ id, text }) => {
				const button = (icon: "send" | "close", label: string, type: "send-queued" | "unqueue") =>
					iconButton(icon, label, () => this.#post({ type, id }));
				return el("li", {
					children: [
						el("span", { class: "queued-text", text, attributes: { title: text } }),
						...(this.#busy ? [] : [button("send", "Send Now", "send-queued")]),
						button("close", "Remove from Queue", "unqueue"),
					],
				});
			}),
		);
	}
}
