import * as vscode from "vscode";
import { isRecord } from "#api/http/json.ts";
import type { BlockDelta } from "#api/messages/model.ts";
import { callsOf } from "#api/messages/tool-calls.ts";
import { askOnce, type ModelReply } from "#app/chat/ask-once.ts";
import { replyText } from "#app/chat/conversation.ts";
import type { ChatModel, ModelLists } from "#app/chat/model-lists.ts";
import { decodeModelOptions } from "#app/chat/parameters.ts";
import type { ReplyParts } from "#app/chat/reply-under-way.ts";
import { SHORT_REPLY } from "#app/chat/request-target.ts";
import { isLocalEngine } from "#app/connections/messages-profiles.ts";
import type { Capabilities } from "#app/connections/model-capabilities.ts";
import { capitalized } from "#base/one-line.ts";
import { sizeOf } from "#base/tokens.ts";
import { plainLine } from "../kit/text.ts";
import { setting } from "../settings.ts";
import { smallContextWords } from "../words/editor-chat-words.ts";
import { modelReplyWords, withoutToolsWords } from "../words/reply-words.ts";
import {
	definedTools,
	historyMessages,
	messageTokens,
	ownLine,
	partsText,
	thinkingId,
	thinkingMark,
	thinkingMetadata,
} from "./history.ts";
import type { ToolRooms } from "./tool.ts";
import { modelTool, signalOf } from "./tools.ts";

/** Input limit of a model without a known one, in tokens; services refuse longer input themselves. */
const ASSUMED_INPUT = 128_000;

/** Input limit assumed for Ollama, which silently truncates to its context. Tokens. */
const ASSUMED_OLLAMA_INPUT = 8_192;

interface ModelRooms extends Omit<ReplyParts, "tools"> {
	readonly models: ModelLists;
	readonly addConnection: () => Promise<unknown>;
	readonly toolRooms: ToolRooms;
}

type Message = vscode.LanguageModelChatRequestMessage;

