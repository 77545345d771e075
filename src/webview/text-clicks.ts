import type { ToHost } from "#protocol/panel.ts";

/** Attribute of the buttons of a code block. */
export const CODE_ACTION = "data-code-action";

/** Values of that attribute: the types of the posted messages. */
export const CODE_ACTIONS = ["copy", "insert", "compare", "open-code"] as const;

/** Handles clicks on links and on the buttons of code blocks. The editor's page must not open the link a second time. */
export function handleTextClicks(root: HTMLElement, post: (message: ToHost) => void): void {
	const onClick = (event: MouseEvent) => {
		if (!(event.target instanceof Element)) return;
		const link = event.target.closest("a");
		if (link !== null) {
			event.preventDefault();
			event.stopPropagation();
			post({ type: "open-link", url: link.href });
			return;
		}
		const button = event.target.closest(`[${CODE_ACTION}]`);
		const type = CODE_ACTIONS.find((action) => action === button?.getAttribute(CODE_ACTION));
		if (type === undefined) return;
		const frame = button?.closest<HTMLElement>(".code");
		const text = frame?.querySelector("code")?.textContent ?? "";
		post(type === "copy" ? { type, text } : { type, text, language: frame?.dataset["language"] ?? "" });
	};
	root.addEventListener("click", onClick);
	root.addEventListener("auxclick", (event) => {
		if (event.button === 1) onClick(event);
	});
}
