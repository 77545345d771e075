import { failureOfError } from "#api/http/failure.ts";
import { OPTIONAL_FIELDS } from "#api/messages/fault.ts";
import { replyText } from "#app/chat/conversation.ts";
import { isUnwritten } from "#app/chat/saved-reply.ts";
import type { CardContext, Ending } from "#app/ports.ts";
import type { ClientError } from "#base/errors.ts";
import type { CardAction, ErrorCard } from "#protocol/panel.ts";
import { gatewayWords, saidOf, sentence, whenAgain } from "./kit/words.ts";

/** The words and buttons of a reply that did not end as hoped: what happened, what to do, and the buttons that do it. */
export function describeEnding(ending: Ending, context: CardContext): ErrorCard | undefined {
	const { outcome, error, reply } = ending;
	const hasText = reply === undefined || context.continues === true || replyText(reply).trim() !== "";
	if (outcome === "truncated") {
		return {
			code: "truncated",
			title: "The reply was cut off at max_tokens.",
			advice: hasText ? "Go on from here, or raise the limit and ask again." : "Raise the limit and ask again.",
			actions: hasText ? ["continue", "raise-max-tokens"] : ["raise-max-tokens"],
		};
	}
	if (error === undefined || outcome === "stopped") return undefined;
	const { title, advice, actions } = replyWords(error, context);
	const when =
		error.retryAfterMs === undefined ? undefined : `It asks to be asked again ${whenAgain(error.retryAfterMs)}.`;
	// A reply that broke off can be gone on with wherever it has text.
	const isBroken = outcome === "interrupted" || outcome === "stalled";
	const goOn: readonly CardAction[] = isBroken && hasText ? ["continue"] : [];
	return { code: error.code, title, advice: withRequestId(when ?? advice, error), actions: [...goOn, ...actions] };
}

/** An error in words: what happened, what to do, and the buttons that do it. */
export interface ReplyWords {
	readonly title: string;
	readonly advice: string;
	readonly actions: readonly CardAction[];
}

/** The words and buttons of an error of a messages service. */
export function replyWords(error: ClientError, context: CardContext): ReplyWords {
	const name = context.connection === "" ? "The service" : context.connection;
	return gatewayWords(wordsOfCode(error, name, context), error, name);
}

function wordsOfCode(error: ClientError, name: string, { model, continues = false }: CardContext): ReplyWords {
	const status = error.status === undefined ? "" : ` (${error.status})`;
	const { said: told } = saidOf(error, name);
	const kept = `What had arrived stays here. Retry asks for the ${continues ? "last part" : "whole reply"} again.`;
	switch (error.code) {
		case "unauthorized":
			if (error.field === "key") {
				return {
					title: `${said(error, name)}`,
					advice: `Enter the key for ${name} again.`,
					actions: ["set-key", "retry"],
				};
			}
			return {
				title: `${name} refused the key${status}.`,
				advice: "Replace it with one that the service knows.",
				actions: ["set-key", "retry", "show-log"],
			};
		case "forbidden":
			return {
				title: `${name} does not allow this key to do that${status}${told}`,
				advice: "Check the key's permissions and quota.",
				actions: ["set-key", "retry", "show-log"],
			};
		case "not-found":
			return {
				title: `${name} does not know what it was asked for${status}${told}`,
				advice: `Check the base URL and the model's name${model === "" ? "" : ` (${model})`}.`,
				actions: ["select-model", "edit-connection", "retry"],
			};
		case "invalid":
			return invalidWords(error, name, status);
		case "rate-limited":
			return {
				title: `${name} asks for fewer requests${status}.`,
				advice: "Try again in a little while.",
				actions: ["retry", "show-log"],
			};
		case "overloaded":
			return {
				title: `${name} is overloaded${status}.`,
				advice: "Try again in a little while.",
				actions: ["retry", "show-log"],
			};
		case "server":
			return {
				title: `${name} failed${status}${told}`,
				advice: "Try again, or look in the log.",
				actions: ["retry", "show-log"],
			};
		case "malformed":
			// Nothing is wrong with the address of a service whose reply is only too large.
			if (error.field !== undefined) return { title: said(error, name), advice: kept, actions: ["retry", "show-log"] };
			return {
				title: `${name} did not send a reply${status}.`,
				advice: `${said(error, name)} Check that the base URL is that of a messages API.`,
				actions: ["edit-connection", "retry", "show-log"],
			};
		case "network":
			return {
				title: said(error, name),
				advice: failureOfError(error.cause).fix ?? "Check that it is running, the base URL, and the network or proxy.",
				actions: ["retry", "edit-connection", "show-log"],
			};
		case "timeout":
			return {
				title: `${name} did not answer in time.`,
				advice: "Try again, or check the address.",
				actions: ["retry", "edit-connection", "show-log"],
			};
		case "stalled":
			return {
				title: `${name} went silent and the connection was closed.`,
				advice: kept,
				actions: ["retry", "show-log"],
			};
		case "interrupted":
			return {
				title: isUnwritten(error) ? said(error, name) : `${name} ended the stream before the reply was complete.`,
				advice: kept,
				actions: ["retry", "show-log"],
			};
		case "aborted":
			return { title: "Stopped.", advice: "Ask again when you are ready.", actions: ["retry"] };
	}
}

function invalidWords(error: ClientError, name: string, status: string): ReplyWords {
	const { said: told } = saidOf(error, name);
	if (error.field === "connection" && !error.message.includes("missing")) {
		return { title: said(error, name), advice: "Choose another connection.", actions: ["show-log"] };
	}
	if (error.field === "connection") {
		return {
			title: "There is no connection to send this to.",
			advice: "Add one; what you wrote stays here.",
			actions: ["add-connection", "retry"],
		};
	}
	if (error.status === 409) {
		return {
			title: `${name} was busy with something else${status}${told}`,
			advice: "Try again.",
			actions: ["retry", "show-log"],
		};
	}
	const title = status === "" ? said(error, name) : `${name} refused the request${status}${told}`;
	if (error.field === "model") {
		return { title, advice: "Choose a model that the service has.", actions: ["select-model", "retry"] };
	}
	if (error.field === "max_tokens") {
		return { title, advice: "Change max_tokens in the settings.", actions: ["raise-max-tokens", "retry"] };
	}
	if (error.status === 400 && Object.hasOwn(OPTIONAL_FIELDS, error.field ?? "")) {
		const advice = `Send it without ${error.field}: requests to this model leave it out from then on.`;
		return { title, advice, actions: ["send-without", "retry", "show-log"] };
	}
	return {
		title,
		advice: "Change what it names and try again.",
		actions: ["retry", "edit-connection", "show-log"],
	};
}

/** The service's support desk asks for the request's id; nobody else needs it. */
function withRequestId(advice: string, error: ClientError): string {
	return error.requestId === undefined ? advice : `${advice} Request ID: ${error.requestId}.`;
}

/** What an error says, with the service called by its name. */
function said(error: ClientError, name: string): string {
	return sentence(error.message.replace(/^The service\b/, name));
}
