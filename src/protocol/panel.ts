import type { ErrorCode } from "#base/errors.ts";
import type { Outcome, Usage } from "#base/reply.ts";
import type { AttachmentView, ContextToHost, ContextToPanel, DraftView } from "./context.ts";

/**
 * The one contract between the extension host and the chat panel. The host owns the transcript; the panel is a view of
 * it that can be destroyed and rebuilt at any moment: on `ready` the host replays the whole conversation. Times that
 * are counted from are durations in milliseconds, because the two sides may run on machines whose clocks differ; `at`
 * is only ever shown.
 */

/** One block of a reply, keyed by the index the service gave it. */
export interface BlockView {
	/** Unique within the reply and stable: `"0"`, or `"0.1"` where a second block of another type came on index 0. */
	readonly key: string;
	readonly index: number;
	/** The service's type: `text` and `thinking` have a look of their own, every other type is shown as raw text. */
	readonly type: string;
	/** All text received so far, markdown for `text`, hostile until rendered as text. */
	readonly text: string;
	/** False once the service has closed the block or the reply has ended. */
	readonly open: boolean;
	/** Of a `thinking` block: from its first sign to its last so far. Milliseconds. */
	readonly thoughtMs?: number;
}

/** Actions that a person can take on an error, as buttons on its card. */
export type CardAction =
	| "retry"
	| "continue"
	| "set-key"
	| "edit-connection"
	| "add-connection"
	| "select-model"
	| "raise-max-tokens"
	| "send-without"
	| "show-log";

/** Error in words: one sentence on what happened, one on what to do, and the buttons. */
export interface ErrorCard {
	readonly code: ErrorCode | "truncated";
	readonly title: string;
	readonly advice: string;
	readonly actions: readonly CardAction[];
}

/** Phase of a reply between the person's Enter and its outcome. */
export type Phase =
	/** `isLocal` is true of an engine that may have to load its model first. */
	| { readonly name: "waiting"; readonly elapsedMs: number; readonly isLocal: boolean }
	/** A failed try is repeated after `inMs`; `reason` is a few words such as `429` or `connection refused`. */
	| { readonly name: "retrying"; readonly inMs: number; readonly attempt: number; readonly reason: string }
	/** `silentMs` is present while nothing has arrived for longer than the notice setting. */
	| { readonly name: "streaming"; readonly elapsedMs: number; readonly silentMs?: number }
	| {
			readonly name: "ended";
			readonly outcome: Outcome;
			readonly stopSequence?: string;
			readonly durationMs: number;
			readonly error?: ErrorCard;
	  };

/** Which version of a message is on screen, counted from 0, of how many; absent where there is one. */
export interface VersionsView {
	readonly index: number;
	readonly count: number;
}

/** The person's turn. */
export interface TurnView {
	readonly role: "user";
	readonly id: string;
	readonly text: string;
	/** Milliseconds since 1970; absent where it is not known. */
	readonly at?: number;
	readonly versions?: VersionsView;
	readonly attachments?: readonly AttachmentView[];
}

/** The service's reply to the turn before it; what goes on with a reply that was cut off belongs to it. */
export interface ReplyView {
	readonly role: "assistant";
	readonly id: string;
	readonly model: string;
	/** Model name in the request, where the service answers with another. */
	readonly asked?: string;
	/** The label of the connection. */
	readonly connection: string;
	/** Sorted by index. */
	readonly blocks: readonly BlockView[];
	readonly phase: Phase;
	readonly usage: Usage;
	/** From sending to the first visible text. */
	readonly firstTextMs?: number;
	/** When it was asked for, in milliseconds since 1970; absent where it is not known. */
	readonly at?: number;
	readonly versions?: VersionsView;
}

/** One article of the transcript. */
export type MessageView = TurnView | ReplyView;

