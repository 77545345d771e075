import * as vscode from "vscode";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { COMMANDS, SETTINGS } from "#app/contributions.ts";

/** Says where messages go now that the connection in use has gone: what a person writes must not change its reader unnoticed. */
export async function tellReplaced(gone: MessagesConnection, now: MessagesConnection): Promise<void> {
	const choose = "Choose Another";
	const text = `${gone.label} is gone. Messages now go to ${now.label} (${new URL(now.baseUrl).host}).`;
	if ((await vscode.window.showInformationMessage(text, choose)) === choose) {
		await vscode.commands.executeCommand(COMMANDS.chatSelectConnection);
	}
}

/** Says that entries of the settings cannot be used: without a word, a slip of the pen looks like a lost connection. */
export async function tellProblems(problems: readonly string[]): Promise<void> {
	const open = "Open Settings";
	const more = problems.length === 1 ? "" : ` And ${problems.length - 1} more.`;
	const text = `A connection in the settings cannot be used: ${problems[0]}.${more}`;
	if ((await vscode.window.showWarningMessage(text, open)) === open) {
		const revealSetting = { key: SETTINGS.connections };
		await vscode.commands.executeCommand("workbench.action.openSettingsJson", { revealSetting });
	}
}
