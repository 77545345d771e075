import type { Urgency } from "#app/codehost/status.ts";
import { withoutIcons } from "../kit/plain.ts";
import { describeUrgency } from "./codehost-words.ts";

/**
 * Status bar text: urgent states, then what waits in hidden conversations; a click leads to the first. Null for none. The
 * `parts` are sections of the tooltip, each below its title; all icons are ours.
 */
export function describeStatus(
	[urgency, ...others]: readonly Urgency[],
	away: readonly { readonly id: string; readonly title: string; readonly asks: boolean }[],
	now: number,
) {
	const [asking, arriving] = [away.filter(({ asks }) => asks), away.filter(({ asks }) => !asks)];
	const titles = (all: typeof away) => all.map(({ title }) => title).join(", ");
	const where = ({ length }: typeof away) => (length === 1 ? "in a hidden conversation" : "in hidden conversations");
	const calls = asking.length === 1 ? "1 call waits" : `${asking.length} calls wait`;
	const replies = arriving.length === 1 ? "1 reply" : `${arriving.length} replies`;
	const told = [
		{ icon: "$(bell)", title: `${calls} for your approval`, all: asking },
		{ icon: "$(sync~spin)", title: `${replies} arriving`, all: arriving },
	].filter(({ all }) => all.length > 0);
	const texts = told.map(({ icon, title }) => `${icon} ${title}`);
	const spoken = told.map(({ title, all }) => `${title} ${where(all)}.`);
	const parts = told.map(({ title, all }) => ({ title, text: titles(all) }));
	if (urgency === undefined) {
		const [first] = [...asking, ...arriving];
		if (first === undefined) return null;
		const command = { id: "switchboard.chat.showConversation", argument: { conversation: first.id } };
		return { text: texts.join("  "), spoken: spoken.join(" "), parts, grave: false, command };
	}
	const { icon, text, detail, grave } = describeUrgency(urgency, now);
	const lines = others.map((other) => describeUrgency(other, now).text);
	const more = lines.length === 0 ? [] : [{ title: `${lines.length} more`, text: lines.join("\n") }];
	return {
		text: [`$(${icon}) ${withoutIcons(text)}`, ...texts].join("  "),
		spoken: [`${text}. ${detail}`, ...more.map(({ title }) => `${title}.`), ...spoken].join(" "),
		parts: [{ title: urgency.label, text: detail }, ...more, ...parts],
		grave,
		command: { id: "switchboard.showConnection", argument: { connection: urgency.connection } },
	};
}
