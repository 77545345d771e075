import type { InputMessage, MessagesRequest } from "#api/messages/model.ts";
import { LIMITS } from "#base/limits.ts";
import type { MessagesConnection } from "../connections/connection.ts";
import type { Capabilities } from "../connections/model-capabilities.ts";
import type { ConversationFacts, Entry, ReplyEntry } from "./conversation.ts";
import { inputMessages } from "./input-messages.ts";
import { type ChatParameters, NO_EFFORT } from "./parameters.ts";
import type { ReplyParts } from "./reply-under-way.ts";

/** Connection and model of a message; the model may be empty. */
export interface Target {
	readonly connection: MessagesConnection | undefined;
	readonly model: string;
}

/** Target of a conversation's next message: its own connection, else that of its last reply, else the chosen one. */
export function targetOf(
	{ facts, entries }: { readonly facts: ConversationFacts; readonly entries: readonly Entry[] },
	{ registry, chosen, modelFor }: ReplyParts,
): Target {
	const last = entries.findLast((entry) => entry.role === "assistant");
	const ids = [facts.connection, last?.connectionId].filter((id) => id !== undefined);
	const own = ids.map((id) => registry.get(id, "messages")).find((each) => each !== undefined);
	const connection = own ?? chosen();
	return { connection, model: modelFor(connection, modelNamed(connection, facts, entries)) };
}

/** Model that a conversation names for a connection: its own, else that of its last reply if that is of the connection. */
function modelNamed(
	connection: MessagesConnection | undefined,
	facts: ConversationFacts,
	entries: readonly Entry[],
): string | undefined {
	const isOther = facts.connection !== undefined && facts.connection !== connection?.id;
	// Another connection hardly has the chosen model.
	const own = isOther ? undefined : facts.parameters?.model;
	const held = own === undefined ? entries.findLast(holdsModel) : undefined;
	return own || (held?.connectionId === connection?.id ? held?.model : undefined);
}

/** True if an entry determines the next model: not a failure without text, perhaps because of the model. */
function holdsModel(entry: Entry): entry is ReplyEntry {
	if (entry.role === "user") return false;
	return entry.ended?.outcome !== "failed" || (entry.reply?.blocks.length ?? 0) > 0;
}

/** Reply to request. */
export interface Wanted {
	readonly id: string;
	/** Path to its parent, that included. */
	readonly after: readonly Entry[];
	readonly connection: string | undefined;
	/** Parameters that override those of the conversation, which override the settings. */
	readonly own: ChatParameters;
	readonly continues: boolean;
	/** Reply of which it is another version. */
	readonly instead?: ReplyEntry | undefined;
	/** Messages and tools of a caller with a conversation of its own. */
	readonly given?: Pick<MessagesRequest, "messages" | "tools" | "toolChoice"> & {
		readonly caller: string;
		/** Instructions that follow those of the settings. */
		readonly system?: readonly string[];
	};
	readonly without?: readonly string[];
	/** True for the call of a program: a request over a limit fails at once, since nobody may be there to be asked. */
	readonly unattended?: boolean | undefined;
}

/** Prepares a reply like {@link prepare}, but first loads the list of models if that determines the model. */
export async function prepareWithModel(
	wanted: Wanted,
	facts: ConversationFacts,
	parts: ReplyParts,
	{ signal, show }: { readonly signal?: AbortSignal; readonly show?: (entry: ReplyEntry) => void } = {},
): Promise<ReturnType<typeof prepare>> {
	const first = prepare(wanted, facts, parts);
	show?.(first.entry);
	if (first.connection === undefined || first.entry.model !== "") return first;
	// The reply reports the error, since it needs the list too.
	await parts.loadModels(first.connection, signal).catch(() => undefined);
	return prepare(wanted, facts, parts);
}

