import * as vscode from "vscode";
import type { InputMessage } from "#api/messages/model.ts";
import { askOnce, type ModelReply } from "#app/chat/ask-once.ts";
import type { ChatModel, ModelLists } from "#app/chat/model-lists.ts";
import { decodeModelOptions } from "#app/chat/parameters.ts";
import type { ReplyParts } from "#app/chat/reply-under-way.ts";
import { systemClock } from "#base/clock.ts";
import { sizeOf } from "#base/tokens.ts";
import { describeEnding } from "../reply-words.ts";
import type { ToolRooms } from "./tool.ts";
import { modelTool, signalOf } from "./tools.ts";

/** Input limit of a model whose service reports none, in tokens: the service refuses more by itself. */
const ASSUMED_INPUT = 128_000;

/** Time for the editor to read the last text before an error, which discards unread text. Milliseconds. */
const LAST_TEXT_MS = 100;

/** Estimated overhead of a message, in tokens. */
const FRAME = 4;

/** Rooms that models for the editor's own Chat and for other extensions work with. */
interface ModelRooms extends Omit<ReplyParts, "tools"> {
	readonly models: ModelLists;
	/** Adds a messages connection by asking for it. */
	readonly addConnection: () => Promise<unknown>;
	readonly toolRooms: ToolRooms;
}

type Message = vscode.LanguageModelChatRequestMessage;

type Model = vscode.LanguageModelChatInformation;

/**
 * Models of the messages connections, for the editor's own Chat and for other extensions. The contract has fields for
 * text only: no tools, no images. Those in a history are replaced by a description in words.
 */
class ModelProvider implements vscode.LanguageModelChatProvider {
	readonly #parts: ModelRooms;

	constructor(parts: ModelRooms) {
		this.#parts = parts;
	}

