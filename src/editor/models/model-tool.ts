import type * as vscode from "vscode";
import { signalOf } from "./cancellation.ts";
import { announce, callTool, type ToolParts } from "./tools.ts";

/**
 * A tool as the editor registers it. What would write is shown to the person first, who has to agree; `result` makes the
 * editor's own result of a text.
 */
export function modelTool(
	name: string,
	parts: ToolParts,
	result: (text: string) => vscode.LanguageModelToolResult,
): Required<vscode.LanguageModelTool<object>> {
	return {
		prepareInvocation({ input }): vscode.PreparedToolInvocation {
			const { message, question } = announce(name, input, parts);
			if (question === undefined) return { invocationMessage: message };
			return { invocationMessage: message, confirmationMessages: { title: "Change a pet store", message: question } };
		},
		async invoke({ input }, token) {
			const { signal, dispose } = signalOf(token);
			try {
				return result(await callTool(name, input, { parts, signal }));
			} finally {
				dispose();
			}
		},
	};
}