/** Makes the empty entry of a reply and its request, with the tools that are on if the model takes any. */
export function prepare(
	{ id, after, connection: connectionId, own, continues, instead, given, without }: Wanted,
	facts: ConversationFacts,
	{ registry, clock, defaults, refused, capabilities, modelFor, tools: box }: ReplyParts,
) {
	const connection = connectionId === undefined ? undefined : registry.get(connectionId, "messages");
	const settings = defaults();
	const asked: ChatParameters = { ...settings, ...definedOnly(facts.parameters ?? {}), ...definedOnly(own) };
	const entries = instead === undefined ? after : [...after, instead];
	const model = modelFor(connection, own.model ?? modelNamed(connection, facts, entries));
	const abilities = capabilities(connection, model);
	const entry: ReplyEntry = {
		role: "assistant",
		id,
		parent: after.at(-1)?.id ?? "",
		continues,
		at: clock.now(),
		connectionId,
		connection: connection?.label ?? "",
		model,
		parameters: own,
		without,
		reply: undefined,
		progress: { name: "waiting", isLocal: abilities.firstByteMs > LIMITS.cloudFirstByteMs },
		startedAt: clock.monotonic(),
		firstTextAt: undefined,
		thoughts: {},
		silentSince: undefined,
		ended: undefined,
		calls: [],
	};
	const offered = () => (given === undefined ? box?.offered(facts, connection) : given.tools);
	const tools = (abilities.tools && offered()) || [];
	const messages =
		given?.messages ?? inputMessages(after, { ...abilities, tools: tools.length > 0, model, connectionId });
	const fields = fieldsOf({ ...asked, ...refused.of(connectionId, model) }, abilities);
	const { type = "disabled" } = fields.thinking ?? {};
	const isToolless = (given?.tools ?? []).length > tools.length;
	const system = given?.system && [fields.system, ...given.system, isToolless && NO_TOOLS];
	// Services refuse a forced call beside thinking.
	const isForced = given?.toolChoice === "any" && type !== "disabled";
	const request: MessagesRequest = {
		...fields,
		model,
		messages,
		...(tools.length > 0 && { tools, ...(abilities.toolChoice && { toolChoice: given?.toolChoice }) }),
		...(system && { system: system.filter(Boolean).join("\n\n") || undefined }),
		...((isForced || (type === "enabled" && endsInForeignCall(messages))) && { thinking: undefined }),
	};
	return { entry, request, connection };
}

/** Instruction for a model that gets none of the tools that its other instructions may speak of. */
const NO_TOOLS = "You have no tools here, whatever is said above. Answer in plain text, and never write a tool call.";

/** True if the last calls lack their thinking, as those of another model: services refuse a thinking budget then. */
function endsInForeignCall(messages: readonly InputMessage[]): boolean {
	const content = messages.findLast(({ role }) => role === "assistant")?.content ?? "";
	if (typeof content === "string" || !content.some(({ type }) => type === "tool_use")) return false;
	return content[0]?.type !== "thinking" && content[0]?.type !== "redacted_thinking";
}

/** Default limit of a reply in tokens, up to that of its model: thinking and calls need room. */
const LONG_REPLY = 16_000;

/** Default limit of a reply in tokens for a model with an unknown limit. */
export const SHORT_REPLY = 4_096;

/** Fields of a request that its model takes. */
export function fieldsOf(
	{ effort, ...asked }: ChatParameters,
	abilities: Capabilities,
): Omit<MessagesRequest, "model" | "messages"> {
	const { maxOutputTokens, sampling, caching, extraBody } = abilities;
	const maxTokens = Math.min(
		asked.maxTokens ?? (maxOutputTokens === null ? SHORT_REPLY : LONG_REPLY),
		maxOutputTokens ?? Number.POSITIVE_INFINITY,
	);
	const thinking = thinkingFields(effort, maxTokens, abilities);
	const thinks = thinking.thinking !== undefined && thinking.thinking.type !== "disabled";
	return {
		...asked,
		// Services refuse them beside thinking.
		...((thinks || !sampling) && { temperature: undefined, topP: undefined, topK: undefined }),
		...thinking,
		maxTokens,
		...(caching && { caching }),
		...(Object.keys(extraBody).length > 0 && { extraBody }),
	};
}

/** Minimum thinking budget of services, in tokens. */
const LEAST_THINKING = 1_024;

/** Fields for an effort that the model knows: by name, or as a budget that is a share of the reply's tokens. */
function thinkingFields(
	effort: string | undefined,
	maxTokens: number,
	{ thinking, efforts }: Capabilities,
): Pick<MessagesRequest, "thinking" | "effort"> {
	if (thinking === false || effort === undefined) return {};
	if (effort === NO_EFFORT) return { thinking: { type: "disabled" } };
	const at = efforts.indexOf(effort) + 1;
	if (at === 0) return {};
	if (thinking === "adaptive") return { thinking: { type: "adaptive" }, effort };
	const budget = Math.max(LEAST_THINKING, Math.floor((maxTokens * at) / (efforts.length + 1)));
	return budget < maxTokens ? { thinking: { type: "enabled", budget_tokens: budget } } : {};
}

/** Removes undefined fields. */
export function definedOnly<T extends object>(values: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
	const defined: Partial<T> = {};
	for (const key in values) if (values[key] !== undefined) defined[key] = values[key];
	return defined;
}

/** Parameters of a reply for a connection, without the model for another one. */
export function parametersAt(connection: string | undefined, { connectionId, parameters }: ReplyEntry): ChatParameters {
	if (connection === connectionId) return parameters;
	const { model: _, ...others } = parameters;
	return others;
}
