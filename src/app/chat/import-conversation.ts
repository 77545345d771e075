import { LIMITS } from "#base/limits.ts";
import type { ConversationState, Entry, WaitingTurn } from "./conversation.ts";
import { EXPORT_FORMAT } from "./export-conversation.ts";
import { count, fields, flag, list, oneOf, or, plain, present, refuse, text } from "./fields.ts";
import { attachments, endFields, parameters, WAITING } from "./journal.ts";
import { restoredReply } from "./saved-reply.ts";

/** Reads what was exported. Throws `invalid` naming the field, such as `messages[3].parent`. */
export function importJson(json: string): ConversationState {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw refuse("text", "is not JSON");
	}
	const { messages, chosen, facts, queue } = whole(value, "");
	if (messages.length === 0) throw refuse("messages", "is empty: there is nothing to import");
	if (messages.length > LIMITS.importedMessages) {
		throw refuse("messages", `has more than ${LIMITS.importedMessages} messages, the most that can be imported`);
	}
	const entries = new Map<string, Entry>();
	const versions = new Map<string | null, number>();
	for (const [n, { id, parent, text: said, attachments, at, ...message }] of messages.entries()) {
		const place = `messages[${n}]`;
		if (entries.has(id)) throw refuse(`${place}.id`, "is that of an earlier message");
		if (parent !== null && !entries.has(parent)) {
			throw refuse(`${place}.parent`, "must be the id of an earlier message");
		}
		const version = (versions.get(parent) ?? 0) + 1;
		versions.set(parent, version);
		if (version > LIMITS.importedVersions) {
			throw refuse(place, `is one of more than ${LIMITS.importedVersions} versions, the most that can be imported`);
		}
		if (message.role === "user") {
			if (said === null) throw refuse(`${place}.text`, "is missing");
			entries.set(id, { role: "user", id, parent, text: said, attachments, at });
			continue;
		}
		if (parent === null) throw refuse(`${place}.parent`, "is missing");
		const { role: _role, blocks, end, ...asked } = message;
		// Of two texts under one key the journal would keep the second.
		const keys = new Set<string>();
		const again = blocks.findIndex(({ key }) => keys.size === keys.add(key).size);
		if (again >= 0) throw refuse(`${place}.blocks[${again}].key`, "is that of an earlier block");
		const kept = blocks.map((block, at) => ({ ...block, index: block.index ?? at, open: false }));
		const reply = { ...asked, ...({ t: "reply", id, parent, at, connectionId: undefined } as const) };
		entries.set(id, restoredReply(reply, { blocks: kept, end }));
	}
	const ids = new Set(entries.keys());
	for (const [n, { id }] of queue.entries()) {
		if (ids.size === ids.add(id).size) throw refuse(`queue[${n}].id`, "is that of an earlier message");
	}
	return {
		entries: [...entries.values()],
		chosen: chosen.filter((id) => entries.has(id)),
		facts: { ...present(facts), ...(queue.length === 0 ? {} : { queue }) },
	};
}

const message = fields({
	...{ role: oneOf("user", "assistant"), id: text, parent: or(text, null), at: or(count, 0), text: or(text, null) },
	attachments,
	...{ continues: or(flag, false), connection: or(text, ""), model: or(text, ""), parameters: or(parameters, {}) },
	blocks: or(list(fields({ key: text, index: or(count, null), type: or(text, "text"), text })), []),
	end: or(fields(endFields(count)), undefined),
});

const whole = fields({
	...{ format: oneOf(EXPORT_FORMAT), version: plain("must be 1", (value): value is 1 => value === 1) },
	...{ messages: list(message), chosen: or(list(text), []) },
	queue: or(list<WaitingTurn>(fields(WAITING)), []),
	// A connection of somebody else's is none of ours.
	facts: or(fields({ title: or(text, null), pinned: or(flag, null), parameters: or(parameters, null) }), {
		...{ title: null, pinned: null, parameters: null },
	}),
});
