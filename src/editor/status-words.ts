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
 * Text of the one item: urgent states, the most urgent first, then how many calls ask and how many replies arrive in
 * conversations that are out of sight, by their titles. A click leads to the first of them. Null when all is well. `now` is
 * in epoch milliseconds.
 */
export function describeStatus(
	[urgency, ...others]: readonly Urgency[],
	away: readonly { readonly title: string; readonly asks: boolean }[],
	now: number,
): StatusWords | null {
	const titles = (asks: boolean) => away.filter((each) => each.asks === asks).map(({ title }) => title);
	const [asking, arriving] = [titles(true), titles(false)];
	const calls = asking.length === 1 ? "1 call waits" : `${asking.length} calls wait`;
	const replies = arriving.length === 1 ? "1 reply" : `${arriving.length} replies`;
	const told = [
		...(asking.length === 0 ? [] : [{ icon: "$(bell)", title: `${calls} for your approval`, text: asking.join(", ") }]),
		...(arriving.length === 0
			? []
			: [{ icon: "$(sync~spin)", title: `${replies} arriving`, text: arriving.join(", ") }]),
	];
	const texts = told.map(({ icon, title }) => `${icon} ${title}`);
	const spoken = told.map(({ title }) => `${title} out of sight.`);
	const parts = told.map(({ title, text }) => ({ title, text }));
	if (urgency === undefined) {
		if (told.length === 0) return null;
		const command = { id: "switchboard.chat.history" };
		return { text: texts.join("  "), spoken: spoken.join(" "), parts, grave: false, command };
	}
	const { text, detail, grave } = describeUrgency(urgency, now);
	const plain = describeUrgency({ ...urgency, label: withoutIcons(urgency.label) }, now).text;
	const lines = others.map((other) => withoutIcon(describeUrgency(other, now).text));
	const more = lines.length === 0 ? [] : [{ title: `${lines.length} more`, text: lines.join("\n") }];
	return {
		text: [plain, ...texts].join("  "),
		spoken: [`${withoutIcon(text)}. ${detail}`, ...more.map(({ title }) => `${title}.`), ...spoken].join(" "),
		parts: [{ title: urgency.label, text: detail }, ...more, ...parts],
		grave,
		command: { id: "switchboard.showConnection", argument: { connection: urgency.connection } },
	};
}

/** Text of an urgent state without the icon that we have put before it. */
function withoutIcon(text: string): string {
	return text.replace(/^\$\([\w~-]+\) /, "");
}
