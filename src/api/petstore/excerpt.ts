import { REDACTED } from "#base/redaction.ts";
import { reasonIn } from "../http/reason.ts";
import { plainSentence } from "../http/sentence.ts";

/** Markup or a text that is longer is no message. Characters. */
const LONGEST = 8 * 1024;

/**
 * Text in which a body of any kind says why, in one plain line; empty when it says nothing. Secrets must be removed by
 * `redact`, before tags are. What is called a password goes without that, for services tell those that nobody here has
 * sent.
 */
export function excerptOf(body: string, redact: (text: string) => string): string {
	const isMarkup = /^[\s\uFEFF]*</.test(body);
	// Of a secret with a tag in it, which was not escaped, the words between tags would be a part that nobody knows.
	const said = reasonIn(isMarkup && body.length <= LONGEST ? redact(body) : body);
	if ((isMarkup ? body : said).length > LONGEST) return "";
	return plainSentence(redact(said).replace(PASSWORD_PAIR, `$1${REDACTED}`));
}

/** A name that ends so with its value, in JSON of any make, as in a form, or as in a log, to the end of that. */
const PASSWORD_PAIR =
	/(password\w{0,30}\\*["']?\s*[:=]\s*)(\[redacted\]|\\*"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s,;&<>{})][^,;&<>{})\r\n]*)/gi;
