import type { BlockDelta } from "#api/messages/model.ts";
import type { MayPass } from "../usage/budget.ts";
import type { ConversationFacts, ReplyEntry } from "./conversation.ts";
import { type ReplyParts, ReplyUnderWay } from "./reply-under-way.ts";
import { prepareWithModel, type Wanted } from "./request-target.ts";

/**
 * Requests a reply, and reports each change. If the service refuses an optional part of the request by name, the part is
 * remembered, and the request sent again without it unless the caller requires a call. `show` takes the empty entry once.
 */
export async function requestReply(
	wanted: Wanted,
	facts: ConversationFacts,
	parts: ReplyParts,
	listener: {
		readonly signal: AbortSignal;
		readonly mayPass?: MayPass | undefined;
		readonly show?: (entry: ReplyEntry) => void;
		readonly report: (entry: ReplyEntry, delta?: BlockDelta) => void;
	},
) {
	const { signal, mayPass, report } = listener;
	const { caller = "Chat panel" } = wanted.given ?? {};
	let asked = wanted;
	for (let { show = report } = listener; ; show = report) {
		const { entry, request, connection } = await prepareWithModel(asked, facts, parts, { signal, show });
		const last = await new ReplyUnderWay(entry, parts, report).run({ request, connection, signal, caller, mayPass });
		const refused = await parts.refused.learn(last);
		if (refused === undefined || signal.aborted || request.toolChoice === "any") return { last, request };
		asked = { ...wanted, without: [...(asked.without ?? []), refused] };
	}
}