/** Target of the next message, as the composer shows it. */
export interface ComposerView {
	/** The label of the chosen connection; absent while there is none. */
	readonly connection?: string;
	readonly model?: string;
	/** True while a reply is under way: Send gives way to Stop. */
	readonly busy: boolean;
	/** About how many tokens the next message would be without what is typed. */
	readonly tokens?: number;
	/** More than so many tokens are not sent before the person was asked. */
	readonly budget?: number;
	/** True while another window writes the conversation: here it is read-only. */
	readonly isElsewhere?: boolean;
	/** The conversation's title; absent while nothing is said in it. */
	readonly title?: string;
	/** Prices of tokens, where the person has said so. */
	readonly prices?: Prices;
}

/** A turn that waits until the reply under way has ended. */
export interface QueuedView {
	readonly id: string;
	readonly text: string;
}

/** Price of a million tokens of a model. */
export interface Price {
	readonly input: number;
	readonly output: number;
	/** A few letters such as `EUR`. */
	readonly currency: string;
}

/** Prices by the name of the model. */
export type Prices = Readonly<Record<string, Price>>;

/** A whole conversation, as replayed to a new panel. */
export interface ConversationView {
	readonly id: string;
	readonly messages: readonly MessageView[];
	readonly composer: ComposerView;
	/** Queued turns, the next one first; absent where there are none. */
	readonly queue?: readonly QueuedView[];
	/** Text and attachments that are not sent. */
	readonly draft?: DraftView;
}

/** Change of one block since the last batch. */
export interface BlockChange {
	readonly key: string;
	readonly index: number;
	readonly type: string;
	/** `append` adds `text` to what the panel has; `replace` puts it in place of it. An unknown key is a new block. */
	readonly mode: "append" | "replace";
	readonly text: string;
	readonly open: boolean;
	readonly thoughtMs?: number;
}

/** From the host to the panel. */
export type ToPanel =
	| ContextToPanel
	| { readonly type: "conversation"; readonly conversation: ConversationView }
	| { readonly type: "message"; readonly conversation: string; readonly message: MessageView }
	/** `batch` counts up; the panel answers each with `ack` once it is in the document. */
	| {
			readonly type: "blocks";
			readonly conversation: string;
			readonly batch: number;
			readonly message: string;
			readonly changes: readonly BlockChange[];
	  }
	/** The reply's header, phase and footer; its blocks travel in `blocks` only, and all of them before an `ended`. */
	| { readonly type: "reply"; readonly conversation: string; readonly reply: Omit<ReplyView, "blocks"> }
	| { readonly type: "composer"; readonly composer: ComposerView }
	| { readonly type: "queue"; readonly conversation: string; readonly queue: readonly QueuedView[] }
	/** Puts the keyboard focus into the composer, or on the last message where `where` says so. */
	| { readonly type: "focus"; readonly where?: "last-message" }
	/** Opens the find box, with words to find where there are some, from that message on. */
	| { readonly type: "find"; readonly text?: string; readonly message?: string }
	/** Puts text into the composer, below what is typed there or `above` it, for the person to go on from. */
	| { readonly type: "draft"; readonly text: string; readonly above?: boolean };

/** Requests of the buttons of messages and of the queue. */
export type AskedOfMessage =
	/** Asks again with another text in place of a turn's; both stay as versions. */
	| { readonly type: "edit-turn"; readonly message: string; readonly text: string }
	/** `regenerate-with` lets the person choose by whom and how. */
	| { readonly type: "regenerate" | "regenerate-with" | "continue"; readonly message: string }
	/** Of a message in that conversation: the page may be behind, and a fork has the same messages. */
	| { readonly type: "fork"; readonly conversation: string; readonly message: string }
	/** Brings the version before or after that of a message on screen. */
	| { readonly type: "version"; readonly message: string; readonly step: -1 | 1 }
	/** `edit-queued` takes a turn out of the queue and puts it into the composer, with what is attached to it. */
	| { readonly type: "unqueue" | "send-queued" | "edit-queued"; readonly id: string };

