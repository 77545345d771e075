import type { Urgency } from "#app/codehost/status.ts";
import { COMMANDS } from "#app/contributions.ts";
import { describeUrgency } from "./codehost/words.ts";
import { withoutIcons } from "./plain.ts";

/** What the item in the status bar says and does. */
export interface StatusWords {
	/** With icons; only those are ours. */
	readonly text: string;
	readonly spoken: string;
	/** What is said of it on hover, by the title above each part. */
	readonly parts: readonly { readonly title: string; readonly text: string }[];
	readonly grave: boolean;
	readonly command: { readonly id: string; readonly argument?: { readonly connection: string } };
}

/**
 * All that the one item has to say at a time: what is urgent, then how many replies arrive off screen, by the titles of
 * their conversations. A click leads to what stands first. Null when all is well. `now` is in epoch milliseconds.
 */
export function describeStatus(urgency: Urgency | null, titles: readonly string[], now: number): StatusWords | null {
	const count = titles.length === 1 ? "1 reply arriving" : `${titles.length} replies arriving`;
	const replies = { text: `$(sync~spin) ${count}`, spoken: `${count} in other conversations` };
	const told = { title: count, text: titles.join(", ") };
	if (urgency === null) {
		if (titles.length === 0) return null;
		return { ...replies, parts: [told], grave: false, command: { id: COMMANDS.chatHistory } };
	}
	const { text, detail, grave } = describeUrgency(urgency, now);
	const plain = describeUrgency({ ...urgency, label: withoutIcons(urgency.label) }, now).text;
	const spoken = `${text.replace(/^\$\([\w~-]+\) /, "")}. ${detail}`;
	const isAlone = titles.length === 0;
	return {
		text: isAlone ? plain : `${plain}  ${replies.text}`,
		spoken: isAlone ? spoken : `${spoken} ${replies.spoken}`,
		parts: [{ title: urgency.label, text: detail }, ...(isAlone ? [] : [told])],
		grave,
		command: { id: COMMANDS.showConnection, argument: { connection: urgency.connection } },
	};
}
