import type { Usage } from "#base/cost.ts";
import type { ClientError } from "#base/errors.ts";
import { LIMITS } from "#base/limits.ts";
import type { Outcome } from "#base/reply.ts";
import type { CallPatience } from "../http/caller.ts";

/** Header names and values of a service (contract sections 4, 5 and 9). Absent: it takes no such header. */
export interface HeaderProfile {
	readonly versionHeader?: string;
	readonly version?: string;
	readonly keyHeader?: string;
	/** Word before the key in its header, such as `Bearer`. */
	readonly keyScheme?: string;
}

/** Way in which a service tells what its models can do: in its list of them, or at an address of its own. */
export type SelfDescription = "list" | "ollama" | "lm-studio" | "llama.cpp";

/** An image of a message, in base64. */
export interface ImageBlock {
	readonly type: "image";
	readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
}

/** Text of a message. */
export interface TextBlock {
	readonly type: "text";
	readonly text: string;
}

/** Call of a tool, replayed as the model made it. */
interface ToolUseBlock {
	readonly type: "tool_use";
	/** As it came from the same connection; letters, digits, `_` and `-` for any other. */
	readonly id: string;
	readonly name: string;
	/** Numbers may be those of `parseSourceJson`. */
	readonly input: Readonly<Record<string, unknown>>;
}

/** Result of a call, in the user's message that follows it. */
export interface ToolResultBlock {
	readonly type: "tool_result";
	readonly tool_use_id: string;
	readonly content: string | readonly (TextBlock | ImageBlock)[];
	readonly is_error?: true;
}

