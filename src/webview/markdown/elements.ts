import { el, icon } from "../dom.ts";
import type { IconName } from "../icons.ts";
import { CODE_ACTION } from "../text-clicks.ts";

/** A code block with its bar; `code` receives the text. */
export interface CodeFrame {
	readonly element: HTMLElement;
	readonly code: HTMLElement;
}

/** The first word of a fence's info string, which names the language. */
export function languageOf(info: string): string {
	return /^\S{1,40}/.exec(info.trim())?.[0] ?? "";
}

/** Makes an element that may scroll sideways reachable by keyboard, also where the engine does not see to it. */
const SCROLLABLE = { tabindex: "0" };

/** Makes the frame of a code block: its language, its three buttons, and the place for its text. */
export function codeFrame(info: string): CodeFrame {
	const language = languageOf(info);
	const code = el("code");
	const actions = [codeButton("copy", "Copy", "copy"), codeButton("insert", "Insert at Cursor", "insert")];
	actions.push(codeButton("go-to-file", "Open as File", "open"));
	const element = el("div", {
		class: "code",
		attributes: { "data-language": language },
		children: [
			el("div", {
				class: "code-bar",
				children: [
					el("span", { class: "code-language", text: language === "" ? "text" : language }),
					el("span", { class: "code-actions", children: actions }),
				],
			}),
			el("pre", { attributes: SCROLLABLE, children: [code] }),
		],
	});
	return { element, code };
}

function codeButton(iconName: IconName, label: string, action: string): HTMLButtonElement {
	return el("button", {
		class: "icon-button",
		attributes: { type: "button", "aria-label": label, title: label, [CODE_ACTION]: action },
		children: [icon(iconName)],
	});
}

/** Makes the frame of a table, which scrolls where the table is wider than the panel. */
export function tableFrame(table: HTMLTableElement): HTMLElement {
	return el("div", { class: "table", attributes: SCROLLABLE, children: [table] });
}

/** Alignment of a table column; empty where its delimiter row says nothing. */
export type Align = "" | "left" | "center" | "right";

/** A cell of a table. Its alignment is a class because the page's policy allows no style attributes. */
export function tableCell(tag: "th" | "td", align: Align): HTMLTableCellElement {
	const cell = el(tag);
	if (align !== "") cell.className = `align-${align}`;
	return cell;
}
