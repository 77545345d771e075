import type { ToolDefinition } from "#api/messages/model.ts";

/** Parts of messages as the editor's classes have them. */
class TextPart {
	readonly value: string;
	constructor(value: string) {
		this.value = value;
	}
}

class ThinkingPart {
	readonly value: string | readonly string[];
	readonly id: string | undefined;
	readonly metadata: Readonly<Record<string, unknown>> | undefined;
	constructor(value: string | readonly string[], id?: string, metadata?: Readonly<Record<string, unknown>>) {
		this.value = value;
		this.id = id;
		this.metadata = metadata;
	}
}

class ToolCallPart {
	readonly callId: string;
	readonly name: string;
	readonly input: object;
	constructor(callId: string, name: string, input: object) {
		this.callId = callId;
		this.name = name;
		this.input = input;
	}
}

class ToolResultPart {
	readonly callId: string;
	readonly content: readonly Part[];
	constructor(callId: string, content: readonly Part[]) {
		this.callId = callId;
		this.content = content;
	}
}

class DataPart {
	static text = (value: string, mimeType: string) => new DataPart(Buffer.from(value), mimeType);
	static json = (value: unknown, mimeType: string) => DataPart.text(JSON.stringify(value), mimeType);
	readonly data: Uint8Array;
	readonly mimeType: string;
	constructor(data: Uint8Array, mimeType: string) {
		this.data = data;
		this.mimeType = mimeType;
	}
}

/** Part of a message or a reply. */
export type Part = TextPart | ThinkingPart | ToolCallPart | ToolResultPart | DataPart;

/** Members of the editor's API that a provider of models works with. */
export const SURFACE_API = {
	LanguageModelTextPart: TextPart,
	LanguageModelThinkingPart: ThinkingPart,
	LanguageModelToolCallPart: ToolCallPart,
	LanguageModelToolResultPart: ToolResultPart,
	LanguageModelDataPart: DataPart,
	LanguageModelChatMessageRole: { User: 1, Assistant: 2 },
	LanguageModelChatToolMode: { Auto: 1, Required: 2 },
	CancellationError: class CancellationError extends Error {},
};

interface Message {
	readonly role: number;
	readonly content: readonly Part[];
}

/** A request of a surface to a provider; resolves to what was reported, and rejects as the provider does. */
export type Respond = (
	model: string,
	messages: readonly Message[],
	options: object,
	report: (part: Part) => void,
) => Promise<void>;

/** Question of a person or a loop of tools. */
interface Asked {
	readonly tools?: readonly Pick<ToolDefinition, "name">[];
	readonly effort?: string;
	/** Called with each part as it comes, such as for a cancellation. */
	readonly heard?: (part: Part) => void;
}

/** A reply as a person sees it. */
export interface Shown {
	readonly text: string;
	readonly calls: readonly ToolCallPart[];
	/** Message of the error that stands beside or in place of the text. */
	readonly error?: string;
	/** Tokens of the request and of the reply. */
	readonly usage?: readonly unknown[];
}

/** A conversation with models of extensions by the rules of one place in the editor. */
export interface Surface {
	ask(model: string, content: readonly Part[], asked?: Asked): Promise<Shown>;
}

const textOf = (parts: readonly Part[]) => parts.map((part) => (part instanceof TextPart ? part.value : "")).join("");
const callsOf = (parts: readonly Part[]) => parts.filter((part) => part instanceof ToolCallPart);
const dataOf = (parts: readonly Part[], mimeType: string) =>
	parts.flatMap((part) => (part instanceof DataPart && part.mimeType === mimeType ? `${part.data}` : [])).at(-1);

function usageOf(parts: readonly Part[]) {
	const usage = JSON.parse(dataOf(parts, "usage") ?? "null");
	return usage === null ? {} : { usage: [usage.prompt_tokens, usage.completion_tokens] };
}

/** Asks a provider, and gets its parts and its error. */
async function asking(respond: Respond, model: string, messages: readonly Message[], options: object, asked: Asked) {
	const parts: Part[] = [];
	const report = (part: Part) => {
		parts.push(part);
		asked.heard?.(part);
	};
	const { tools } = asked;
	const thrown = await respond(model, messages, { ...(tools && { tools }), ...options }, report).then(
		() => undefined,
		(error: Error) => error,
	);
	return { parts, thrown };
}

/**
 * The editor's Chat with the harness "Local": text stays beside an error, all thinking of a reply becomes one part with the
 * last metadata, kept for its model alone, and the marker comes back.
 */
