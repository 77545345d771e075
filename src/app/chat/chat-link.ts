import { invalid } from "#base/errors.ts";
import { replaceUnprintable } from "#base/unprintable.ts";

/** Characters that a link may put into the composer. */
const LONGEST_TEXT = 10_000;

/** The editor has decoded the query: the text is all that stands behind its name. */
const QUERY = /^(?:conversation=([^&]+))?(?:&?text=(.*))?$/s;

/**
 * Reads the path and the query of `vscode://EXTENSION_ID/chat?conversation=ID&text=TEXT`, of which either part
 * may be absent. The text is without characters that a person could not see. Throws ClientError `invalid`.
 */
export function readChatLink(path: string, query: string): { readonly conversation?: string; readonly text: string } {
	const [isKnown, conversation, text = ""] = (path === "/chat" && QUERY.exec(query)) || [];
	if (isKnown === undefined) throw invalid("messages", "link", "is not one that Switchboard opens");
	if (text.length > LONGEST_TEXT) throw invalid("messages", "text", `must have at most ${LONGEST_TEXT} characters`);
	return { ...(conversation !== undefined && { conversation }), text: replaceUnprintable(text, () => "") };
}
