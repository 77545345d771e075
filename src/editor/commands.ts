import * as vscode from "vscode";
import { SERVICE_IDS } from "#app/connections/services.ts";
import { type CommandId, type SubmenuId, VIEWS } from "#app/contributions.ts";
import { ClientError } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import { inArgument } from "#base/schema.ts";
import { CHAT_COMMANDS } from "./chat/chat-commands.ts";
import { type ChatRoom, inChat } from "./chat/chat-room.ts";
import { COMMIT_COMMANDS, sourceControlRow } from "./chat/commit-commands.ts";
import { CONTEXT_COMMANDS, subjectRow } from "./chat/context-commands.ts";
import { SETTINGS_COMMANDS } from "./chat/conversation-settings.ts";
import { HISTORY_COMMANDS } from "./chat/history-commands.ts";
import { TOOL_COMMANDS } from "./chat/tool-commands.ts";
import { VERSION_COMMANDS } from "./chat/version-commands.ts";
import type { RepositoryRoom } from "./codehost/codehost.ts";
import { ISSUE_COMMANDS } from "./codehost/issue-commands.ts";
import { issueRowAt } from "./codehost/issue-documents.ts";
import { REPOSITORY_COMMANDS } from "./codehost/repository-commands.ts";
import { STARTED_COMMANDS } from "./codehost/started-commands.ts";
import { CONNECTION_COMMANDS, type ConnectionParts } from "./connections/connection-commands.ts";
import { type Call, type Command, type MenuEntry, onRows, readArgument } from "./kit/command.ts";
import { Row } from "./kit/rows.ts";
import type { Tree } from "./kit/tree.ts";
import { petRow } from "./petstore/documents.ts";
import { ORDER_COMMANDS } from "./petstore/order-commands.ts";
import { PET_COMMANDS } from "./petstore/pet-commands.ts";
import { PETSTORE_COMMANDS } from "./petstore/petstore-commands.ts";
import type { PetstoreRoom } from "./petstore/petstore-room.ts";
import { PHOTO_COMMANDS } from "./petstore/photo-commands.ts";
import { USER_COMMANDS } from "./petstore/user-commands.ts";
import { REQUEST_COMMANDS, type RequestParts } from "./requests/request-commands.ts";
import { USAGE_COMMANDS } from "./usage/usage-commands.ts";
import type { UsagePanel } from "./usage/usage-panel.ts";
import { errorInWords, showError } from "./words/show-error.ts";

interface CommandRooms {
	/** By the ids of their views. */
	readonly trees: Readonly<Record<string, Tree>>;
	readonly chat: ChatRoom;
	readonly connections: ConnectionParts;
	readonly codehost: RepositoryRoom;
	readonly petstore: PetstoreRoom;
	readonly requests: RequestParts;
	readonly usage: UsagePanel;
	/** Redacts every result, since a service may echo the secret. */
	readonly redactor: Redactor;
}

const DEFINED = [
	...bound(({ connections }) => connections, CONNECTION_COMMANDS),
	...bound(({ codehost }) => codehost, REPOSITORY_COMMANDS, ISSUE_COMMANDS, STARTED_COMMANDS),
	...bound(({ petstore }) => petstore, PETSTORE_COMMANDS, PET_COMMANDS, PHOTO_COMMANDS, ORDER_COMMANDS, USER_COMMANDS),
	...bound(({ chat }) => chat, CHAT_COMMANDS, VERSION_COMMANDS, SETTINGS_COMMANDS, HISTORY_COMMANDS),
	...bound(({ chat }) => chat, CONTEXT_COMMANDS, TOOL_COMMANDS, COMMIT_COMMANDS),
	...bound(({ requests }) => requests, REQUEST_COMMANDS),
	...bound(({ usage }) => usage, USAGE_COMMANDS),
];

/** Ids of merged commands, each with that of the command which does the same. */
const ALIASES: readonly (readonly [CommandId, CommandId])[] = [
	["switchboard.chat.attach", "switchboard.chat.ask"],
	["switchboard.codehost.askInChat", "switchboard.chat.ask"],
	["switchboard.petstore.askInChat", "switchboard.chat.ask"],
	["switchboard.chat.list", "switchboard.chat.history"],
	["switchboard.chat.search", "switchboard.chat.history"],
	["switchboard.codehost.refreshRepositories", "switchboard.codehost.refreshIssues"],
	["switchboard.petstore.newPetHere", "switchboard.petstore.newPet"],
];

/** All commands, each as a function of the rooms; the manifest and the reference are written from them. */
export const COMMAND_TABLE: readonly Command<CommandRooms>[] = [
	...DEFINED,
	...ALIASES.flatMap(([id, same]) =>
		DEFINED.filter((each) => each.id === same).map((each) => ({ ...each, id, palette: false, menus: [] })),
	),
];

