import type { TurnView } from "#protocol/panel.ts";
import { el, iconButton } from "./dom.ts";

/** What a message's own buttons ask of the panel. */
export interface MessageEvents {
	copy(text: string): void;
}

/** The article of the person's turn: their text as they typed it. */
export function turnView(turn: TurnView, events: MessageEvents): HTMLElement {
	return el("article", {
		class: "message turn",
		attributes: { "data-id": turn.id, "data-role": "user", "aria-label": "You" },
		children: [
			el("div", { class: "turn-text", text: turn.text }),
			el("div", {
				class: "message-actions",
				children: [iconButton("copy", "Copy message", () => events.copy(turn.text))],
			}),
		],
	});
}