/** Content block of a sent message. The contract has text alone (section 2); the others need a capability of the model. */
export type InputBlock =
	| TextBlock
	| ImageBlock
	| { readonly type: "document"; readonly source: ImageBlock["source"]; readonly title?: string }
	| { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
	| { readonly type: "redacted_thinking"; readonly data: string }
	| ToolUseBlock
	| ToolResultBlock;

/** One turn of the conversation as sent (contract section 2, "Input message"). */
export interface InputMessage {
	readonly role: string;
	readonly content: string | readonly InputBlock[];
}

/** A tool that a model may call. */
export interface ToolDefinition {
	/** At most 64 letters, digits, `_` and `-`. */
	readonly name: string;
	readonly description: string;
	/** JSON schema of an object, without `$schema`. */
	readonly input_schema: Readonly<Record<string, unknown>>;
}

/** The documented body fields (contract section 4); `undefined` leaves a field out of the body. */
export interface MessagesRequest {
	readonly model: string;
	readonly messages: readonly InputMessage[];
	readonly maxTokens: number;
	/** True by default: the reply streams. */
	readonly stream?: boolean | undefined;
	readonly system?: string | undefined;
	readonly temperature?: number | undefined;
	readonly topP?: number | undefined;
	readonly topK?: number | undefined;
	readonly stopSequences?: readonly string[] | undefined;
	readonly metadata?: Readonly<Record<string, unknown>> | undefined;
	/** The fields from here on are beyond the contract: each is sent only by capability. */
	readonly tools?: readonly ToolDefinition[] | undefined;
	readonly toolChoice?: "auto" | "any" | undefined;
	readonly thinking?:
		| { readonly type: "adaptive" | "disabled" }
		| { readonly type: "enabled"; readonly budget_tokens: number }
		| undefined;
	/** Goes into `output_config`. */
	readonly effort?: string | undefined;
	/** True to mark the ends of what stays the same from request to request, so that the service caches it. */
	readonly caching?: boolean | undefined;
	/** Fields that a person adds to the body; none replaces one of those above. */
	readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** One content block of a reply. */
export interface Block {
	/** Unique within the reply and stable: `"0"`, or `"0.1"` for a second block on index 0. */
	readonly key: string;
	readonly index: number;
	/** The service's own type, such as `text`, `thinking` or `tool_use`. */
	readonly type: string;
	/** All text received, in order. */
	readonly text: string;
	/** False once `content_block_stop` came or the reply ended. */
	readonly open: boolean;
	/** True once `content_block_stop` came: a call without it was cut off. */
	readonly stopped?: boolean;
	/** Id and name of the call in a `tool_use` block; its input is the JSON in `text`, where no text means `{}`. */
	readonly tool?: { readonly id: string; readonly name: string };
	/** True while the input of a call is that of its start, which its deltas replace. */
	readonly announced?: boolean;
	/** True while only deltas of it have come, and not its start. */
	readonly unstarted?: boolean;
	/** Signature of a `thinking` block, or the data of a `redacted_thinking` one: sent back as it came. */
	readonly signature?: string;
}

/** Parts of a stream that are not shown. */
export interface ReplyNotes {
	/** Types of events, deltas and blocks that this client does not know, each once; 20 at most. */
	readonly unknown: readonly string[];
	/** Events whose data was not the JSON it should be. */
	readonly malformed: number;
	/** Deltas, and blocks with text, that came after `message_stop`. */
	readonly late: number;
}

/** Reply so far (contract section 2, "Message", and section 3). */
export interface Reply {
	readonly id: string | null;
	readonly model: string | null;
	readonly role: string | null;
	/** Sorted by index, and by arrival within an index. */
	readonly blocks: readonly Block[];
	readonly stopReason: string | null;
	readonly stopSequence: string | null;
	/** Why the service has refused, in its words; absent where it does not say. */
	readonly explanation?: string;
	/** Overwritten by what the service reports last, never added up. */
	readonly usage: Usage;
	/** True once `message_stop` arrived, or the reply was a plain JSON message. */
	readonly finished: boolean;
	/** The error the service announced inside the stream. */
	readonly error: ClientError | null;
	readonly notes: ReplyNotes;
}

/** Change of one block by one event. */
export interface BlockDelta {
	/** The block after the change. */
	readonly block: Block;
	/** Text added at its end; null if the text changed elsewhere, so that the whole of `block` counts. */
	readonly appended: string | null;
}

/** A failed try that will be repeated. */
export interface RetryNotice {
	/** Milliseconds until the next try. */
	readonly inMs: number;
	/** The number of the next try; the first try of all is 1. */
	readonly attempt: number;
	readonly error: ClientError;
}

/** Listener to a reply under way. Methods are called synchronously and in order; none after `send` has settled. */
export interface ReplyObserver {
	/** Called once a try, before its HTTP request. */
	onTry?(): void;
	/** Called when a try failed before the first text or call, and is repeated after a wait. */
	onRetry?(notice: RetryNotice): void;
	/** Called at the first event of a try, comments excluded, or at the start of a body that is no stream. */
	onFirstByte?(): void;
	/** Called from the first text, call or signature on, with the whole reply after the change. No try follows it. */
	onBlock?(delta: BlockDelta, reply: Reply): void;
	/** Called once a second with the duration of a silence beyond the notice threshold, and with null at its end. */
	onSilence?(silentMs: number | null): void;
}

/** A reply that has ended. */
export interface EndedReply {
	readonly reply: Reply;
	readonly outcome: Outcome;
	/** Present for `failed`, `interrupted` and `stalled`. */
	readonly error?: ClientError;
	/** HTTP requests made, retries included. */
	readonly requests: number;
}

/** Waits and retries of a client. Milliseconds. */
export interface MessagesPatience extends CallPatience {
	/** Silence after which the observer is notified. */
	readonly silenceNoticeMs: number;
	/** Silence before the first byte of the reply's body after which it has `stalled`; then `silenceLimitMs` holds. */
	readonly firstByteMs: number;
}

/** Default waits and retries of a client. */
export const defaultPatience: MessagesPatience = {
	maxAttempts: 4,
	maxRetryWaitMs: 60_000,
	silenceNoticeMs: 30_000,
	firstByteMs: LIMITS.cloudFirstByteMs,
	silenceLimitMs: 60_000,
};
