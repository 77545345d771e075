import { systemClock } from "#base/clock.ts";
import { exactTime, timeAgo } from "#base/duration.ts";
import type { PageButton, PageChoice, PageDetail, PageNode, PageRow, PageTable, PageView } from "#protocol/page.ts";
import { PAGE_READY } from "#protocol/page.ts";
import { el, replaceChanged } from "./dom.ts";
import { handleTextClicks } from "./text-clicks.ts";

declare function acquireVsCodeApi(): {
	postMessage(message: unknown): void;
	/** Place of the reader when the page was hidden or the window reloaded. Pixels from above. */
	getState(): { readonly top: number } | undefined;
	setState(state: { readonly top: number }): void;
};

/** Interval at which relative times are told again. Milliseconds. */
const TELL_MS = 60_000;

const api = acquireVsCodeApi();
const head = el("header");
/** Stays in the page, so that a change of it is read aloud. */
const status = el("p", { class: "status", attributes: { role: "status" } });
const rest = el("div");
document.body.append(el("main", { children: [head, status, rest] }));
let top = api.getState()?.top ?? 0;

const nameOf = (element: Element) => element.id || (element.getAttribute("href") ?? "");

/** Draws a view in place of the one before. The button or link with the focus keeps it; the title gets it from one that is gone. */
function draw(view: PageView): void {
	const before = document.activeElement ?? document.body;
	const { title, picture, facts = [], problem, choice, buttons = [], details = [], nodes = [], tables } = view;
	const heading = el("h1", { text: title, attributes: { id: "title", tabindex: "-1" } });
	head.replaceChildren(
		...(picture === undefined ? [] : [pictureOf(picture)]),
		el("div", {
			children: [
				heading,
				...(problem === undefined ? [] : [el("p", { class: "problem", text: problem, attributes: { role: "alert" } })]),
				...(choice === undefined ? [] : [groupOf(choice)]),
				...facts.map((text) => el("p", { text })),
				...(buttons.length === 0
					? []
					: [el("div", { class: "buttons", children: buttons.map((each) => buttonOf(each)) })]),
			],
		}),
	);
	if (status.textContent !== (view.status ?? "")) status.textContent = view.status ?? "";
	const list = details.length === 0 ? [] : [el("dl", { children: details.map(detailOf) })];
	rest.className = nodes.length === 0 ? "" : "prose";
	replaceChanged(rest, [...list, ...nodes.map(nodeOf), ...tables.map(tableOf)]);
	if (!before.isConnected) {
		const again = [...document.querySelectorAll<HTMLElement>("button, a")].find(
			(each) => nameOf(each) === nameOf(before),
		);
		(again ?? heading).focus({ preventScroll: true });
	}
	if (top > 0 && top <= document.documentElement.scrollHeight - innerHeight) {
		scrollTo(0, top);
		top = 0;
	}
}

function nodeOf(node: PageNode): Node {
	if (typeof node === "string") return document.createTextNode(node);
	const { tag, attributes = {}, children = [], time, colors } = node;
	if (time !== undefined) {
		const datetime = new Date(time).toISOString();
		return el("time", { text: timeAgo(time, systemClock.now()), attributes: { datetime, title: exactTime(time) } });
	}
	const element = el(tag, { attributes, children: children.map(nodeOf) });
	if (colors !== undefined) [element.style.background, element.style.color] = colors;
	if (tag !== "table" && tag !== "pre") return element;
	// It may scroll sideways, by keyboard too.
	return el("div", { class: "wide", attributes: { tabindex: "0" }, children: [element] });
}

/** Tells relative times again as time goes by. */
function tellTimes(): void {
	for (const each of document.querySelectorAll("time")) {
		each.textContent = timeAgo(Date.parse(each.dateTime), systemClock.now());
	}
	systemClock.after(TELL_MS, tellTimes);
}

/** Picture, until it turns out that it cannot be shown. */
function pictureOf({ address, text }: NonNullable<PageView["picture"]>): HTMLElement {
	const picture = el("img", { attributes: { src: address, alt: text } });
	picture.addEventListener("error", () => picture.remove());
	return picture;
}

function buttonOf([id, text]: PageButton, attributes = {}): HTMLElement {
	return el("button", { text, attributes: { id, ...attributes }, click: () => api.postMessage(id) });
}

function groupOf({ label, buttons, pressed }: PageChoice): HTMLElement {
	const children = buttons.map((each) => buttonOf(each, { "aria-pressed": `${each[0] === pressed}` }));
	return el("div", { attributes: { role: "group", "aria-label": label }, children });
}

function detailOf({ name, values, choice, areTags }: PageDetail): HTMLElement {
	const items = values.map(({ text, button }) =>
		el("dd", { children: [el("span", { text }), ...(button === undefined ? [] : [buttonOf(button)])] }),
	);
	if (choice !== undefined) items.push(el("dd", { children: [groupOf({ ...choice, label: name })] }));
	return el("div", { class: areTags ? "tags" : "", children: [el("dt", { text: name }), ...items] });
}

function tableOf({ caption, columns, rows }: PageTable): HTMLElement {
	const most = Math.max(0, ...rows.map(({ size = 0 }) => size)) || 1;
	const headers = columns.map((text) => el("th", { text, attributes: { scope: "col" } }));
	return el("table", {
		class: "figures",
		children: [
			el("caption", { children: [el("h2", { text: caption })] }),
			el("thead", { children: [el("tr", { children: headers })] }),
			el("tbody", { children: rows.map((row) => rowOf(row, most)) }),
		],
	});
}

function rowOf(row: PageRow, most: number): HTMLElement {
	const { id, values } = row;
	const cells = values.map((text) => el("td", { text }));
	if (row.size !== undefined) cells[0]?.replaceChildren(barOf(row, most));
	const name = id === undefined ? { text: row.name } : { children: [buttonOf([id, row.name])] };
	const header = el("th", { attributes: { scope: "row" }, ...name });
	return el("tr", { children: [header, ...cells] });
}

function barOf({ values: [text = ""], size = 0, color = "blue" }: PageRow, most: number): HTMLElement {
	const fill = el("span", { class: `fill ${color}` });
	fill.style.width = `${Math.max(0, size / most) * 100}%`;
	const track = el("span", { class: "track", attributes: { "aria-hidden": "true" }, children: [fill] });
	return el("div", { class: "bar", children: [track, el("span", { text })] });
}

window.addEventListener("message", ({ data }: MessageEvent<PageView>) => draw(data));
window.addEventListener("scrollend", () => api.setState({ top: scrollY }));
handleTextClicks(document.body, (message) => api.postMessage(message));
tellTimes();
api.postMessage(PAGE_READY);
