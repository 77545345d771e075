import type { ReplyNotes } from "#api/messages/model.ts";
import type { ClientError } from "#base/errors.ts";
import type { ReplyEntry } from "./conversation.ts";

/** Log line for the end of a reply: facts only, nothing of its text. Empty before the end. */
export function endLine({ connection, ended, startedAt }: ReplyEntry): string {
	if (ended === undefined) return "";
	const { outcome, error, requests, reply } = ended;
	const facts = [
		`${Math.round(ended.at - startedAt)} ms`,
		`${requests} request${requests === 1 ? "" : "s"}`,
		...(error === undefined ? [] : [errorFacts(error)]),
		...noteFacts(reply.notes),
	];
	return `${connection || "No connection"}: reply ${outcome} (${facts.join("; ")})`;
}

/** An error in the few words of a log. */
export function errorFacts({ code, status, requestId, message }: ClientError): string {
	return [code, status, requestId, message].filter((fact) => fact !== undefined).join(" · ");
}

function noteFacts({ malformed, late, unknown }: ReplyNotes): string[] {
	return [
		...(malformed > 0 ? [`${malformed} malformed events skipped`] : []),
		...(late > 0 ? [`${late} deltas after the end ignored`] : []),
		...(unknown.length > 0 ? [`not known: ${unknown.join(", ")}`] : []),
	];
}
