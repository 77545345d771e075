import * as vscode from "vscode";
import { VIEWS } from "#app/contributions.ts";

/** A button and the command that it runs. */
export interface NextStep {
	readonly label: string;
	readonly command: string;
}

/** Shows the chat, for who has to write something in it. */
export const OPEN_CHAT: NextStep = { label: "Open Chat", command: `${VIEWS.chat}.focus` };

/** Shows a person what is missing, with a button that leads to it. */
export function leadTo(sentence: string, { label, command }: NextStep): void {
	void vscode.window.showInformationMessage(sentence, label).then((choice) => {
		if (choice === label) void vscode.commands.executeCommand(command);
	});
}
