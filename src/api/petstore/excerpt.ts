import { reasonIn } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";

/** A longer text is no message. Characters. */
const LONGEST = 8 * 1024;

/** Message in a body as one plain redacted line; empty if there is none. */
export function excerptOf(body: string, redact: (text: string) => string): string {
	const message = reasonIn(body);
	return message.length > LONGEST ? "" : plainSentence(redact(message));
}