/** All submenus, each with its entries in other menus; their commands name them. */
export const SUBMENUS: readonly (readonly [id: SubmenuId, label: string, menus: readonly MenuEntry[]])[] = [
	["switchboard.conversation", "Conversation", [inChat("0_conversation@3")]],
	["switchboard.petstore.edit", "Edit", onRows(VIEWS.pets, "=~ /^pet\\b/ && !listMultiSelection", "3_change@1")],
	["switchboard.codehost.copy", "Copy", onRows(VIEWS.issues, "=~ /^issue\\b/", "3_copy@1")],
	["switchboard.petstore.copy", "Copy", onRows(VIEWS.pets, "=~ /^pet\\b/", "5_copy@1")],
];

function bound<Room>(
	roomOf: (rooms: CommandRooms) => Room,
	...tables: readonly (readonly Command<Room>[])[]
): Command<CommandRooms>[] {
	return tables.flat().map((command) => ({
		...command,
		run: (call, rooms, question) => command.run(call, roomOf(rooms), question),
	}));
}

/** Commands that may refer to the conversation on screen. */
const OF_CHAT = /\.chat\.|chat$/i;

/** Two clicks on a row that are no further apart are a double click. Milliseconds. */
const DOUBLE_MS = 700;

/**
 * Runner of the commands, each with its argument or on a row of a tree with all rows `selected` there. With an argument
 * they never prompt and resolve to plain JSON.
 */
export function commandRunner(rooms: CommandRooms) {
	const commands = new Map<string, Command<CommandRooms>>(COMMAND_TABLE.map((command) => [command.id, command]));
	let last: { readonly row: Row | undefined; readonly at: number } | undefined;
	return async (id: CommandId, given: unknown, selected?: unknown): Promise<unknown> => {
		const named = commands.get(id);
		if (named === undefined) throw new Error(`There is no command ${id}`);
		const { key, args } = named.keybinding ?? {};
		const [view = ""] = args?.split("#") ?? [];
		// Of the commands on one key, the one for the kind of rows that are selected is meant.
		const chosen = args !== undefined && given === args ? (rooms.trees[view]?.selected ?? []) : undefined;
		const kind = `${view}#${chosen?.[0]?.parts.look.context.split(".")[0]}`;
		const isMeant = ({ keybinding }: typeof named) => keybinding?.key === key && keybinding?.args === kind;
		const command = chosen === undefined ? named : COMMAND_TABLE.find(isMeant);
		if (command === undefined) return undefined;
		// In the title of an editor a command gets the address of what is edited there.
		const subject = id === "switchboard.chat.ask" ? subjectRow(given, selected) : undefined;
		const row =
			given instanceof Row
				? given
				: (subject ?? chosen?.[0] ?? petRow(given) ?? issueRowAt(given) ?? sourceControlRow(given));
		const rows = [chosen ?? selected].flat().filter((each: unknown) => each instanceof Row);
		const call = { row, ...(row !== undefined && rows.length > 0 && { rows }) };
		// The editor runs the command of a row for each click of a double click, and does not mark the second one.
		const at = performance.now();
		const isDouble = row !== undefined && last?.row === row && at - last.at < DOUBLE_MS;
		last = { row, at };
		const isOfCaller =
			row === undefined && !(given instanceof vscode.Uri) && !EVENT_NAMES.some((name) => name in Object(given));
		const argument = isOfCaller ? given : undefined;
		const result = await guarded(command, { argument, ...call }, rooms);
		// Its editor is a preview until it is kept.
		if (isDouble && command.opensRow && result !== undefined) {
			await vscode.commands.executeCommand("workbench.action.keepEditor");
			await vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup");
		}
		return rooms.redactor.leaving(result);
	};
}

/** Fields of the event of a click or a key, which the menu in the title of a webview's view hands to its commands. */
const EVENT_NAMES = ["preserveFocus", "_standardKeyboardEventBrand", "_standardMouseEventBrand", "isTrusted"];

/** Runs a command. A person sees the error in a sentence; a caller that brought an argument gets it thrown. */
async function guarded(command: Command<CommandRooms>, given: Call<unknown>, rooms: CommandRooms): Promise<unknown> {
	const { argument, row } = given;
	const { registry } = rooms.connections;
	const { connection, label, service }: Readonly<Record<string, unknown>> = Object(argument);
	const named = typeof connection === "string" ? registry.get(connection) : undefined;
	const about = named?.service ?? SERVICE_IDS.find((each) => each === service);
	let call: Call | undefined;
	try {
		call = { ...given, argument: readArgument(command, argument, about) };
		// The command for which the product was loaded may come before it is known what was on screen.
		if (OF_CHAT.test(command.id)) await rooms.chat.isBack;
		return await command.run(call, rooms, command.title.replace("...", ""));
	} catch (error) {
		if (argument !== undefined && argument !== null) {
			const name = named?.label ?? (typeof label === "string" ? label : "");
			throw error instanceof ClientError ? inArgument(errorInWords(error, name), command.input ?? {}) : error;
		}
		if (error instanceof ClientError && error.code === "aborted") return undefined;
		rooms.connections.log.error(error instanceof Error ? error.message : String(error));
		const id = row?.fields["connection"] ?? call?.connection;
		const used = typeof id === "string" ? registry.get(id) : undefined;
		void showError(error, { connection: used, retry: () => guarded(command, given, rooms) });
		return undefined;
	}
}
