import type { ToolDefinition } from "#api/messages/model.ts";
import { buildMessagesRequest } from "#api/messages/request.ts";
import { invalid } from "#base/errors.ts";
import { IMAGE_TOKENS, sizeOf, sizeWords } from "#base/tokens.ts";
import { headersOf } from "../connections/messages-profiles.ts";
import type { Attachment } from "./attachments.ts";
import type { Entry, Turn } from "./conversation.ts";
import { withImages } from "./images.ts";
import { inputMessages, messageText } from "./input-messages.ts";
import type { AskedWith, ReplyParts } from "./reply-under-way.ts";
import { prepareWithModel, type Wanted } from "./request-target.ts";
import type { ChatSession } from "./session.ts";

/** Request as sent, with a placeholder for the key. */
export interface SentRequest {
	readonly method: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
	/** Reason why it may differ from the sent request; absent for the exact one. */
	readonly note?: string;
}

interface WantedRequest {
	/** Id of a reply or of its turn; by default the next message. */
	readonly message?: string | undefined;
	readonly next: { readonly text: string; readonly attachments: readonly Attachment[] };
}

/** Maximum number of remembered requests, which share texts with the conversation. */
const MOST_KEPT = 50;

const REBUILT = "Rebuilt from the conversation and the current settings: the request that was sent is no longer kept.";

/** Adds the exact request of a reply to the `kept` ones, of which the oldest goes once they are many. */
export function keepRequest(kept: Map<string, AskedWith>, reply: string, asked: AskedWith): void {
	kept.delete(reply);
	kept.set(reply, asked);
	const [oldest = ""] = kept.keys();
	if (kept.size > MOST_KEPT) kept.delete(oldest);
}

/** Estimated tokens of a request with these entries and tools, images included. */
export function requestTokens(entries: readonly Entry[], system = "", tools: readonly ToolDefinition[] = []): number {
	const images = entries.flatMap((entry) =>
		entry.role === "user"
			? entry.attachments.flatMap(({ image = [] }) => image)
			: entry.calls.flatMap((call) => call.images ?? []),
	);
	const texts = [system, ...tools.map((tool) => JSON.stringify(tool)), ...inputMessages(entries).map(messageText)];
	return texts.reduce((sum, text) => sum + sizeOf(text).tokens, images.length * IMAGE_TOKENS);
}

/** Returns the request of a reply, or of the next message. Rejects with `invalid`. */
export async function requestOf(
	session: ChatSession,
	{ message, next }: WantedRequest,
	{ asked, parts }: { readonly asked: ReadonlyMap<string, AskedWith>; readonly parts: ReplyParts },
): Promise<SentRequest> {
	const { secretFilter } = parts;
	await secretFilter.ready();
	const rebuilt = async (wanted: Pick<Wanted, "after" | "connection" | "own">): Promise<AskedWith> => {
		const question = { id: "", continues: false, ...wanted };
		const { connection, request } = await prepareWithModel(question, session.facts, parts);
		if (connection === undefined) throw invalid("messages", "connection", "is missing: there is no connection yet");
		return { connection, request: secretFilter.redact(request) };
	};
	if (message === undefined) {
		const after = [...session.entries, nextTurn(next)];
		return shown(await rebuilt({ after, connection: session.target.connection?.id, own: {} }), parts);
	}
	const isMeant = (each: Entry) =>
		each.role === "assistant" && (each.id === message || (each.parent === message && !each.continues));
	const reply = session.tree.all.findLast(isMeant);
	if (reply?.role !== "assistant") throw invalid("messages", "message", "is not a reply of the conversation");
	const kept = asked.get(reply.id);
	if (kept !== undefined) return shown(kept, parts);
	const { parent, connectionId: connection, parameters, model } = reply;
	const own = { ...parameters, ...(model === "" ? {} : { model }) };
	const again = await rebuilt({ after: session.tree.lineage(parent), connection, own });
	return { ...(await shown(again, parts)), note: REBUILT };
}

/** Makes a turn outside of the conversation. */
export function nextTurn({ text, attachments }: WantedRequest["next"]): Turn {
	return { role: "user", id: "", parent: null, text, attachments, at: 0 };
}

async function shown(
	{ connection, request }: AskedWith,
	{ registry, image }: Pick<ReplyParts, "registry" | "image">,
): Promise<SentRequest> {
	const { secret, closed } = await registry.secret(connection);
	const key = secret !== undefined || closed === "unreadable" ? "{key}" : undefined;
	const endpoint = { baseUrl: connection.baseUrl, profile: headersOf(connection.profile), key };
	const brief = await withImages(request, image, (data) => `<${sizeWords(data.length)} of base64>`);
	const { method, url, headers, body } = buildMessagesRequest(endpoint, brief);
	return { method, url: url.href, headers, body: JSON.parse(body) };
}
