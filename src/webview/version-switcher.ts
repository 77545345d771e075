import type { VersionsView } from "#protocol/panel.ts";
import { el, iconButton } from "./dom.ts";
import type { MessageRooms } from "./message-actions.ts";

/** Creates `‹ 2/3 ›`, the version of a message with buttons for its neighbors; nothing for a single version. */
export function versionSwitcher(
	{ id, versions }: { readonly id: string; readonly versions?: VersionsView },
	post: MessageRooms["post"],
): readonly HTMLElement[] {
	if (versions === undefined) return [];
	const { index, count } = versions;
	const step = (by: -1 | 1) => {
		const label = by === -1 ? "Previous Version" : "Next Version";
		const button = iconButton(by === -1 ? "chevron-left" : "chevron-right", label, () => {
			post({ type: "version", message: id, step: by });
		});
		button.disabled = index + by < 0 || index + by >= count;
		return button;
	};
	const words = el("span", { text: `${index + 1}/${count}`, attributes: { "aria-hidden": "true" } });
	const label = `Version ${index + 1} of ${count}`;
	return [
		el("div", {
			class: "versions small-print",
			attributes: { role: "group", "aria-label": label, title: label },
			children: [step(-1), words, step(1)],
		}),
	];
}
