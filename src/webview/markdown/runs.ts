import { el } from "../dom.ts";

/** Number of items or rows in one run. */
const RUN = 64;

/**
 * Groups the items of a long list, or the rows of a long table, into runs once no later text can change them: an engine
 * lays out what is added without them, and leaves out those that are not in view (`content-visibility`).
 */
export class Runs {
	readonly #holder: HTMLElement;
	#waiting: HTMLElement[] = [];
	#grouped = 0;

	/** Takes items of a list, or rows of the body of a table. */
	constructor(holder: HTMLElement) {
		this.#holder = holder;
	}

	add(elements: readonly HTMLElement[]): void {
		this.#waiting.push(...elements);
		while (this.#waiting.length >= RUN) {
			const items = this.#waiting.splice(0, RUN);
			if (this.#holder.localName === "tbody" && !isFrozen(this.#holder)) return;
			const run = el("div", { class: "run", attributes: { role: "none" } });
			items[0]?.before(run);
			run.append(...items);
			this.#number(items[0]);
			this.#grouped += RUN;
			this.#number(run.nextElementSibling);
		}
	}

	/** Lets an item say its number itself: an engine does not count what it leaves out. */
	#number(item: Element | null | undefined): void {
		if (this.#holder.localName !== "ol") return;
		const start = Number(this.#holder.getAttribute("start") ?? 1);
		item?.setAttribute("value", String(start + this.#grouped));
	}
}

/**
 * Fixes the columns of a table at the widths they have, so that rows are laid out one by one: an engine goes through all
 * rows of a table for each that is added. They stay rows to a screen reader. False without a layout to measure.
 */
function isFrozen(body: HTMLElement): boolean {
	const table = body.parentElement;
	if (table === null || table.classList.contains("frozen")) return table !== null;
	const widths = [...table.querySelectorAll("th")].map((head) => head.getBoundingClientRect().width);
	if (widths.some((width) => width === 0)) return false;
	table.style.width = `${table.getBoundingClientRect().width}px`;
	table.style.setProperty("--columns", widths.map((width) => `${width}px`).join(" "));
	table.classList.add("frozen");
	return true;
}
