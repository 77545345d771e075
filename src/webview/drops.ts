import { PANEL_ROWS_TYPE } from "#protocol/context.ts";
import type { ContextToHost } from "#protocol/panel.ts";

/** Types that the editor drags files as, the richest first. */
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];

/**
 * Takes files and rows of our own trees that are dropped anywhere on a page. The editor lets a page have drags only
 * while Shift is held. Files of the desktop have no address, so `files` gets their contents. While something is above
 * the page that could be dropped, `root` has the class `dropping`.
 */
export function takeDrops(
	root: HTMLElement,
	post: (message: ContextToHost) => void,
	files: (data: DataTransfer) => void,
): void {
	const over = (isOver: boolean) => root.classList.toggle("dropping", isOver);
	root.addEventListener("dragover", (event) => {
		const data = event.dataTransfer;
		if (data === null || !isForUs(data)) return;
		event.preventDefault();
		data.dropEffect = "copy";
		over(true);
	});
	root.addEventListener("dragleave", (event) => {
		if (!(event.relatedTarget instanceof Node) || !root.contains(event.relatedTarget)) over(false);
	});
	root.addEventListener("drop", (event) => {
		over(false);
		const data = event.dataTransfer;
		if (data === null || !isForUs(data)) return;
		event.preventDefault();
		const message = messageOf(data);
		if (message !== undefined) post(message);
		else if (data.files.length > 0) files(data);
	});
}

function isForUs({ types }: DataTransfer): boolean {
	return types.some((type) => type === PANEL_ROWS_TYPE || type === "Files" || URI_LISTS.includes(type));
}

function messageOf(data: DataTransfer): ContextToHost | undefined {
	// The editor keeps the rows to itself and gives the page only their type: the host knows which were dragged.
	if (data.types.includes(PANEL_ROWS_TYPE)) return { type: "attach-dragged" };
	const list = URI_LISTS.map((type) => data.getData(type)).find((text) => text !== "") ?? "";
	const uris = list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
	return uris.length === 0 ? undefined : { type: "attach-files", uris };
}
