import type { ReceivedCall } from "#api/messages/tool-calls.ts";
import type { ModelReply } from "#app/chat/ask-once.ts";
import { replyText } from "#app/chat/conversation.ts";
import { isUnwritten } from "#app/chat/saved-reply.ts";
import type { CardContext, Ending } from "#app/ports.ts";
import type { ClientError } from "#base/errors.ts";
import { oneLine } from "#base/one-line.ts";
import type { CardAction, ErrorCard } from "#protocol/panel.ts";
import {
	entryFor,
	fillTemplate,
	fixOf,
	gatewayWords,
	saidOf,
	sentence,
	type WordsEntry,
	type WordsTable,
	whenAgain,
} from "../kit/error-words.ts";
import { plainLine } from "../kit/text.ts";

/** Card for an incomplete reply. `most` is the model's limit in tokens, if known. */
export function describeEnding(
	ending: Ending,
	context: CardContext,
	most: number | null = null,
): ErrorCard | undefined {
	const { outcome, error, reply } = ending;
	const hasCalls = (context.calls ?? []).length > 0;
	const hasBegun = reply !== undefined && replyText(reply).trim() !== "";
	const hasText = reply === undefined || hasCalls || context.continues === true || hasBegun;
	const goOn: readonly CardAction[] = hasText ? ["continue"] : [];
	if (outcome === "tool-use" && hasCalls) {
		return {
			code: "truncated",
			title: `The reply paused after ${ending.spent ?? "its last tool calls"}.`,
			advice: "Continue? As much again is allowed then. Settings limit the rounds and the cost.",
			actions: ["continue"],
		};
	}
	if (outcome === "truncated") {
		if (/context|model.?length/i.test(reply?.stopReason ?? "")) {
			const title = "The conversation and its reply fill the context of this model.";
			const advice = "Run Compact Conversation, or select another model.";
			return { code: "truncated", title, advice, actions: ["select-model"] };
		}
		if (most !== null && (reply?.usage.outputTokens ?? 0) >= most) {
			const title = `Cut off at ${most.toLocaleString("en")} tokens, the limit of this model.`;
			const advice = `${hasText ? "Go on from here" : "Ask for less"}, or select another model.`;
			return { code: "truncated", title, advice, actions: [...goOn, "select-model"] };
		}
		const tokens = reply?.usage.outputTokens?.toLocaleString("en");
		return {
			code: "truncated",
			title: `Cut off at ${tokens === undefined ? "the limit of a reply" : `${tokens} tokens`}.`,
			advice: hasText ? "Go on from here, or raise the limit and ask again." : "Raise the limit and ask again.",
			actions: [...goOn, "raise-max-tokens"],
		};
	}
	if (error === undefined || outcome === "stopped") return undefined;
	const { title, advice, actions } = replyWords(error, context);
	const when = error.retryAfterMs === undefined ? undefined : `Try again ${whenAgain(error.retryAfterMs)}.`;
	// Text allows Continue: always after a broken stream, for a failure only in the new part.
	const isBroken = outcome === "interrupted" || outcome === "stalled" || hasBegun;
	// The service's support needs it to find the request.
	const id = error.requestId === undefined ? "" : ` Request ID: ${error.requestId}.`;
	return {
		code: error.code,
		title,
		advice: `${when ?? advice}${id}`,
		actions: [...(isBroken ? goOn : []), ...actions],
	};
}

const GO_ON = 'Say "go on" to continue.';

/** Words for an incomplete or empty reply outside of the panel, or for a call that cannot run; undefined for any other. */
export function modelReplyWords(
	answer: Pick<ModelReply, "outcome" | "error" | "model" | "reply">,
	calls: readonly ReceivedCall[],
	connection: string,
): string | undefined {
	const { outcome, error, model, reply } = answer;
	const hasText = replyText(reply).trim() !== "";
	if (outcome === "refused") {
		const why = reply.explanation === undefined ? "" : `: ${oneLine(reply.explanation, 300).replace(/\.$/, "")}`;
		return `${connection || "The service"} declined to continue${why}. Rephrase your message.`;
	}
	if (outcome === "other")
		return `The reply ended with “${oneLine(reply.stopReason ?? "", 64)}”. ${hasText ? GO_ON : "Ask again."}`;
	const card = describeEnding({ outcome, reply, ...(error === undefined ? {} : { error }) }, { connection, model });
	if (card !== undefined) return `${card.title} ${card.actions.includes("continue") ? GO_ON : card.advice}`;
	// The tool checks a complete input, which the model can correct.
	for (const call of calls) if (!("input" in call)) return `${plainLine(call.name)}: ${call.fault} Ask again.`;
	if (!hasText && calls.length === 0) return `${plainLine(model) || "The model"} replied without any text. Ask again.`;
	return undefined;
}

