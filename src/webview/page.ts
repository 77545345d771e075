import { PAGE_READY, type PageRow, type PageTable, type PageView } from "#protocol/page.ts";
import { el } from "./dom.ts";

declare function acquireVsCodeApi(): { postMessage(message: string): void };

const api = acquireVsCodeApi();
const root = document.body.appendChild(el("main"));

/** Draws a view in place of the one before. The button with the focus keeps it. */
function draw({ title, facts = [], problem, choice, tables }: PageView): void {
	const focused = document.activeElement?.id ?? "";
	const buttons = choice?.buttons.map(([id, text]) => {
		const attributes = { id, "aria-pressed": `${id === choice.pressed}` };
		return el("button", { text, attributes, click: () => api.postMessage(id) });
	});
	root.replaceChildren(
		el("h1", { text: title }),
		...(problem === undefined ? [] : [el("p", { class: "problem", text: problem, attributes: { role: "alert" } })]),
		...(buttons === undefined
			? []
			: [el("div", { attributes: { role: "group", "aria-label": choice?.label ?? "" }, children: buttons })]),
		...facts.map((text) => el("p", { text })),
		...tables.map(tableOf),
	);
	document.getElementById(focused)?.focus({ preventScroll: true });
}

function tableOf({ caption, columns, rows }: PageTable): HTMLElement {
	const most = Math.max(0, ...rows.map(({ size }) => size)) || 1;
	const headers = columns.map((text) => el("th", { text, attributes: { scope: "col" } }));
	return el("table", {
		children: [
			el("caption", { children: [el("h2", { text: caption })] }),
			el("thead", { children: [el("tr", { children: headers })] }),
			el("tbody", { children: rows.map((row) => rowOf(row, most)) }),
		],
	});
}

function rowOf({ name, values: [first = "", ...values], size, color = "blue" }: PageRow, most: number): HTMLElement {
	const fill = el("span", { class: `fill ${color}` });
	fill.style.width = `${Math.max(0, size / most) * 100}%`;
	const track = el("span", { class: "track", attributes: { "aria-hidden": "true" }, children: [fill] });
	const bar = el("div", { class: "bar", children: [track, el("span", { text: first })] });
	const header = el("th", { text: name, attributes: { scope: "row" } });
	return el("tr", { children: [header, el("td", { children: [bar] }), ...values.map((text) => el("td", { text }))] });
}

window.addEventListener("message", ({ data }: MessageEvent<PageView>) => draw(data));
api.postMessage(PAGE_READY);
