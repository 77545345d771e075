import * as vscode from "vscode";
import type { InputMessage } from "#api/messages/model.ts";
import { type AnswerParts, askOnce } from "#app/chat/ask-once.ts";
import type { ModelLists } from "#app/chat/model-lists.ts";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { endingWords } from "./ending-words.ts";
import { ModelProvider, type ProviderParts } from "./provider.ts";
import { modelTool, signalOf, type ToolRooms } from "./tools.ts";

/** Models, participant and tools for the editor's own Chat and for other extensions. */
export interface ModelsRoom {
	readonly provider: ModelProvider;
	readonly answer: vscode.ChatRequestHandler;
	/** The tool of a name. */
	tool(name: string): Required<vscode.LanguageModelTool<object>>;
}

/** Collaborators of {@link startModels}. */
export type ModelsParts = AnswerParts & {
	readonly models: ModelLists;
	/** Connection that messages go to. */
	readonly chosen: () => MessagesConnection | undefined;
	readonly addConnection: ProviderParts["addConnection"];
	readonly tools: ToolRooms;
};

/** Builds what stands behind the provider of models, the participant and the tools. */
export function startModels(parts: ModelsParts): ModelsRoom {
	return {
		provider: new ModelProvider(parts),
		answer: (request, context, response, token) => answerInChat(request, context, response, token, parts),
		tool: (name) => modelTool(name, parts.tools, resultOf),
	};
}

function resultOf(text: string): vscode.LanguageModelToolResult {
	return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}

/** Answers `@switchboard` in the editor's own Chat, through the connection that the panel uses too. */
export async function answerInChat(
	{ prompt, references }: vscode.ChatRequest,
	{ history }: vscode.ChatContext,
	response: vscode.ChatResponseStream,
	token: vscode.CancellationToken,
	parts: ModelsParts,
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
