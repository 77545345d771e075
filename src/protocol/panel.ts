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
 * Contract between the extension host and the chat panel. The host owns the transcript; the panel is a view that can be
 * rebuilt at any moment: on `ready` the host replays the whole conversation. Times are durations in milliseconds, since the
 * clocks of the two sides may differ; `at` is only shown.
 */

/** Block of a reply. */
export interface BlockView {
	/** Unique within the reply and stable. */
	readonly key: string;
	readonly index: number;
	/** The service's type: `text` and `thinking` have a look of their own, others are shown as raw text. */
	readonly type: string;
	/** All text so far, markdown for `text`, hostile until rendered as text. */
	readonly text: string;
	/** False once the block or the reply has ended. */
	readonly open: boolean;
	/** Duration of a `thinking` block so far, in ms. */
	readonly thoughtMs?: number;
	/** The call of a `tool_use` block; its input is `text`. */
	readonly call?: CallView;
}

/** States of a tool call. Only `waiting`, `asking` and `running` are followed by another. */
export const CALL_STATES = [
	/** Its reply is still arriving, or other calls run before it. */
	"waiting",
	/** It needs the person's approval. */
	"asking",
	"running",
	"done",
	/** The tool returned an error. */
	"failed",
	"denied",
	"stopped",
	/** The window closed during the run: its effect is unknown, and it is not run again. */
	"interrupted",
	/** Never run, for the reason in the result. */
	"refused",
] as const;

/** Tool call in a block. */
export interface CallView {
	/** Line for the person, without a period; the tool's name while its input arrives. */
	readonly title: string;
	/** True if the title says all of the input. */
	readonly saysAll?: boolean;
	/** Name of a codicon. */
	readonly icon: string;
	readonly state: (typeof CALL_STATES)[number];
	/** Place and connection that a lasting permission covers; absent for a call that never asks. */
	readonly scope?: string;
	/** Text of the tool; absent before the end. */
	readonly result?: string;
	/** Images of the result, by the hashes of their files. */
	readonly images?: readonly { readonly hash: string }[];
	/** Duration of the run without the wait for approval, in ms. */
	readonly ms?: number;
}

/** Answers of a person to a call that asks. */
export const CALL_ANSWERS = ["once", "conversation", "always", "deny"] as const;

const CARD_ACTIONS = [
	"retry",
	"continue",
	"set-key",
	"edit-connection",
	"add-connection",
	"select-model",
	"raise-max-tokens",
	"show-log",
] as const;

const COMPOSER_ACTIONS = [
	"attach",
	"choose-tools",
	"try-tools",
	"try-images",
	"select-connection",
	"choose-effort",
	"show-request",
	"compact",
	"continue-here",
] as const;

/** Action of a button on an error card. */
export type CardAction = (typeof CARD_ACTIONS)[number];

/** Error in words, with buttons. */
export interface ErrorCard {
	readonly code: ErrorCode | "truncated";
	readonly title: string;
	readonly advice: string;
	readonly actions: readonly CardAction[];
}

/** Phase of a reply. */
export type Phase =
	/** `isLocal` is true for an engine that may have to load its model first. */
	| { readonly name: "waiting"; readonly elapsedMs: number; readonly isLocal: boolean }
	/** A failed try is repeated after `inMs`; `reason` is a few words such as `429` or `connection refused`. */
	| { readonly name: "retrying"; readonly inMs: number; readonly attempt: number; readonly reason: string }
	/** `silentMs` is present during a silence beyond the notice setting. */
	| { readonly name: "streaming"; readonly elapsedMs: number; readonly silentMs?: number }
	| {
			readonly name: "ended";
			readonly outcome: Outcome;
			readonly stopSequence?: string;
			readonly explanation?: string;
			/** Unknown stop reason, in one line. */
			readonly stopReason?: string;
			readonly durationMs: number;
			readonly error?: ErrorCard;
	  };

/** Index of the version on screen, from 0, and the number of versions. */
export interface VersionsView {
	readonly index: number;
	readonly count: number;
}

/** The person's turn. */
export interface TurnView {
	readonly role: "user";
	readonly id: string;
	readonly text: string;
	/** Milliseconds since 1970. */
	readonly at?: number;
	/** Absent for a single version. */
	readonly versions?: VersionsView;
	readonly attachments?: readonly AttachmentView[];
}

