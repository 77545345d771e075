import { invalid } from "#base/errors.ts";
import { replaceUnprintable } from "#base/unprintable.ts";

const LONGEST_TEXT = 10_000;

/** Query as the editor has decoded it: the text goes to its end. */
const QUERY = /^(?:conversation=([^&]+))?(?:&?text=(.*))?$/s;

/** Reads `vscode://EXTENSION_ID/chat?conversation=ID&text=TEXT`, both optional. Throws ClientError `invalid`. */
export function readChatLink(path: string, query: string): { readonly conversation?: string; readonly text: string } {
	const [isKnown, conversation, text = ""] = (path === "/chat" && QUERY.exec(query)) || [];
	if (isKnown === undefined) throw invalid("messages", "link", "is not one that Switchboard opens");
	if (text.length > LONGEST_TEXT) throw invalid("messages", "text", `must have at most ${LONGEST_TEXT} characters`);
	return { ...(conversation !== undefined && { conversation }), text: replaceUnprintable(text, () => "") };
}
