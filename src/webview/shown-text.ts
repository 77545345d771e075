/** Elements that stand on lines of their own, with an empty line around them. */
const APART: ReadonlySet<string> = new Set("p h1 h2 h3 h4 h5 h6 blockquote table hr".split(" "));

/**
 * The text of rendered markdown as a person reads it: no marks, a list's bullets and numbers, a table's cells set apart
 * by tabs, code as it is without the bar above it.
 */
export function shownText(root: Element): string {
	return textOf(root)
		.replaceAll(/[ \t]+\n/g, "\n")
		.replaceAll(/\n{3,}/g, "\n\n")
		.trim();
}

function textOf(parent: Element): string {
	let text = "";
	for (const node of parent.childNodes) {
		if (node instanceof Text) text += node.data.replaceAll(/\s+/g, " ");
		else if (node instanceof HTMLElement) text += partOf(node);
	}
	return text;
}

function partOf(element: HTMLElement): string {
	const tag = element.localName;
	if (tag === "br") return "\n";
	if (tag === "code") return element.textContent;
	if (tag === "pre") return `\n\n${element.textContent}\n\n`;
	if (tag === "ul" || tag === "ol") return listText(element);
	if (tag === "tr") return `\n${[...element.children].map((cell) => textOf(cell).trim()).join("\t")}`;
	if (element.classList.contains("code-bar")) return "";
	return APART.has(tag) ? `\n\n${textOf(element)}\n\n` : textOf(element);
}

function listText(list: HTMLElement): string {
	const ordered = list.localName === "ol";
	const tight = list.classList.contains("tight");
	let number = Number(list.getAttribute("start") ?? 1);
	const items = [...list.querySelectorAll(":scope > li")].map((item) => {
		const text = tight ? shownText(item).replaceAll("\n\n", "\n") : shownText(item);
		return `${ordered ? `${number++}.` : "-"} ${text.replaceAll("\n", "\n  ")}`;
	});
	const apart = tight ? "\n" : "\n\n";
	return `\n\n${items.join(apart)}\n\n`;
}