/** Reply to the turn before it, together with its continuations. */
export interface ReplyView {
	readonly role: "assistant";
	readonly id: string;
	readonly model: string;
	/** Label of the connection. */
	readonly connection: string;
	/** Sorted by index. */
	readonly blocks: readonly BlockView[];
	readonly phase: Phase;
	/** Sentences about the request, such as what the model refused of it. */
	readonly note?: string;
	readonly usage: Usage;
	/** Time from sending to the first visible text. */
	readonly firstTextMs?: number;
	/** Time of the request, in milliseconds since 1970. */
	readonly at?: number;
	readonly versions?: VersionsView;
}

/** One article of the transcript. */
export type MessageView = TurnView | ReplyView;

/** State of the composer. */
export interface ComposerView {
	/** Label of the connection of the next message. */
	readonly connection?: string;
	readonly model?: string;
	/** Questions that the sandbox can answer as things are; absent for another service. */
	readonly examples?: readonly string[];
	/** True while a reply is under way: Stop takes the place of Send. */
	readonly busy: boolean;
	/** Estimated tokens of the next message without the typed text. */
	readonly tokens?: number;
	/** Number of tokens above which a message needs a confirmation. */
	readonly budget?: number;
	/** True while another window writes the conversation: here it is read-only. */
	readonly isElsewhere?: boolean;
	/** Name of its own; else it is called by the first message, which is on screen. */
	readonly title?: string;
	/** Estimated cost of all versions of its replies. */
	readonly cost?: { readonly amount: number; readonly currency: string; readonly limit?: number };
	/** Abilities of the model of which neither the person nor the service has said anything. */
	readonly unknown?: readonly ("tools" | "images" | "thinking")[];
	/** Numbers of tools that are on, and of these with Switchboard's others; `off` is a sentence for a model that takes none. */
	readonly tools?: { readonly on: number; readonly of: number; readonly off?: string };
	/** Chosen effort of thinking, if the model has a choice. */
	readonly effort?: string;
	/** Context window of the model, in tokens. */
	readonly contextTokens?: number;
	/** Number of characters above which pasted text becomes an attachment; never if absent or 0. */
	readonly pasteLimit?: number;
}

/** Queued turn. */
export interface QueuedView {
	readonly id: string;
	readonly text: string;
}

/** A whole conversation, as replayed to a new panel. */
export interface ConversationView {
	readonly id: string;
	readonly messages: readonly MessageView[];
	readonly composer: ComposerView;
	/** Queued turns, the next one first. */
	readonly queue?: readonly QueuedView[];
	readonly draft?: DraftView;
}

/** Change of one block since the last batch. An unknown key is a new block. */
export interface BlockChange extends BlockView {
	/** `append` adds `text` to the block, `replace` replaces its text. */
	readonly mode: "append" | "replace";
}

/** From the host to the panel. */
export type ToPanel =
	| ContextToPanel
	| { readonly type: "conversation"; readonly conversation: ConversationView }
	| { readonly type: "message"; readonly conversation: string; readonly message: MessageView }
	/** `batch` counts up; the panel sends `ack` once the changes are in the document. */
	| {
			readonly type: "blocks";
			readonly conversation: string;
			readonly batch: number;
			readonly message: string;
			readonly changes: readonly BlockChange[];
	  }
	/** Header, phase and footer of a reply. All changes of its blocks are sent before `ended`. */
	| { readonly type: "reply"; readonly conversation: string; readonly reply: Omit<ReplyView, "blocks"> }
	| { readonly type: "composer"; readonly composer: ComposerView }
	| { readonly type: "queue"; readonly conversation: string; readonly queue: readonly QueuedView[] }
	/** Focuses the composer or the last message. */
	| { readonly type: "focus"; readonly where?: "last-message" }
	/** Opens the find box with a text, starting at that message. */
	| { readonly type: "find"; readonly text?: string; readonly message?: string }
	/** Inserts text into the composer, below or `above` what is typed there. */
	| { readonly type: "draft"; readonly text: string; readonly above?: boolean };

const ID = object({ id: text() });
const MESSAGE = object({ message: text() });
const TYPED = object({ conversation: text(), text: text() });
const CODE = object({ text: text(), language: text() });
const NOTHING = object({});

