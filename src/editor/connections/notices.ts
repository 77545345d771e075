import * as vscode from "vscode";
import type { MessagesConnection } from "#app/connections/connection.ts";
import { COMMANDS } from "#app/contributions.ts";

/** Says where messages go now that the connection in use has gone: what a person writes must not change its reader unnoticed. */
export async function tellReplaced(gone: MessagesConnection, now: MessagesConnection): Promise<void> {
	const choose = "Choose Another";
	const text = `${gone.label} is gone. Messages now go to ${now.label} (${new URL(now.baseUrl).host}).`;
	if ((await vscode.window.showInformationMessage(text, choose)) === choose) {
		await vscode.commands.executeCommand(COMMANDS.chatSelectConnection);
	}
}
