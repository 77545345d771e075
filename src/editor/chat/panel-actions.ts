import * as vscode from "vscode";
import type { Conversations } from "#app/chat/conversations.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import type { PanelAction } from "#protocol/panel.ts";
import { editByPrompts } from "../connections/manage-connections.ts";
import { replaceSecretByPrompt } from "../connections/secret-prompts.ts";
import { raiseMaxTokens } from "./chat-commands.ts";

/** What the panel's buttons work with. */
export interface ActionParts {
	readonly conversations: Conversations;
	readonly registry: ConnectionRegistry;
}

/**
 * Does what a button in the panel asks for. What mends a failed reply asks for that reply again as soon as it is
 * mended, so that nobody has to type a message twice.
 */
export async function actForPanel(
	action: PanelAction,
	message: string | undefined,
	{ conversations, registry }: ActionParts,
): Promise<void> {
	const session = conversations.active;
	const entry = session.entries.find((each) => each.id === message);
	const failed = entry?.role === "assistant" ? entry : undefined;
	const again = async () => {
		if (failed !== undefined && failed.id === session.entries.at(-1)?.id) await session.retry(failed.id);
	};
	const connection = failed?.connectionId === undefined ? undefined : registry.get(failed.connectionId);
	switch (action) {
		case "retry":
			await again();
			return;
		case "set-key":
			if (connection !== undefined && (await replaceSecretByPrompt(connection, registry))) await again();
			return;
		case "edit-connection":
			if (connection !== undefined && (await editByPrompts(connection, registry)) !== undefined) await again();
			return;
		case "add-connection":
			if ((await vscode.commands.executeCommand(COMMANDS.chatAddConnection)) !== undefined) await again();
			return;
		case "select-model":
			if ((await vscode.commands.executeCommand(COMMANDS.chatSelectModel)) !== undefined) await again();
			return;
		case "raise-max-tokens":
			if (await raiseMaxTokens()) await again();
			return;
		case "select-connection":
			await vscode.commands.executeCommand(COMMANDS.chatSelectConnection);
			return;
		case "show-log":
			await vscode.commands.executeCommand(COMMANDS.showLog);
			return;
		case "try-sandbox":
			await vscode.commands.executeCommand(COMMANDS.trySandbox);
			return;
	}
}
