import { el, isTaken } from "./dom.ts";

/** Row of a menu. */
export interface MenuRow {
	/** Unique in its menu; the row carries it as `data-row`. */
	readonly name: string;
	readonly label: string;
	/** Small print below the label. */
	readonly detail?: string;
	readonly run: (event: MouseEvent) => void;
}

/** Creates the menu that a button opens, to stand beside it. Rows are made when it opens; one that is chosen closes it. */
export function menuOf(button: HTMLButtonElement, rows: () => readonly MenuRow[]): HTMLElement {
	const menu = el("div", { class: "menu", attributes: { role: "menu", popover: "auto" } });
	menu.setAttribute("aria-label", button.getAttribute("aria-label") ?? button.textContent);
	button.setAttribute("aria-haspopup", "menu");
	button.popoverTargetElement = menu;
	menu.addEventListener("beforetoggle", ({ newState }) => {
		if (newState !== "open") return;
		menu.replaceChildren(...rows().map((row) => rowElement(row, menu)));
		menu.firstElementChild?.setAttribute("autofocus", "");
	});
	menu.addEventListener("mouseover", ({ target }) => target instanceof HTMLElement && target.focus());
	menu.addEventListener("keydown", (event) => onKey(event, menu));
	menu.addEventListener("focusout", ({ relatedTarget }) => {
		const isInside = relatedTarget instanceof Node && (menu.contains(relatedTarget) || relatedTarget === button);
		if (!isInside) menu.hidePopover();
	});
	return menu;
}

function rowElement({ name, label, detail = "", run }: MenuRow, menu: HTMLElement): HTMLElement {
	const attributes = { role: "menuitem", tabindex: "-1", "data-row": name };
	const click = (event: MouseEvent) => {
		// Gives the focus back to the button.
		menu.hidePopover();
		run(event);
	};
	const children = detail === "" ? [] : [el("div", { class: "small-print", text: detail })];
	return el("button", { text: label, attributes, children, click });
}

function onKey(event: KeyboardEvent, menu: HTMLElement): void {
	// Elsewhere it stops a reply.
	if (event.key === "Escape") event.stopPropagation();
	const rows = [...menu.querySelectorAll("button")];
	const at = rows.findIndex((row) => row.matches(":focus"));
	const steps: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
	const to = event.altKey || isTaken(event) ? undefined : steps[event.key];
	if (to === undefined) return;
	event.preventDefault();
	rows.at(to % rows.length)?.focus();
}