const CONTEXT = {
	draft: TYPED,
	/** Text in the editor of a turn; null once it was sent or discarded. */
	edit: object({ conversation: text(), message: text(), text: nullable(text()) }),
	/** Lists suggestions for `query`. */
	suggest: object({ trigger: oneOf("@", "/"), query: text(), request: number() }),
	choose: ID,
	"attach-files": object({ uris: list(text()) }),
	/** Attaches the rows of our own trees that were dragged last. */
	"attach-dragged": NOTHING,
	detach: ID,
	"open-attachment": ID,
	"paste-text": TYPED,
	/** Attaches a scaled image, or answers `picked-image`; `data` is base64, empty for none. */
	"paste-image": object({ conversation: text(), key: optional(text()), label: text(), data: text() }),
	/** Requests the bytes of an image, which come as `image`. */
	"want-image": object({ hash: text() }),
};

const ASKED = {
	/** Sends another text in place of a turn's; both stay as versions. */
	"edit-turn": object({ message: text(), text: text() }),
	regenerate: MESSAGE,
	/** Regenerates with a connection, model and temperature that the person chooses. */
	"regenerate-with": MESSAGE,
	continue: MESSAGE,
	/** Opens a reply as a Markdown document. */
	"open-reply": MESSAGE,
	/** Starts a conversation with all messages up to this one. */
	fork: MESSAGE,
	/** Answers a call that asks, with an optional reason for the model if denied. */
	"answer-call": object({ message: text(), key: text(), answer: oneOf(...CALL_ANSWERS), word: optional(text()) }),
	/** Shows the previous or next version of a message. */
	version: object({ message: text(), step: oneOf(-1, 1) }),
	unqueue: ID,
	/** Sends a queued turn at once; stops a reply under way. */
	"send-queued": ID,
	/** Moves a queued turn before the one ahead of it. */
	"raise-queued": ID,
	/** Moves a queued turn and its attachments into the composer. */
	"edit-queued": ID,
};

const TO_HOST = {
	...CONTEXT,
	...ASKED,
	ready: NOTHING,
	/** The keyboard focus has entered or left the panel. */
	focus: object({ inside: flag() }),
	ack: object({ batch: integer({ min: 0 }) }),
	/** Sends a turn; during a reply, `now` stops that first, and without it the turn is queued. */
	send: object({ text: text(), now: optional(flag()) }),
	stop: NOTHING,
	/** Button of an error card, with its reply, of the welcome or of the composer. */
	action: object({ action: oneOf(...CARD_ACTIONS, ...COMPOSER_ACTIONS), message: optional(text()) }),
	copy: object({ text: text() }),
	/** Inserts code at the cursor of the active text editor, or opens it as `open-code` does. */
	insert: CODE,
	/** Opens code as a new untitled document; `language` is the fence's info string. */
	"open-code": CODE,
	/** Shows a diff between the active text editor and its text with this code. */
	compare: CODE,
	"open-link": object({ url: text() }),
};

type MessagesOf<T> = { [K in keyof T]: { readonly type: K } & Infer<T[K]> }[keyof T];

/** Message of the panel about attachments or typed text. */
export type ContextToHost = MessagesOf<typeof CONTEXT>;

/** Request of a button of a message or of the queue. */
export type AskedOfMessage = MessagesOf<typeof ASKED>;

/** Tells requests of buttons of messages and of the queue from other messages. */
export function isAskedOfMessage(message: ToHost): message is AskedOfMessage {
	return Object.hasOwn(ASKED, message.type);
}

/** Message of the panel, which is not trusted: {@link decodeToHost} validates it. */
export type ToHost = MessagesOf<typeof TO_HOST>;

/** Action of a button in the panel. */
export type PanelAction = Extract<ToHost, { type: "action" }>["action"];

/** Decodes a message of the panel without unknown fields; undefined for anything else. */
export function decodeToHost(value: unknown): ToHost | undefined {
	if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
	const { type } = value;
	if (typeof type !== "string" || !Object.hasOwn(TO_HOST, type)) return undefined;
	const schema: Schema<object> = TO_HOST[type as ToHost["type"]];
	const fields = parsed(schema, value);
	return fields && ({ type, ...fields } as ToHost);
}