/** Language models of the messages connections for the editor's Chat and other extensions. */
function modelProvider(parts: ModelRooms) {
	const { models, registry, addConnection, log } = parts;

	function offer({ id, name, connection, ...served }: ChatModel): vscode.LanguageModelChatInformation {
		const capabilities = parts.capabilities(connection, id);
		const { tools, images, contextTokens } = capabilities;
		const output = capabilities.maxOutputTokens ?? served.maxOutputTokens ?? parts.defaults().maxTokens ?? SHORT_REPLY;
		const assumed = connection.profile === "ollama" ? ASSUMED_OLLAMA_INPUT : ASSUMED_INPUT;
		// Some services allow a reply as long as the window, which leaves nothing for what is asked.
		const input = contextTokens === null ? null : Math.max(contextTokens - output, Math.ceil(contextTokens / 2));
		return {
			// Stable across windows: the editor stores the chosen model by its id.
			id: `${connection.id}/${id}`,
			name,
			family: id,
			version: id,
			detail: connection.label,
			tooltip: `${id} at ${connection.baseUrl}`,
			maxInputTokens: input ?? served.maxInputTokens ?? assumed,
			maxOutputTokens: output,
			// Agent and inline chat list only models that call tools.
			capabilities: { toolCalling: tools, imageInput: images },
			...pickerFields(capabilities, { ...served, connection }),
		};
	}

	return {
		async provideLanguageModelChatInformation({ silent }) {
			if (!silent && registry.list("messages").length === 0) await addConnection();
			return (await models.all()).map(offer);
		},

		/**
		 * Streams text and thinking, then reports calls, a state marker and usage. An incomplete reply with text ends in a line
		 * of ours, without its calls: some surfaces drop all text of a rejected one. Rejects for one without text.
		 */
		async provideLanguageModelChatResponse(model, messages, options, progress, token) {
			const other = otherExtension(options);
			if (other !== undefined && !setting("switchboard.models.otherExtensions")) {
				throw vscode.LanguageModelError.NoPermissions(NOT_FOR_OTHERS);
			}
			const { id, version } = model;
			const { tools: given = [], toolMode } = options;
			const connection = id.slice(0, -version.length - 1);
			const capabilities = parts.capabilities(registry.get(connection, "messages"), version);
			const isRequired = given.length > 0 && toolMode === vscode.LanguageModelChatToolMode.Required;
			if (isRequired && !(capabilities.tools && capabilities.toolChoice)) {
				throw new Error(`${model.name} cannot be made to call a tool. Choose another model, or require no call.`);
			}
			const all = definedTools(given);
			const defined = all.filter(({ isUsable }) => isUsable);
			for (const { tool } of all.filter(({ isUsable }) => !isUsable)) {
				log.warn(`Tool ${plainLine(tool.name)} is left out: its input is not described as an object.`);
			}
			const tools = defined.map(({ definition }) => definition);
			const names = new Map(defined.map(({ tool, definition }) => [tool.name, definition.name]));
			const reader = { ...capabilities, tools: capabilities.tools && tools.length > 0, model: id, names };
			const effort = chosenEffort(options, capabilities.efforts);
			const own = decodeModelOptions(options.modelOptions ?? {});
			const parameters = { ...(effort === undefined ? {} : { effort }), ...own, model: version };
			const question = {
				caller: other ?? "Editor's Chat",
				connection,
				tools,
				parameters,
				...askedOf(messages, reader),
				...(isRequired && { toolChoice: "any" as const }),
			};
			const answer = await askOnce(question, parts, {
				signal: signalOf(token),
				onText: (text) => progress.report(new vscode.LanguageModelTextPart(text)),
				onBlock: (delta, { id: reply }) => reportThinking(progress, delta, thinkingId(id, reply, delta.block.key)),
			});
			const { reply, outcome } = answer;
			const text = replyText(reply);
			const hasText = text.trim() !== "";
			if (outcome === "stopped") {
				// The editor takes nothing more after a cancellation.
				if (hasText) return;
				throw new vscode.CancellationError();
			}
			const calls = callsOf(reply, outcome, tools);
			const ending = modelReplyWords(answer, calls, registry.labelOf(connection));
			if (ending !== undefined && !hasText) throw errorOfAnswer(answer, ending);
			// The service may have refused the tools only now.
			const isToolless = tools.length > 0 && !parts.capabilities(registry.get(connection, "messages"), version).tools;
			const aside = withoutToolsWords(model.name.replaceAll("*", ""));
			const isNew = isToolless && hasText && !messages.some(({ content }) => partsText(content).includes(aside));
			const line = [isNew && aside, ending].filter(Boolean).join(" ");
			if (line !== "") progress.report(new vscode.LanguageModelTextPart(ownLine(text, line)));
			for (const call of ending === undefined ? calls : []) {
				const name = defined.find(({ definition }) => definition.name === call.name)?.tool.name ?? call.name;
				if ("input" in call) progress.report(new vscode.LanguageModelToolCallPart(call.id, name, call.input));
			}
			const mark = thinkingMark(id, reply.blocks);
			if (mark !== undefined) progress.report(vscode.LanguageModelDataPart.text(mark, "stateful_marker"));
			const { inputTokens, outputTokens, cachedTokens } = reply.usage;
			if (inputTokens !== null && outputTokens !== null) {
				const usage = {
					prompt_tokens: inputTokens,
					completion_tokens: outputTokens,
					total_tokens: inputTokens + outputTokens,
					...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
				};
				progress.report(vscode.LanguageModelDataPart.json(usage, "usage"));
			}
		},

		async provideTokenCount(_model, text) {
			return typeof text === "string" ? sizeOf(text).tokens : messageTokens(text.content);
		},
	} satisfies vscode.LanguageModelChatProvider;
}

/** Messages of a caller for a request, and its system instructions. */
function askedOf(messages: readonly Message[], reader: Parameters<typeof historyMessages>[1]) {
	const { User, Assistant } = vscode.LanguageModelChatMessageRole;
	const isTurn = ({ role }: Message) => role === User || role === Assistant;
	const turns = messages.filter(isTurn).map(({ role, content }) => {
		return { role: role === User ? "user" : "assistant", content } as const;
	});
	// The editor's own Chat has a third role, for instructions.
	const system = messages.filter((message) => !isTurn(message)).map(({ content }) => partsText(content));
	return { messages: historyMessages(turns, reader), system };
}

