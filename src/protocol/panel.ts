import type { Usage } from "#base/cost.ts";
import type { ErrorCode } from "#base/errors.ts";
import type { Outcome } from "#base/reply.ts";
import {
	flag,
	type Infer,
	integer,
	list,
	nullable,
	number,
	object,
	oneOf,
	optional,
	parsed,
	type Schema,
	text,
} from "#base/schema.ts";
import type { AttachmentView, ContextToPanel, DraftView } from "./context.ts";

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
	/** Duration of a `thinking` block: from its first delta to its last so far. Milliseconds. */
	readonly thoughtMs?: number;
	/** The call of a `tool_use` block; its input is `text`. */
	readonly call?: CallView;
}

/** States of a call. Only `waiting`, `asking` and `running` are followed by another. */
export const CALL_STATES = [
	/** Its reply is still arriving, or others are run before it. */
	"waiting",
	/** The person is asked. */
	"asking",
	"running",
	"done",
	/** The tool said no; the result has its words. */
	"failed",
	"denied",
	"stopped",
	/** The window was gone before it had ended: nobody knows what came of it, and it is not run again. */
	"interrupted",
	/** Never run: it was cut off, or no tool takes it. The result says why. */
	"refused",
] as const;

/** Call of a tool, as its block shows it. */
export interface CallView {
	/** Sentence for the person, without a period; the tool's name while its input arrives. */
	readonly title: string;
	/** Name of a codicon. */
	readonly icon: string;
	readonly state: (typeof CALL_STATES)[number];
	/** Place and messages connection that an answer for longer than once is for; absent for a call that never asks. */
	readonly scope?: string;
	/** Text of the tool; absent before the end. */
	readonly result?: string;
	/** Images of the result, by the hashes of their files. */
	readonly images?: readonly { readonly hash: string }[];
	/** Duration of the run, without the wait for the person. Milliseconds. */
	readonly ms?: number;
}

/** Answer of a person to a call that asks. */
export const CALL_ANSWERS = ["once", "conversation", "always", "deny"] as const;

const CARD_ACTIONS = [
	"retry",
	"continue",
	"set-key",
	"edit-connection",
	"add-connection",
	"select-model",
	"raise-max-tokens",
	"send-without",
	"show-log",
] as const;

const COMPOSER_ACTIONS = [
	...(["attach", "choose-tools", "select-connection", "choose-effort"] as const),
	...(["show-request", "compact", "continue-here"] as const),
] as const;

/** Action that a person can take on an error, as a button on its card. */
export type CardAction = (typeof CARD_ACTIONS)[number];

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
			/** Why the service has refused, in one line; empty where it does not say. */
			readonly explanation?: string;
			/** Present where it is not known here; in one line. */
			readonly stopReason?: string;
			readonly durationMs: number;
			readonly error?: ErrorCard;
	  };

/** Version of a message that is on screen, counted from 0, and their number; absent where there is one. */
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
	/** The label of the connection. */
	readonly connection: string;
	/** Sorted by index. */
	readonly blocks: readonly BlockView[];
	readonly phase: Phase;
	readonly usage: Usage;
	/** From sending to the first visible text. */
	readonly firstTextMs?: number;
	/** Time of the request, in milliseconds since 1970; absent where it is not known. */
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
	/** True for the sandbox, whose data the welcome asks about. */
	readonly isTrial?: true;
	/** True while a reply is under way: Send gives way to Stop. */
	readonly busy: boolean;
	/** About how many tokens the next message would be without what is typed. */
	readonly tokens?: number;
	/** Number of tokens above which a message is sent only after a question. */
	readonly budget?: number;
	/** True while another window writes the conversation: here it is read-only. */
	readonly isElsewhere?: boolean;
	/** The conversation's title; absent while nothing is said in it. */
	readonly title?: string;
	/** About what all versions of its replies have cost; absent where no price is known. */
	readonly cost?: { readonly amount: number; readonly currency: string };
	/** Number of tools that are on, and why none is offered, with the next step, where the model takes none. */
	readonly tools?: { readonly on: number; readonly refused?: string };
	/** Effort of thinking that is chosen; absent where the model has none to choose. */
	readonly effort?: string;
	/** Tokens that the model takes; absent where it is not known. */
	readonly contextTokens?: number;
	/** Characters above which pasted text becomes an attachment; absent or 0 where it never does. */
	readonly pasteLimit?: number;
}

/** A turn that waits until the reply under way has ended. */
export interface QueuedView {
	readonly id: string;
	readonly text: string;
}

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
	readonly call?: CallView;
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

