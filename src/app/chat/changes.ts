import type { Block, BlockDelta } from "#api/messages/model.ts";
import type { ConversationState, Entry, ReplyEntry } from "./conversation.ts";
import type { JournalRecord } from "./journal.ts";
import { definedOnly } from "./request-target.ts";
import { endRecord } from "./saved-reply.ts";

/** Records of the changes of a conversation; `at` is in milliseconds since 1970. */
export function recordsOf(before: ConversationState, now: ConversationState, at: number): JournalRecord[] {
	const known = new Map(before.entries.map((entry) => [entry.id, entry]));
	const ids = new Set(now.entries.map(({ id }) => id));
	const chosen = new Set(before.chosen);
	const { queue: waited = [], ...facts } = before.facts;
	const { queue = [], ...changed } = now.facts;
	const isIn = (turns: typeof queue, id: string) => turns.some((turn) => turn.id === id);
	const added = queue.filter(({ id }) => !isIn(waited, id));
	const order = queue.map(({ id }) => id);
	const unordered = [...waited.filter(({ id }) => isIn(queue, id)), ...added].map(({ id }) => id);
	return [
		...factsRecords(facts, changed),
		...before.entries.flatMap(({ id }) => (ids.has(id) ? [] : [{ t: "drop", id } as const])),
		...now.entries.flatMap((entry) => entryRecords(entry, known.get(entry.id))),
		...now.chosen.flatMap((id) => (chosen.has(id) ? [] : [{ t: "choose", id } as const])),
		...waited.flatMap(({ id }) => (isIn(queue, id) ? [] : [{ t: "unqueue", id } as const])),
		...added.map((turn) => ({ t: "queue", at, ...turn }) as const),
		...(isSame(order, unordered) ? [] : [{ t: "order", ids: order } as const]),
	];
}

function factsRecords(before: ConversationState["facts"], now: ConversationState["facts"]): JournalRecord[] {
	const names = [...Object.keys(before), ...Object.keys(now)] as (keyof typeof now)[];
	const changed = names.filter((name) => before[name] !== now[name]);
	if (changed.length === 0) return [];
	return [{ t: "facts", ...Object.fromEntries(changed.map((name) => [name, now[name] ?? null])) }];
}

/** Records of the changes of an entry. A turn never changes. */
function entryRecords(entry: Entry, known: Entry | undefined): JournalRecord[] {
	if (entry === known) return [];
	if (entry.role === "user") {
		const { role: _, ...turn } = entry;
		return known === undefined ? [{ t: "turn", ...turn }] : [];
	}
	const before = known?.role === "assistant" ? known : undefined;
	const { id, parent, continues, connectionId, connection, model, parameters, at, reply, calls, ended } = entry;
	const asked = { id, parent, continues, connectionId, connection, model, parameters, at };
	const blocks = new Map(before?.reply?.blocks.map((block) => [block.key, block]));
	return [
		...(before === undefined ? [{ t: "reply", ...asked } as const] : []),
		...(reply?.blocks ?? []).flatMap((block) => textRecords(id, block, blocks.get(block.key))),
		// Before the end, after which no call is new.
		...calls
			.filter((call) => !before?.calls.includes(call))
			.map((call) => ({ t: "call", reply: id, ...call }) as const),
		...(ended === undefined || ended === before?.ended ? [] : [endRecord(entry, ended)]),
	];
}

function textRecords(reply: string, block: Block, before: Block | undefined): JournalRecord[] {
	const { key, index, type, text, tool, signature } = block;
	if (text === before?.text && tool === before.tool && signature === before.signature) return [];
	const at = before !== undefined && text.startsWith(before.text) ? before.text.length : 0;
	return [{ t: "text", reply, key, index, type, at, text: text.slice(at), ...definedOnly({ tool, signature }) }];
}

/** Change of a reply under way. */
export type ReplyGrowth =
	/** Any change of a reply except its blocks. */
	| { readonly type: "reply"; readonly entry: ReplyEntry }
	| { readonly type: "block"; readonly entry: ReplyEntry; readonly delta: BlockDelta };

/** Event of a conversation. */
export type SessionEvent =
	| { readonly type: "appended"; readonly entry: Entry }
	| ReplyGrowth
	/** Another version was chosen, or an entry removed or changed: the screen is redrawn. */
	| { readonly type: "replaced" }
	/** Change of the title, the connection or the parameters. */
	| { readonly type: "facts" }
	| { readonly type: "queue" }
	/** Another window has started or stopped writing it. */
	| { readonly type: "read-only" };

/** Changes of text and ends of replies between two readings of a conversation; undefined if anything else has changed. */
export function diffReplies(before: readonly Entry[], now: readonly Entry[]): readonly ReplyGrowth[] | undefined {
	if (before.length !== now.length) return undefined;
	const events: ReplyGrowth[] = [];
	for (const [at, entry] of now.entries()) {
		const old = before[at];
		const isUnderWay = old?.role === "assistant" && old.ended === undefined;
		if (!isUnderWay || entry.role !== "assistant" || old.id !== entry.id) {
			if (!isSame(old, entry)) return undefined;
			continue;
		}
		if (old === entry) continue;
		const texts = new Map(old.reply?.blocks.map(({ key, text }) => [key, text]));
		const callOf = ({ calls }: ReplyEntry, block: Block) => calls.find(({ key }) => key === block.key);
		for (const block of entry.reply?.blocks ?? []) {
			const text = texts.get(block.key);
			const isSameCall = isSame(callOf(old, block), callOf(entry, block));
			// A thinking block is sent again, since its duration is known at its end.
			if (text === block.text && isSameCall && entry.thoughts[block.key] === undefined) continue;
			const isMore = text !== undefined && block.text.startsWith(text);
			events.push({ type: "block", entry, delta: { block, appended: isMore ? block.text.slice(text.length) : null } });
		}
		if (entry.ended !== undefined) events.push({ type: "reply", entry });
	}
	return events;
}

/** True if two pieces of plain data are equal. */
export function isSame(one: unknown, other: unknown): boolean {
	if (one === other) return true;
	if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
	const [a, b] = [Object.entries(one), new Map(Object.entries(other))];
	return a.length === b.size && a.every(([name, value]) => b.has(name) && isSame(value, b.get(name)));
}
