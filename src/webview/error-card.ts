import type { CardAction, ErrorCard } from "#protocol/panel.ts";
import { el, icon, textButton } from "./dom.ts";
import { ACTION_LABELS } from "./words.ts";

/** An error where the reply would have been: what happened, what to do, and the buttons to do it. */
export function errorCard(card: ErrorCard, onAction: (action: CardAction) => void): HTMLElement {
	const buttons = card.actions.map((action, i) => {
		const button = textButton(ACTION_LABELS[action], i === 0 ? "primary" : "secondary", () => onAction(action));
		button.dataset["action"] = action;
		return button;
	});
	return el("div", {
		class: "card",
		attributes: { "data-code": card.code, role: "group", "aria-label": card.title },
		children: [
			icon(card.code === "truncated" ? "warning" : "error"),
			el("div", {
				class: "card-body",
				children: [
					el("p", { class: "card-title", text: card.title }),
					el("p", { class: "card-advice", text: card.advice }),
					el("div", { class: "card-actions", children: buttons }),
				],
			}),
		],
	});
}