export function localChat(respond: Respond): Surface {
	const history: { readonly role: number; readonly content: readonly Part[]; readonly by?: string }[] = [];
	return {
		async ask(model, content, asked = {}) {
			history.push({ role: 1, content });
			const messages = history.map(({ role, content: parts, by = model }) => {
				return { role, content: parts.filter((part) => by === model || !(part instanceof ThinkingPart)) };
			});
			const configuration = asked.effort === undefined ? {} : { modelConfiguration: { reasoningEffort: asked.effort } };
			const { parts, thrown } = await asking(respond, model, messages, configuration, asked);
			const said = textOf(parts);
			const thoughts = parts.filter((part) => part instanceof ThinkingPart);
			const { id, metadata } = thoughts.findLast((thought) => thought.metadata) ?? {};
			const marker = dataOf(parts, "stateful_marker")?.split("\\").slice(0, 2).join("\\");
			const kept = [
				...(marker === undefined ? [] : [DataPart.text(marker, "stateful_marker")]),
				...(thoughts.length > 0
					? [new ThinkingPart(thoughts.flatMap(({ value }) => value).join(""), id, metadata)]
					: []),
				new TextPart(said),
				...callsOf(parts),
			];
			if (thrown === undefined) history.push({ role: 2, content: kept, by: model });
			const error = thrown && { error: thrown.message || thrown.constructor.name };
			return { text: said, calls: callsOf(parts), ...error, ...usageOf(parts) };
		},
	};
}

/** Item of a conversation on the other side of the bridge, where only JSON comes. */
type Item =
	| { readonly type: "message"; readonly role: number; readonly content: readonly Part[] }
	| { readonly type: "message"; readonly role: 2; readonly text: string }
	| { readonly type: "reasoning"; readonly id?: string; readonly summary: readonly string[]; readonly sealed: string }
	| { readonly type: "call"; readonly callId: string; readonly name: string; readonly json: string };

const SEALED = ["signature", "_completeThinking", "redactedData"];

/**
 * The bridge of an agent host to models of extensions: it reads the whole reply, drops every word of one that throws, joins
 * neighboring texts, and keeps of thinking its id and three fields of its metadata. `marks` hands the marker back, in a
 * message of its own. The ids of its models begin with that of their `connection`.
 */
export function bridge(respond: Respond, connection: string, { marks = false } = {}): Surface {
	const items: Item[] = [];
	let previous: string | undefined;
	return {
		async ask(model, content, asked = {}) {
			items.push({ type: "message", role: 1, content });
			const id = `${connection}/${model}`;
			const marked = { role: 2, content: [DataPart.text(`${id}\\${previous}`, "stateful_marker")] };
			const messages = messagesOf(items);
			const configuration = asked.effort === undefined ? {} : { configuration: { reasoningEffort: asked.effort } };
			const handed = marks && previous !== undefined ? [marked, ...messages] : messages;
			const options = { includeEncryptedThinking: true, ...configuration };
			const { parts, thrown } = await asking(respond, model, handed, options, asked);
			if (thrown !== undefined) return { text: "", calls: [], error: thrown.message || thrown.constructor.name };
			const output = outputOf(parts);
			items.push(...JSON.parse(JSON.stringify(output)));
			const [of, ...value] = (dataOf(parts, "stateful_marker") ?? "").split("\\");
			previous = of === id ? value.join("\\") : undefined;
			const said = output.map((item) => ("text" in item ? item.text : "")).join("");
			return { text: said, calls: callsOf(parts), ...usageOf(parts) };
		},
	};
}

function outputOf(parts: readonly Part[]): Item[] {
	const output: Item[] = [];
	for (const part of parts) {
		const last = output.at(-1);
		if (part instanceof TextPart) {
			if (last?.type === "message" && "text" in last) output.pop();
			const before = last?.type === "message" && "text" in last ? last.text : "";
			output.push({ type: "message", role: 2, text: before + part.value });
		} else if (part instanceof ThinkingPart && part.metadata?.["vscode_reasoning_done"] !== true) {
			const fields = Object.entries(part.metadata ?? {});
			const travels = fields.filter(
				([name, value]) => SEALED.includes(name) && typeof value === "string" && value !== "",
			);
			const sealed = travels.length === 0 ? "" : JSON.stringify(Object.fromEntries(travels));
			const before = last?.type === "reasoning" && last.id === part.id ? last : undefined;
			if (before !== undefined) output.pop();
			output.push({
				type: "reasoning",
				...(part.id !== undefined && { id: part.id }),
				summary: [[...(before?.summary ?? []), ...[part.value].flat()].join("")],
				sealed: sealed || before?.sealed || "",
			});
		} else if (part instanceof ToolCallPart) {
			output.push({ type: "call", callId: part.callId, name: part.name, json: JSON.stringify(part.input) });
		}
	}
	return output;
}

function messagesOf(items: readonly Item[]): Message[] {
	const messages: Message[] = [];
	for (const item of items) {
		const role = item.type === "message" ? item.role : 2;
		const content = partsOf(item);
		const last = messages.at(-1);
		if (role === 2 && last?.role === 2)
			messages[messages.length - 1] = { role, content: [...last.content, ...content] };
		else messages.push({ role, content });
	}
	return messages;
}

function partsOf(item: Item): readonly Part[] {
	if (item.type === "reasoning") return [new ThinkingPart(item.summary, item.id, JSON.parse(item.sealed || "{}"))];
	if (item.type === "call") return [new ToolCallPart(item.callId, item.name, JSON.parse(item.json))];
	return "text" in item ? [new TextPart(item.text)] : item.content;
}
