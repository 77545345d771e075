import { isRecord } from "../http/json.ts";
import { readBlock, readChanges, type StreamEvent } from "./events.ts";
import { readFault } from "./fault.ts";

/**
 * A JSON body as the events that would have streamed it, so that a plain reply and a streamed one are put together in
 * the same place: a message (contract section 2) or an error. Null for JSON that is neither.
 */
export function eventsOfJson(data: unknown): readonly StreamEvent[] | null {
	if (!isRecord(data)) return null;
	const said = data["content"];
	const content = typeof said === "string" ? [{ type: "text", text: said }] : said;
	if (data["type"] !== "error" && Array.isArray(content)) {
		const changes = readChanges([data]);
		return [
			{ kind: "message_start", changes, content: content.filter(isRecord).map(readBlock) },
			...content.map((_block, index): StreamEvent => ({ kind: "content_block_stop", index })),
			{ kind: "message_stop", changes },
		];
	}
	const fault = readFault(data);
	return fault === null ? null : [{ kind: "error", fault }];
}