	async provideLanguageModelChatInformation({ silent }: vscode.PrepareLanguageModelChatModelOptions) {
		const { models, registry, addConnection } = this.#parts;
		if (!silent && registry.list("messages").length === 0) await addConnection();
		return (await models.all()).map((model) => this.#offer(model));
	}

	/** Reports text as it comes, then the tokens. Rejects for a reply that is no whole one, its text reported all the same. */
	async provideLanguageModelChatResponse(
		model: Model,
		messages: readonly Message[],
		{ modelOptions = {}, toolMode, tools = [] }: vscode.ProvideLanguageModelChatResponseOptions,
		progress: vscode.Progress<vscode.LanguageModelResponsePart>,
		token: vscode.CancellationToken,
	): Promise<void> {
		if (tools.length > 0 && toolMode === vscode.LanguageModelChatToolMode.Required) {
			throw new Error(
				"The models of Switchboard call no tools: the messages API that they speak has no field for them.",
			);
		}
		const turns: InputMessage[] = [];
		const system: string[] = [];
		for (const message of messages) {
			const content = textOf(message);
			const { User, Assistant } = vscode.LanguageModelChatMessageRole;
			if (message.role === User) turns.push({ role: "user", content });
			else if (message.role === Assistant) turns.push({ role: "assistant", content });
			// The editor's own Chat has a third role, for instructions.
			else system.push(content);
		}
		const { id, version } = model;
		const connection = id.slice(0, -version.length - 1);
		const parameters = { ...decodeModelOptions(modelOptions), model: version };
		const { signal, dispose } = signalOf(token);
		const onText = (text: string) => progress.report(new vscode.LanguageModelTextPart(text));
		const asked = { connection, messages: turns, system, parameters };
		const answer = await askOnce(asked, this.#parts, { signal, onText }).finally(dispose);
		const { inputTokens, outputTokens } = answer.reply.usage;
		if (inputTokens !== null && outputTokens !== null) {
			const tokens = { prompt_tokens: inputTokens, completion_tokens: outputTokens };
			const usage = { ...tokens, total_tokens: inputTokens + outputTokens };
			progress.report(vscode.LanguageModelDataPart.json(usage, "usage"));
		}
		const label = this.#parts.registry.get(connection)?.label ?? connection;
		const error = errorOfAnswer(answer, label);
		if (error === undefined) return;
		await new Promise<void>((resolve) => systemClock.after(LAST_TEXT_MS, resolve));
		throw error;
	}

	async provideTokenCount(_model: Model, text: string | Message): Promise<number> {
		return typeof text === "string" ? sizeOf(text).tokens : FRAME + sizeOf(textOf(text)).tokens;
	}

	#offer({ id, name, connection, maxInputTokens, maxOutputTokens }: ChatModel): Model {
		return {
			// Stable across windows: the editor stores the chosen model by its id.
			id: `${connection.id}/${id}`,
			name,
			family: id,
			version: id,
			detail: connection.label,
			tooltip: `${id} at ${connection.baseUrl}`,
			maxInputTokens: maxInputTokens ?? ASSUMED_INPUT,
			maxOutputTokens: maxOutputTokens ?? this.#parts.defaults().maxTokens ?? 4096,
			// Agent and inline chat list only models that call tools.
			capabilities: { toolCalling: false, imageInput: false },
		};
	}
}

/** The text of a message or of a tool's result: tools and images become lines of it, thinking and marks are left out. */
function textOf({ content }: { readonly content: readonly unknown[] }): string {
	return content.map(partText).join("");
}

function partText(part: unknown): string {
	if (part instanceof vscode.LanguageModelTextPart) return part.value;
	if (part instanceof vscode.LanguageModelPromptTsxPart) return JSON.stringify(part.value);
	if (part instanceof vscode.LanguageModelToolCallPart) {
		return `\n[Tool call ${part.callId}: ${part.name} ${JSON.stringify(part.input)}]\n`;
	}
	if (part instanceof vscode.LanguageModelToolResultPart) return `\n[Result of ${part.callId}: ${textOf(part)}]\n`;
	if (!(part instanceof vscode.LanguageModelDataPart) || !part.mimeType.includes("/")) return "";
	if (/^text\/|^application\/json/.test(part.mimeType)) return new TextDecoder().decode(part.data);
	return `\n[Left out: ${part.mimeType}]\n`;
}

/** Words for a reply that is not complete: what happened and the next step. Undefined for a complete one. */
function endingWords(answer: ModelReply, connection: string): string | undefined {
	const { outcome, error, model } = answer;
	if (outcome === "refused") return `${connection || "The service"} refused to go on. Ask for it in another way.`;
	const card = describeEnding({ outcome, ...(error === undefined ? {} : { error }) }, { connection, model });
	return card && `${card.title} ${card.advice}`;
}

/**
 * The error by which another extension hears of a reply that is no whole one, also after text of it: `NoPermissions` where
 * the key is at fault, `NotFound` for what is not there, `Blocked` for limits and quota. The `cause` of every other has
 * the outcome or the code of the error as its `code`.
 */
function errorOfAnswer(answer: ModelReply, connection: string): Error | undefined {
	const { outcome, error } = answer;
	if (outcome === "stopped") return new vscode.CancellationError();
	const words = endingWords(answer, connection);
	if (words === undefined) return undefined;
	const { LanguageModelError } = vscode;
	if (error?.code === "rate-limited" || error?.status === 402) return LanguageModelError.Blocked(words);
	if (error?.code === "unauthorized" || error?.code === "forbidden") return LanguageModelError.NoPermissions(words);
	if (error?.code === "not-found" || error?.field === "connection") return LanguageModelError.NotFound(words);
	const cause = Object.assign(new Error(words), { code: outcome === "failed" ? error?.code : outcome });
	// The editor fills in neither for what is made with the constructor.
	return Object.assign(new LanguageModelError(words), { code: "Unknown", cause });
}

/** Models, participant and tools for the editor's own Chat and for other extensions. */
export type ModelsRoom = ReturnType<typeof startModels>;

/** Builds what stands behind the provider of models, the participant and the tools. */
export function startModels(parts: ModelRooms) {
	const answer: vscode.ChatRequestHandler = (request, context, response, token) =>
		answerInChat(request, context, response, token, parts);
	const resultOf = (text: string) => new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
	/** The tool of a name. */
	const tool = (name: string) => modelTool(name, parts.toolRooms, resultOf);
	return { provider: new ModelProvider(parts), answer, tool };
}

/** Answers `@switchboard` in the editor's own Chat, through the connection that the panel uses too. */
async function answerInChat(
	{ prompt, references }: vscode.ChatRequest,
	{ history }: vscode.ChatContext,
	response: vscode.ChatResponseStream,
	token: vscode.CancellationToken,
	parts: ModelRooms,
): Promise<vscode.ChatResult> {
	const connection = parts.chosen();
	if (references.length > 0) response.progress("What is attached is not sent: only text is");
	const { signal, dispose } = signalOf(token);
	const messages = [...history.map(turnOf), { role: "user", content: prompt }];
	const answer = await askOnce({ connection: connection?.id, messages }, parts, {
		signal,
		onText: (text) => response.markdown(text),
	});
	dispose();
	if (connection === undefined) response.button({ command: "switchboard.chat.addConnection", title: "Add a Key" });
	const message = endingWords(answer, connection?.label ?? "");
	return message === undefined ? {} : { errorDetails: { message } };
}

/** A turn of the conversation, of which the editor keeps what was shown. */
function turnOf(turn: vscode.ChatRequestTurn | vscode.ChatResponseTurn): InputMessage {
	if (turn instanceof vscode.ChatRequestTurn) return { role: "user", content: turn.prompt };
	const texts = turn.response.map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ""));
	return { role: "assistant", content: texts.join("") };
}