/** Error of a reply without text; where no class fits, its `cause` has the outcome or error code. */
function errorOfAnswer({ outcome, error }: ModelReply, words: string): Error {
	const { LanguageModelError } = vscode;
	const isUsedUp = error?.code === "rate-limited" || error?.reason === "over-budget";
	if (isUsedUp || error?.status === 402) return LanguageModelError.Blocked(words);
	if (error?.code === "unauthorized" || error?.code === "forbidden") return LanguageModelError.NoPermissions(words);
	if (error?.code === "not-found" || error?.field === "connection") return LanguageModelError.NotFound(words);
	const cause = Object.assign(new Error(words), { code: outcome === "failed" ? error?.code : outcome });
	// The editor fills in neither for what is made with the constructor.
	return Object.assign(new LanguageModelError(words), { code: "Unknown", cause });
}

/** Creates the model provider and the tools. */
export function startModels(parts: ModelRooms) {
	const resultOf = (text: string) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
	return { provider: modelProvider(parts), tool: (name: string) => modelTool(name, parts.toolRooms, resultOf) };
}

// Parts of the editor's Chat beyond the published types, as of VS Code 1.139; other editors ignore them.

const NOT_FOR_OTHERS =
	"Switchboard's models are off for other extensions. Turn on switchboard.models.otherExtensions in the settings.";

const EDITOR_CALLERS: ReadonlySet<string> = new Set(["core", "github.copilot-chat"]);

/** Name of another extension that uses a model; undefined for the editor and unknown callers. */
function otherExtension(options: object): string | undefined {
	const caller: unknown = Reflect.get(options, "requestInitiator");
	if (typeof caller !== "string" || EDITOR_CALLERS.has(caller.toLowerCase())) return undefined;
	return `Another extension (${plainLine(caller)})`;
}

/** Name of the effort option, as in the editor's own models. */
const EFFORT = "reasoningEffort";

/** Effort of the settings or the service. */
const AUTO = "auto";

/** Fields of the model picker: efforts, context window, category, price, and warnings. */
function pickerFields(
	capabilities: Capabilities,
	{ connection, price, retiresAt }: Pick<ChatModel, "connection" | "price" | "retiresAt">,
): object {
	const { efforts, contextTokens } = capabilities;
	const small = smallContextWords(capabilities, connection.profile);
	const warnings = {
		...(retiresAt && { retires: `Retires on ${retiresAt}. Choose another model before then.` }),
		...(small && { small }),
	};
	const effort = {
		type: "string",
		title: "Thinking Effort",
		group: "navigation",
		default: AUTO,
		enum: [AUTO, ...efforts],
		enumItemLabels: [AUTO, ...efforts].map(capitalized),
	};
	return {
		...(efforts.length === 0 ? {} : { configurationSchema: { properties: { [EFFORT]: effort } } }),
		...(contextTokens === null ? {} : { maxContextWindowTokens: contextTokens }),
		...(isLocalEngine(connection) ? { category: "local" } : {}),
		// The fields for costs count in the editor's own credits.
		...(price && { pricing: `${price.input} in, ${price.output} out per million tokens (${price.currency})` }),
		...(Object.keys(warnings).length > 0 && {
			statusIcon: new vscode.ThemeIcon("warning"),
			warningText: warnings,
		}),
	};
}

/** Effort chosen in the picker or by an agent host; undefined for none. */
function chosenEffort(options: object, efforts: readonly string[]): string | undefined {
	const configurations: unknown[] = [Reflect.get(options, "modelConfiguration"), Reflect.get(options, "configuration")];
	const chosen = configurations.map((each) => (isRecord(each) ? each[EFFORT] : undefined));
	return efforts.find((each) => chosen.includes(each));
}

/** Reports a change of thinking, with its signature at its end, if the editor has a class for it. */
function reportThinking(
	progress: vscode.Progress<vscode.LanguageModelResponsePart>,
	{ block, appended }: BlockDelta,
	id: string,
): void {
	const Part: unknown = Reflect.get(vscode, "LanguageModelThinkingPart");
	const metadata = thinkingMetadata(block);
	const isNews = metadata !== undefined || (block.type === "thinking" && appended);
	// Progress takes it at run time; its type is not published.
	if (isNews && typeof Part === "function")
		progress.report(Reflect.construct(Part, [appended ?? "", id, metadata]) as vscode.LanguageModelTextPart);
}
