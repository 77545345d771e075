import { isRecord } from "../http/json.ts";
import { contentOf, readChanges, type StreamEvent } from "./events.ts";
import { readFault } from "./fault.ts";

/**
 * A JSON body as the events that would have streamed it, so that a plain reply and a streamed one are put together in
 * the same place: a message (contract section 2), an error, or a message with an error. Null for JSON that is neither.
 */
export function eventsOfJson(data: unknown): readonly StreamEvent[] | null {
	if (!isRecord(data)) return null;
	const { type, content: said, error } = data;
	const isMessage = type !== "error" && (Array.isArray(said) || typeof said === "string");
	const fault = isMessage && !isRecord(error) && !(typeof error === "string" && error !== "") ? null : readFault(data);
	const failed: readonly StreamEvent[] = fault === null ? [] : [{ kind: "error", fault }];
	if (!isMessage) return fault === null ? null : failed;
	const changes = readChanges([data]);
	const content = contentOf(data);
	return [
		{ kind: "message_start", changes, content },
		...content.map((_block, index): StreamEvent => ({ kind: "content_block_stop", index })),
		...failed,
		{ kind: "message_stop", changes, content: [] },
	];
}
