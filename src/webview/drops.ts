import { PANEL_ROWS_TYPE } from "#protocol/context.ts";
import type { ContextToHost } from "#protocol/panel.ts";

/** Media types of dragged files in the editor, preferred first. */
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];

/**
 * Accepts files and rows of our own trees that are dropped on the page; the editor allows that only while Shift is held.
 * Desktop files have no URI, so `files` gets their contents. During a drag `root` has the class `dropping`.
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
	// The page gets only the type of the rows: the host knows which were dragged.
	if (data.types.includes(PANEL_ROWS_TYPE)) return { type: "attach-dragged" };
	const list = URI_LISTS.map((type) => data.getData(type)).find((text) => text !== "") ?? "";
	const uris = list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
	return uris.length === 0 ? undefined : { type: "attach-files", uris };
}