const ID = object({ id: text() });
const MESSAGE = object({ message: text() });
const TYPED = object({ conversation: text(), text: text() });
const CODE = object({ text: text(), language: text() });
const NOTHING = object({});

/** Requests about attachments, and reports of what is typed. */
const CONTEXT = {
	/** Text in the composer. */
	draft: TYPED,
	/** Text typed in place of a turn; null once it was sent or left. */
	edit: object({ conversation: text(), message: text(), text: nullable(text()) }),
	/** Lists what could be meant by `query`. */
	suggest: object({ trigger: oneOf("@", "/"), query: text(), request: number() }),
	/** Takes a row of the list. */
	choose: ID,
	/** Attaches files that were dropped. */
	"attach-files": object({ uris: list(text()) }),
	/** Attaches the rows of our own trees that were dragged last. */
	"attach-dragged": NOTHING,
	detach: ID,
	"open-attachment": ID,
	/** Keeps text that was pasted as an attachment of its own. */
	"paste-text": object({ conversation: text(), text: text() }),
	/** Attaches an image that is scaled already, or answers `picked-image`; `data` is base64, empty for none. */
	"paste-image": object({ conversation: text(), key: optional(text()), label: text(), data: text() }),
	/** Asks for the bytes of an image, which come as `image`. */
	"want-image": object({ hash: text() }),
};

/** Requests of the buttons of messages and of the queue. */
const ASKED = {
	/** Asks again with another text in place of a turn's; both stay as versions. */
	"edit-turn": object({ message: text(), text: text() }),
	regenerate: MESSAGE,
	/** Lets the person choose by whom and how. */
	"regenerate-with": MESSAGE,
	continue: MESSAGE,
	/** Opens a reply as a Markdown document. */
	"open-reply": MESSAGE,
	/** Begins a conversation with all that leads to a message. */
	fork: MESSAGE,
	/** Answers a call that asks, with an optional word to the model where it is denied. */
	"answer-call": object({ message: text(), key: text(), answer: oneOf(...CALL_ANSWERS), word: optional(text()) }),
	/** Brings the version before or after that of a message on screen. */
	version: object({ message: text(), step: oneOf(-1, 1) }),
	unqueue: ID,
	"send-queued": ID,
	/** Takes a turn out of the queue and puts it into the composer, with what is attached to it. */
	"edit-queued": ID,
};

const TO_HOST = {
	...CONTEXT,
	...ASKED,
	ready: NOTHING,
	/** The keyboard has come into the panel, or has left it. */
	focus: object({ inside: flag() }),
	ack: object({ batch: integer({ min: 0 }) }),
	send: object({ text: text() }),
	stop: NOTHING,
	/** A button of an error card, with the reply it belongs to, of the welcome or of the composer. */
	action: object({
		action: oneOf(...CARD_ACTIONS, ...COMPOSER_ACTIONS),
		message: optional(text()),
	}),
	copy: object({ text: text() }),
	/** Inserts code at the cursor of the active text editor; where there is none, opens it as `open-code` does. */
	insert: CODE,
	/** Opens code as a new untitled document; `language` is the fence's info string. */
	"open-code": CODE,
	/** Shows the active text editor beside what it would be with this code in it. */
	compare: CODE,
	"open-link": object({ url: text() }),
};

type MessagesOf<T> = { [K in keyof T]: { readonly type: K } & Infer<T[K]> }[keyof T];

/** Message of the panel about attachments or what is typed. */
export type ContextToHost = MessagesOf<typeof CONTEXT>;

/** Request of a button of a message or of the queue. */
export type AskedOfMessage = MessagesOf<typeof ASKED>;

/** True for a request of a button of a message or of the queue. */
export function isAskedOfMessage(message: ToHost): message is AskedOfMessage {
	return Object.hasOwn(ASKED, message.type);
}

/** From the panel to the host. Decoded by {@link decodeToHost} at the edge: the panel is not trusted. */
export type ToHost = MessagesOf<typeof TO_HOST>;

/** Actions that a button in the panel can ask for. */
export type PanelAction = Extract<ToHost, { type: "action" }>["action"];

/** Reads a message from the panel, without fields that are not its own; undefined for anything that is not one. */
export function decodeToHost(value: unknown): ToHost | undefined {
	if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
	const { type } = value;
	if (typeof type !== "string" || !Object.hasOwn(TO_HOST, type)) return undefined;
	const schema: Schema<object> = TO_HOST[type as ToHost["type"]];
	const fields = parsed(schema, value);
	// The fields are those of its type.
	return fields && ({ type, ...fields } as ToHost);
}
