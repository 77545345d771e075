import { READ_TRANSCRIPT, type ShownMessage } from "./chat-page.ts";
import { readInPages } from "./shown-pages.ts";

/** One document of the chat panel that the editor holds. A panel that is hidden has none: its page is taken down. */
export interface ShownPanel {
	/** When this document was made, in milliseconds since 1970: a page that was built again has another number. */
	readonly born: number;
	readonly messages: readonly ShownMessage[];
}

/** What every panel of the chat shows right now, read from the editor's own pages. */
export function readShownPanels(): Promise<readonly ShownPanel[]> {
	return readInPages(READ_PANEL);
}

/** Runs in a document: null unless it is that of a chat panel, and the one on show while its successor is loading. */
const READ_PANEL = `frameElement?.id === "active-frame" && document.querySelector("#composer")
	? { born: performance.timeOrigin, messages: ${READ_TRANSCRIPT} }
	: null`;