/** From the panel to the host. Decoded by {@link decodeToHost} at the edge: the panel is not trusted. */
export type ToHost =
	| ContextToHost
	| { readonly type: "ready" }
	/** The keyboard has come into the panel, or has left it. */
	| { readonly type: "focus"; readonly inside: boolean }
	| { readonly type: "ack"; readonly batch: number }
	| { readonly type: "send"; readonly text: string }
	| { readonly type: "stop" }
	| AskedOfMessage
	/** A button of an error card, or of the welcome; `message` is the reply it belongs to. */
	| { readonly type: "action"; readonly action: PanelAction; readonly message?: string }
	| { readonly type: "copy"; readonly text: string }
	/** Inserts code at the cursor of the active text editor; where there is none, opens it as `open-code` does. */
	| { readonly type: "insert"; readonly text: string; readonly language: string }
	/** Opens code as a new untitled document; `language` is the fence's info string. */
	| { readonly type: "open-code"; readonly text: string; readonly language: string }
	| { readonly type: "open-link"; readonly url: string };

/** Everything a button in the panel can ask for. */
export type PanelAction = CardAction | "select-connection" | "continue-here";

const PANEL_ACTIONS: ReadonlySet<string> = new Set<PanelAction>([
	"retry",
	"continue",
	"set-key",
	"edit-connection",
	"add-connection",
	"select-model",
	"raise-max-tokens",
	"send-without",
	"show-log",
	"select-connection",
	"continue-here",
]);

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0);
const ITS_ID = { id: isText };
const ITS_MESSAGE = { message: isText };
const CODE = { text: isText, language: isText };

/** The fields of each message of the panel, and what each must be. */
const FIELDS: Readonly<Record<ToHost["type"], Readonly<Record<string, Check>>>> = {
	...{ ready: {}, stop: {}, attach: {}, "attach-dragged": {}, "show-request": {} },
	focus: { inside: (value) => typeof value === "boolean" },
	ack: { batch: isCount },
	...{ send: { text: isText }, copy: { text: isText }, insert: CODE, "open-code": CODE, "open-link": { url: isText } },
	action: {
		action: (value) => typeof value === "string" && PANEL_ACTIONS.has(value),
		message: (value) => value === undefined || isText(value),
	},
	"edit-turn": { message: isText, text: isText },
	...{ regenerate: ITS_MESSAGE, "regenerate-with": ITS_MESSAGE, continue: ITS_MESSAGE },
	fork: { conversation: isText, message: isText },
	version: { message: isText, step: (value) => value === -1 || value === 1 },
	...{ unqueue: ITS_ID, "send-queued": ITS_ID, "edit-queued": ITS_ID },
	...{ choose: ITS_ID, detach: ITS_ID, "open-attachment": ITS_ID },
	draft: { conversation: isText, text: isText },
	edit: { conversation: isText, message: isText, text: (value) => value === null || isText(value) },
	"attach-files": { uris: (value) => Array.isArray(value) && value.every(isText) },
	suggest: {
		trigger: (value) => value === "@" || value === "/",
		query: isText,
		request: (value) => typeof value === "number",
	},
};

/** Reads a message from the panel, without fields that are not its own; undefined for anything that is not one. */
export function decodeToHost(value: unknown): ToHost | undefined {
	if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
	const { type } = value;
	if (typeof type !== "string" || !Object.hasOwn(FIELDS, type)) return undefined;
	const given = value as Readonly<Record<string, unknown>>;
	const checks = Object.entries(FIELDS[type as ToHost["type"]]);
	if (!checks.every(([name, is]) => is(given[name]))) return undefined;
	const fields = checks.flatMap(([name]) => (given[name] === undefined ? [] : [[name, given[name]]]));
	// Every field of its type was checked.
	return { type, ...Object.fromEntries(fields) } as ToHost;
}
