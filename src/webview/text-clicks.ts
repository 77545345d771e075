import type { ToHost } from "#protocol/panel.ts";

/** Attribute of the buttons of a code block; its value is one of `copy`, `insert`, `compare`, `open`. */
export const CODE_ACTION = "data-code-action";

/**
 * Hears clicks on links and on the buttons of code blocks for all replies at once. A link never navigates: the host
 * decides what opens. The click stops here because the editor's own page would open the link a second time.
 */
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
		const message = button === null ? undefined : codeMessage(button);
		if (message !== undefined) post(message);
	};
	root.addEventListener("click", onClick);
	root.addEventListener("auxclick", (event) => {
		if (event.button === 1) onClick(event);
	});
}

function codeMessage(button: Element): ToHost | undefined {
	const frame = button.closest<HTMLElement>(".code");
	const text = frame?.querySelector("code")?.textContent ?? "";
	const language = frame?.dataset["language"] ?? "";
	switch (button.getAttribute(CODE_ACTION)) {
		case "copy":
			return { type: "copy", text };
		case "insert":
			return { type: "insert", text, language };
		case "compare":
			return { type: "compare", text, language };
		case "open":
			return { type: "open-code", text, language };
		default:
			return undefined;
	}
}
