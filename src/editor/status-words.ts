import type { Urgency } from "#app/codehost/status.ts";
import { describeUrgency } from "./codehost/words.ts";
import { withoutIcons } from "./kit/plain.ts";

/** Text and command of the status bar item. */
interface StatusWords {
	/** With icons; only those are ours. */
	readonly text: string;
	readonly spoken: string;
	/** Sections of the tooltip, each below its title. */
	readonly parts: readonly { readonly title: string; readonly text: string }[];
	readonly grave: boolean;
	readonly command: { readonly id: string; readonly argument?: { readonly connection: string } };
}

/**
 * Text of the one item: urgent states, the most urgent first, then how many replies arrive off screen, by the titles of
 * their conversations. A click leads to the first of them. Null when all is well. `now` is in epoch milliseconds.
 */
export function describeStatus(
	[urgency, ...others]: readonly Urgency[],
	titles: readonly string[],
	now: number,
): StatusWords | null {
	const count = titles.length === 1 ? "1 reply arriving" : `${titles.length} replies arriving`;
	const replies = { text: `$(sync~spin) ${count}`, spoken: `${count} in other conversations` };
	const told = titles.length === 0 ? [] : [{ title: count, text: titles.join(", ") }];
	if (urgency === undefined) {
		if (titles.length === 0) return null;
		return { ...replies, parts: told, grave: false, command: { id: "switchboard.chat.history" } };
	}
	const { text, detail, grave } = describeUrgency(urgency, now);
	const plain = describeUrgency({ ...urgency, label: withoutIcons(urgency.label) }, now).text;
	const lines = others.map((other) => withoutIcon(describeUrgency(other, now).text));
	const more = lines.length === 0 ? [] : [{ title: `${lines.length} more`, text: lines.join("\n") }];
	return {
		text: told.length === 0 ? plain : `${plain}  ${replies.text}`,
		spoken: [
			`${withoutIcon(text)}. ${detail}`,
			...more.map(({ title }) => `${title}.`),
			...(told.length === 0 ? [] : [replies.spoken]),
		].join(" "),
		parts: [{ title: urgency.label, text: detail }, ...more, ...told],
		grave,
		command: { id: "switchboard.showConnection", argument: { connection: urgency.connection } },
	};
}

/** Text of an urgent state without the icon that we have put before it. */
function withoutIcon(text: string): string {
	return text.replace(/^\$\([\w~-]+\) /, "");
}
