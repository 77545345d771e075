import { ARGUMENTS, COMMANDS, type CommandId } from "#app/contributions.ts";
import { ClientError } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import { type Fields, fieldsOf, requiredText } from "./arguments.ts";
import * as chat from "./chat/chat-commands.ts";
import { addByPrompts, addFromArgument } from "./connections/add-connection.ts";
import {
	editByPrompts,
	editFromArgument,
	pickConnection,
	removeByPrompt,
	replaceKeyByPrompt,
	showTestResult,
	testResult,
} from "./connections/manage-connections.ts";
import type { EditorLog } from "./log.ts";
import { withProgress } from "./progress.ts";
import { showError } from "./report.ts";

/** What the commands work with. */
export interface CommandParts extends Omit<chat.ChatParts, "addConnection"> {
	readonly log: EditorLog;
	/** Goes over every result: a service may well repeat the key it was sent. */
	readonly redactor: Redactor;
	/** Starts the built-in sandbox, if it is not running, and resolves to the id of its connection. */
	readonly trySandbox: () => Promise<string>;
}

/**
 * A command of ours. With a plain object as its argument it asks nothing and resolves to plain JSON; without one it
 * asks the person, and resolves to undefined when the person leaves.
 */
type Command = (argument: unknown) => unknown;

/** The one table of what each command does, as a function that runs them. */
export function commandRunner(parts: CommandParts): (id: CommandId, argument: unknown) => Promise<unknown> {
	const { registry, panels, chosen, log, redactor } = parts;
	const trySandbox = async () => {
		const id = await parts.trySandbox();
		await chosen.choose(id);
		return id;
	};
	const addConnection = async () => {
		const added = await addByPrompts(registry, trySandbox);
		if (added !== undefined) await chosen.choose(added.id);
		return added;
	};
	const addAsTold = async (fields: Fields) => {
		const added = await addFromArgument(fields, registry);
		await chosen.choose(added.id);
		return added;
	};
	const chatParts: chat.ChatParts = { ...parts, addConnection };

	const table: Record<CommandId, Command> = {
		[COMMANDS.addConnection]: (argument) => {
			const fields = fieldsOf(argument, ARGUMENTS[COMMANDS.addConnection]);
			return fields === undefined ? addConnection() : addAsTold(fields);
		},
		[COMMANDS.editConnection]: async (argument) => {
			const fields = fieldsOf(argument, ARGUMENTS[COMMANDS.editConnection]);
			if (fields !== undefined) return editFromArgument(fields, registry);
			const connection = await pickConnection(registry.stored(), "Edit Connection");
			return connection === undefined ? undefined : editByPrompts(connection, registry);
		},
		[COMMANDS.removeConnection]: async (argument) => {
			const fields = fieldsOf(argument, ARGUMENTS[COMMANDS.removeConnection]);
			if (fields !== undefined) {
				const id = requiredText(fields, "connection");
				await registry.remove(id);
				return { removed: id };
			}
			const connection = await pickConnection(registry.stored(), "Remove Connection");
			if (connection === undefined || !(await removeByPrompt(connection, registry))) return undefined;
			return { removed: connection.id };
		},
		[COMMANDS.replaceKey]: async (argument) => {
			const fields = fieldsOf(argument, ARGUMENTS[COMMANDS.replaceKey]);
			if (fields !== undefined) {
				const id = requiredText(fields, "connection");
				await registry.replaceKey(id, requiredText(fields, "key"));
				return { id };
			}
			const connection = await pickConnection(registry.stored(), "Replace Key");
			if (connection === undefined || !(await replaceKeyByPrompt(connection, registry))) return undefined;
			return { id: connection.id };
		},
		[COMMANDS.testConnection]: async (argument) => {
			const fields = fieldsOf(argument, ARGUMENTS[COMMANDS.testConnection]);
			if (fields !== undefined) return testResult(await registry.test(requiredText(fields, "connection")));
			const connection = await pickConnection(registry.list(), "Test Connection");
			if (connection === undefined) return undefined;
			const result = await withProgress(`Testing ${connection.label}...`, (signal) =>
				registry.test(connection.id, signal),
			);
			void showTestResult(connection, result);
			return testResult(result);
		},
		[COMMANDS.trySandbox]: async (argument) => {
			const fields = fieldsOf(argument, ARGUMENTS[COMMANDS.trySandbox]);
			const messages = await trySandbox();
			if (fields === undefined) await panels.reveal();
			return { connections: { messages } };
		},
		[COMMANDS.showLog]: () => {
			log.show();
			return {};
		},
		[COMMANDS.chatSend]: (argument) => chat.send(argument, chatParts),
		[COMMANDS.chatStop]: (argument) => chat.stop(argument, chatParts),
		[COMMANDS.chatNew]: (argument) => chat.newConversation(argument, chatParts),
		[COMMANDS.chatShowConversation]: (argument) => chat.showConversation(argument, chatParts),
		[COMMANDS.chatSelectConnection]: (argument) => chat.selectConnection(argument, chatParts),
		[COMMANDS.chatSelectModel]: (argument) => chat.selectModel(argument, chatParts),
		[COMMANDS.chatOpenInEditor]: (argument) => {
			fieldsOf(argument, ARGUMENTS[COMMANDS.chatOpenInEditor]);
			panels.openInEditor();
			return { conversation: parts.conversations.active.id };
		},
	};

	return async (id, argument) => redactor.redactAll(await guarded(table[id], argument, log));
}

/** Runs a command. A person sees the error in a sentence; a caller that brought an argument gets it thrown. */
async function guarded(run: Command, argument: unknown, log: EditorLog): Promise<unknown> {
	try {
		return await run(argument);
	} catch (error) {
		if (argument !== undefined && argument !== null) throw error;
		if (error instanceof ClientError && error.code === "aborted") return undefined;
		log.error(error instanceof Error ? error.message : String(error));
		void showError(error);
		return undefined;
	}
}
