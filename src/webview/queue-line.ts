import type { AskedOfMessage, QueuedView, ToHost } from "#protocol/panel.ts";
import { el, iconButton } from "./dom.ts";
import type { IconName } from "./icons.ts";

/** Queued turns above the composer, a row each. */
export class QueueLine {
	readonly element: HTMLElement;
	readonly #list = el("ul", { class: "bare-list" });
	readonly #held = el("p", { class: "small-print", text: "Waiting for Send Now" });
	readonly #post: (message: ToHost) => void;
	readonly #leave: () => void;
	#queue: readonly QueuedView[] = [];
	#busy = false;

	/** `leave` moves the focus away when no button is left. */
	constructor(post: (message: ToHost) => void, leave: () => void) {
		this.#post = post;
		this.#leave = leave;
		const attributes = { "aria-label": "Queued messages" };
		this.element = el("section", { class: "queue", attributes, children: [this.#held, this.#list] });
		this.element.hidden = true;
	}

	show(queue: readonly QueuedView[]): void {
		const before = this.#queue;
		this.#queue = queue;
		this.#draw(before);
	}

	/** Moves the last queued turn into the composer; false if there is none. */
	editLast(): boolean {
		const last = this.#queue.at(-1);
		if (last !== undefined) this.#post({ type: "edit-queued", id: last.id });
		return last !== undefined;
	}

	/** Tells if a reply is under way, which Send Now stops; else the turns wait for it. */
	update(busy: boolean): void {
		if (this.#busy === busy) return;
		this.#busy = busy;
		this.#draw();
	}

	/** Draws the rows. The focus stays in its row of the queue `before`, or moves to the next. */
	#draw(before = this.#queue): void {
		const focused = document.activeElement;
		const row = [...this.#list.children].findIndex((each) => each.contains(focused));
		this.element.hidden = this.#queue.length === 0;
		this.#held.hidden = this.#busy;
		this.#list.replaceChildren(
			...this.#queue.map(({ id, text }, at) => {
				const button = (
					icon: IconName,
					label: string,
					type: Extract<AskedOfMessage, { readonly id: string }>["type"],
				) => iconButton(icon, label, () => this.#post({ type, id }));
				return el("li", {
					children: [
						el("span", { text: "Queued:" }),
						el("span", { class: "queued-text one-line", text, attributes: { title: text } }),
						...(at === 0 ? [] : [button("arrow-up", "Move Up", "raise-queued")]),
						button("send", this.#busy ? "Send Now (Stops the Reply)" : "Send Now", "send-queued"),
						button("edit", "Edit", "edit-queued"),
						button("close", "Remove from Queue", "unqueue"),
					],
				});
			}),
		);
		if (row === -1) return;
		const from = before.slice(row).map(({ id }) => id);
		const to = this.#list.children[this.#queue.findIndex(({ id }) => from.includes(id))] ?? this.#list.lastElementChild;
		const buttons = [...(to?.querySelectorAll("button") ?? [])];
		const iconOf = (button: Element | null) => button?.firstElementChild?.className;
		// The first row has no Move Up. Edit, before the last one, neither sends nor drops anything.
		const button = buttons.find((each) => iconOf(each) === iconOf(focused)) ?? buttons.at(-2);
		if (button === undefined) this.#leave();
		else button.focus();
	}
}
