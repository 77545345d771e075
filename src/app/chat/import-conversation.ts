import { invalid } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import { flag, list, number, object, oneOf, optional, parse, refine, text, withDefault } from "#base/schema.ts";
import { ATTACHMENTS } from "./attachments.ts";
import type { ConversationState, Entry, WaitingTurn } from "./conversation.ts";
import { EXPORT_FORMAT } from "./export-conversation.ts";
import { BLOCK_FACTS, CALL, endFields, MOST_MS, WAITING } from "./journal.ts";
import { CHAT_PARAMETERS } from "./parameters.ts";
import { restoredReply } from "./saved-reply.ts";

const COUNT = number({ min: 0, max: MOST_MS });

const MESSAGE = object({
	...{ role: oneOf("user", "assistant"), id: text(), parent: withDefault(text(), null), at: withDefault(COUNT, 0) },
	...{
		text: withDefault(text(), null),
		attachments: withDefault(ATTACHMENTS, []),
		continues: withDefault(flag(), false),
	},
	...{ connection: withDefault(text(), ""), model: withDefault(text(), "") },
	parameters: withDefault(CHAT_PARAMETERS, {}),
	blocks: withDefault(
		list(
			object({
				...{ key: text(), index: withDefault(COUNT, null), type: withDefault(text(), "text"), text: text() },
				...BLOCK_FACTS,
			}),
		),
		[],
	),
	calls: withDefault(list(object(CALL)), []),
	end: withDefault(object(endFields(COUNT)), undefined),
});

const EXPORTED = object({
	format: oneOf(EXPORT_FORMAT),
	version: refine(number(), (version) => (version === 1 ? undefined : "must be 1")),
	messages: list(MESSAGE, { min: 1, max: LIMITS.importedMessages }),
	chosen: withDefault(list(text()), []),
	queue: withDefault(list<WaitingTurn>(object(WAITING)), []),
	images: withDefault(list(text()), []),
	// The connection is left out: it belongs to the settings of the person who exported the file.
	facts: withDefault(
		object({ title: optional(text()), pinned: optional(flag()), parameters: optional(CHAT_PARAMETERS) }),
		{},
	),
});

/** Reads what was exported, with its images in base64. Throws `invalid` naming the field, such as `messages[3].parent`. */
export function importJson(json: string): ConversationState & { readonly images: readonly string[] } {
	let value: unknown;
	try {
		value = JSON.parse(json);
	} catch {
		throw invalid("messages", "text", "is not JSON");
	}
	const { messages, chosen, facts, queue, images } = parse(EXPORTED, value, "messages", "text");
	const entries = new Map<string, Entry>();
	const versions = new Map<string | null, number>();
	for (const [n, { id, parent, text: said, attachments, at, ...message }] of messages.entries()) {
		const place = `messages[${n}]`;
		if (entries.has(id)) throw invalid("messages", `${place}.id`, "is that of an earlier message");
		if (parent !== null && !entries.has(parent)) {
			throw invalid("messages", `${place}.parent`, "must be the id of an earlier message");
		}
		const version = (versions.get(parent) ?? 0) + 1;
		versions.set(parent, version);
		if (version > LIMITS.importedVersions) {
			throw invalid(
				"messages",
				place,
				`is one of more than ${LIMITS.importedVersions} versions, the most that can be imported`,
			);
		}
		if (message.role === "user") {
			if (said === null) throw invalid("messages", `${place}.text`, "is missing");
			entries.set(id, { role: "user", id, parent, text: said, attachments, at });
			continue;
		}
		if (parent === null) throw invalid("messages", `${place}.parent`, "is missing");
		const { role: _role, blocks, calls, end, ...asked } = message;
		// Of two under one key the journal would keep the second.
		for (const [name, list] of Object.entries({ block: blocks, call: calls })) {
			const keys = new Set<string>();
			const again = list.findIndex(({ key }) => keys.size === keys.add(key).size);
			if (again >= 0) throw invalid("messages", `${place}.${name}s[${again}].key`, `is that of an earlier ${name}`);
		}
		const kept = blocks.map((block, at) => ({ ...block, index: block.index ?? at, open: false }));
		const reply = { ...asked, ...({ t: "reply", id, parent, at, connectionId: undefined } as const) };
		entries.set(id, restoredReply(reply, { blocks: kept, calls, end }));
	}
	const ids = new Set(entries.keys());
	for (const [n, { id }] of queue.entries()) {
		if (ids.size === ids.add(id).size) throw invalid("messages", `queue[${n}].id`, "is that of an earlier message");
	}
	return {
		images,
		entries: [...entries.values()],
		chosen: chosen.filter((id) => entries.has(id)),
		facts: { ...facts, ...(queue.length === 0 ? {} : { queue }) },
	};
}
