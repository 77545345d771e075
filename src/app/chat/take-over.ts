import type { Log } from "../ports.ts";
import type { ConversationState, Entry } from "./conversation.ts";
import type { ConversationStore } from "./conversation-store.ts";
import { decodeOldConversation } from "./saved-conversation.ts";

/** The folder of the first format. */
export interface OldFiles {
	/** What can be a conversation, the one changed last last; `at` is when, in milliseconds since 1970. */
	list(): Promise<readonly { readonly name: string; readonly at: number }[]>;
	read(name: string): Promise<string>;
	remove(name: string): Promise<void>;
}

/**
 * Takes conversations of the first format over into the store. A file goes only once all of it is there; one that cannot
 * be read stays where it is. Resolves to the id of the conversation changed last, if there was one.
 */
export async function takeOver(
	files: OldFiles,
	{ store, log }: { readonly store: ConversationStore; readonly log: Log },
): Promise<string | undefined> {
	let last: string | undefined;
	for (const { name, at } of await files.list()) {
		try {
			const old = decodeOldConversation(await files.read(name));
			// Another window may have been cut off in the middle of this, or be at it just now.
			const missing = missingOf(old, (await store.read(old.id))?.entries ?? []);
			if (missing.entries.length > 0) await store.add(old.id, missing, at);
			if (missingOf(old, (await store.read(old.id))?.entries ?? []).entries.length > 0) continue;
			await files.remove(name);
			last = old.id;
		} catch (error) {
			// A write that was cut off is nothing: the file it was to replace is still there.
			if (error instanceof SyntaxError && name.endsWith(".new")) await files.remove(name);
			else log.warn(`The saved conversation ${name} cannot be read and was left untouched: ${String(error)}`);
		}
	}
	return last;
}

function missingOf(old: ConversationState, there: readonly Entry[]): ConversationState {
	const known = new Map(there.map((entry) => [entry.id, outlineOf(entry)]));
	return { ...old, entries: old.entries.filter((entry) => known.get(entry.id) !== outlineOf(entry)) };
}

/** What an entry has once all of its records are there. */
function outlineOf(entry: Entry): string {
	return entry.role === "user" ? "turn" : `${entry.ended?.outcome} ${entry.reply?.blocks.length}`;
}
