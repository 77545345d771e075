import * as vscode from "vscode";
import type { AnswerParts } from "#app/chat/ask-once.ts";
import type { ModelLists } from "#app/chat/model-lists.ts";
import { modelTool } from "./model-tool.ts";
import { answerInChat, type ParticipantParts } from "./participant.ts";
import { ModelProvider, type ProviderParts } from "./provider.ts";
import type { ToolParts } from "./tools.ts";

/** What is offered to the editor's own Chat and to other extensions. */
export interface ModelsRoom {
	readonly provider: ModelProvider;
	readonly answer: vscode.ChatRequestHandler;
	/** The tool of a name. */
	tool(name: string): Required<vscode.LanguageModelTool<object>>;
}

/** What it is offered with. */
export type ModelsParts = AnswerParts & {
	readonly models: ModelLists;
	readonly chosen: ParticipantParts["chosen"];
	readonly addConnection: ProviderParts["addConnection"];
	readonly tools: ToolParts;
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