/** Words of a reply in words alone, though tools were offered. */
export function withoutToolsWords(model: string): string {
	return `${plainLine(model)} has no tools here and answered without them. Choose another model for tools.`;
}

/** The words and buttons of an error of a messages service. */
export function replyWords(error: ClientError, context: CardContext): Omit<ErrorCard, "code"> {
	const { connection, model, continues = false } = context;
	const name = connection === "" ? "The service" : connection;
	const parts = {
		...saidOf(error, name),
		// Names the service.
		own: sentence(error.message.replace(/^The service\b/, name)),
		model: model === "" ? "" : ` ${model}`,
		part: continues ? "last part" : "whole reply",
		fix: fixOf(error) ?? "Check that the service is running, the base URL, and the network or proxy.",
	};
	const [title, advice, actions] = entryOf(error);
	return gatewayWords({ title: fillTemplate(title, parts), advice: fillTemplate(advice, parts), actions }, error, name);
}

type Entry = WordsEntry<readonly CardAction[]>;

const KEPT = "What had arrived stays here. Retry asks for the {part} again.";
/** Words of services for a request that does not fit into the context of the model. */
const TOO_LONG = /\b((prompt|input|request|context) is too long|context (length|limit|size|window))\b/i;
const LATER = "Try again in a little while.";
const AGAIN: readonly CardAction[] = ["retry", "show-log"];
const KEY: readonly CardAction[] = ["set-key", ...AGAIN];
const MODEL: readonly CardAction[] = ["select-model", "edit-connection", "retry"];
const EDIT: readonly CardAction[] = ["retry", "edit-connection", "show-log"];

const OWN: Entry = ["{own}", KEPT, AGAIN];
const REFUSED: Entry = ["{name} refused the request{status}{said}", "Correct this and try again.", EDIT];

/** `{own}` is what the error says itself. */
const WORDS: WordsTable<readonly CardAction[]> = {
	invalid: ["{own}", "Correct this and try again.", EDIT],
	"invalid@": REFUSED,
	"invalid@409": ["{name} was busy with something else{status}{said}", "Try again.", AGAIN],
	"invalid#connection": ["{own}", "Choose another connection.", ["show-log"]],
	"invalid#model": ["No model is chosen for {name}.", "Select one, or type its name.", ["select-model", "retry"]],
	"invalid#model@": [REFUSED[0], "Choose a model that the service has.", ["select-model", "retry"]],
	"invalid#max_tokens": ["The limit of a reply must be a whole number from 1 up.", "Raise it.", ["raise-max-tokens"]],
	"unauthorized#key": ["{own}", "Enter the key for {name} again.", ["set-key", "retry"]],
	// A reply that is too large says nothing about the address.
	"malformed#": OWN,
	unauthorized: ["{name} refused the key{status}{said}", "Replace it with one that the service accepts.", KEY],
	"over-budget": ["{own}", "Raise it in Edit Connection, or wait until it starts over.", ["edit-connection", "retry"]],
	forbidden: ["{name} does not allow this key to do that{status}{said}", "Check the key's permissions and quota.", KEY],
	"not-found": ["{name} has no messages API at this URL{status}{said}", "Check the base URL and the model.", MODEL],
	"rate-limited": ["{name}: rate limit reached{status}{said}", LATER, AGAIN],
	overloaded: ["{name} is overloaded{status}{said}", LATER, AGAIN],
	server: ["{name} failed{status}{said}", "Try again, or look in the log.", AGAIN],
	malformed: [
		"{name} did not send a reply{status}.",
		"{own} Check that the base URL points to a messages API.",
		["edit-connection", ...AGAIN],
	],
	network: ["{own}", "{fix}", EDIT],
	proxy: ["{own}", "{fix}", EDIT],
	timeout: ["{name} did not answer in time.", "Try again, or check the address.", EDIT],
	stalled: ["{name} stopped sending data, and the connection was closed.", KEPT, AGAIN],
	interrupted: ["{name} ended the stream before the reply was complete.", KEPT, AGAIN],
	aborted: ["Stopped.", "Ask again when you are ready.", ["retry"]],
};

function entryOf(error: ClientError): Entry {
	const { code, field = "", message } = error;
	// Only the message tells an unknown model from a wrong address.
	if (code === "not-found" && /\bmodel/i.test(message)) {
		return ["{name} does not know the model{model}{status}{said}", "Select another model.", MODEL];
	}
	if (code === "interrupted" && isUnwritten(error)) return OWN;
	if (code === "invalid" && field === "connection" && message.includes("missing")) {
		const title = "There is no connection to send this to.";
		return [title, "Add one; what you wrote stays here.", ["add-connection", "retry"]];
	}
	const entry = entryFor(error, WORDS) ?? OWN;
	if (entry !== REFUSED || !TOO_LONG.test(message)) return entry;
	const advice = "Select a model with a larger context, or start a new conversation.";
	return [REFUSED[0], advice, ["select-model", ...AGAIN]];
}
