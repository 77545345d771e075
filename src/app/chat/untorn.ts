import { Branches } from "./branches.ts";
import type { Entry } from "./conversation.ts";
import { partsOf } from "./parts.ts";

/**
 * Entries without the secrets that are cut in two by the end of a reply and go on in its rest: `redact` takes secrets out
 * of a text, and neither half of such a one is known to it by itself. Other secrets stay.
 */
export function untorn(entries: readonly Entry[], redact: (text: string) => string): readonly Entry[] {
	const tree = new Branches({ entries, chosen: [] });
	const clear = new Map(entries.map((entry) => [entry.id, entry]));
	const goneOnWith = new Set(entries.map((entry) => (entry.role === "user" || !entry.continues ? null : entry.parent)));
	for (const entry of entries) {
		// What goes on further is looked at with all that follows it.
		if (entry.role === "user" || !entry.continues || goneOnWith.has(entry.id)) continue;
		const parts = partsOf(entry.id, tree.lineage(entry.id));
		const texts = parts
			.flatMap(({ reply }) => reply?.blocks ?? [])
			.flatMap(({ type, text }) => (type === "text" ? text : []));
		const whole = redact(texts.join(""));
		if (whole === texts.map(redact).join("")) continue;
		let before = "";
		let from = 0;
		/** As much of the whole as is the same without what follows. */
		const own = (text: string) => {
			before += text;
			const to = Math.max(from, samePart(redact(before), whole));
			const piece = whole.slice(from, to);
			from = to;
			return piece;
		};
		for (const part of parts) {
			if (part.reply === undefined) continue;
			const blocks = part.reply.blocks.map((block) =>
				block.type === "text" ? { ...block, text: own(block.text) } : block,
			);
			clear.set(part.id, { ...part, reply: { ...part.reply, blocks } });
		}
	}
	return [...clear.values()];
}

/** How many characters two texts begin with alike. */
function samePart(one: string, other: string): number {
	let at = 0;
	while (at < one.length && one[at] === other[at]) at++;
	return at;
}
