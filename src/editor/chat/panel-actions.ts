import * as vscode from "vscode";
import type { Conversations } from "#app/chat/conversations.ts";
import type { ChatParameters } from "#app/chat/parameters.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import type { PanelAction } from "#protocol/panel.ts";
import { editByPrompts } from "../connections/manage-connections.ts";
import { replaceSecretByPrompt } from "../connections/secret-prompts.ts";
import { withoutLinks } from "../plain.ts";
import { chatParameters } from "../settings.ts";
import { askModel, raiseMaxTokens } from "./chat-commands.ts";

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
	const again = async (change: ChatParameters = {}) => {
		if (failed !== undefined) await session.retry(failed.id, change);
	};
	const connection = failed?.connectionId === undefined ? undefined : registry.get(failed.connectionId, "messages");
	const isOwn = connection !== undefined && registry.stored().some(({ id }) => id === connection.id);
	if (connection !== undefined && !isOwn && (action === "set-key" || action === "edit-connection")) {
		const words = `${connection.label} cannot be changed. Try again, or start it anew.`;
		void vscode.window.showInformationMessage(withoutLinks(words));
		return;
	}
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
		case "select-model": {
			const model = connection === undefined ? undefined : await askModel(connection);
			if (connection === undefined || model === undefined) return;
			await registry.setModel(connection.id, model);
			await again({ model });
			return;
		}
		case "raise-max-tokens": {
			const asked = failed?.parameters.maxTokens ?? chatParameters().maxTokens ?? 0;
			const maxTokens = await raiseMaxTokens(asked);
			if (maxTokens !== undefined) await again({ maxTokens });
			return;
		}
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
