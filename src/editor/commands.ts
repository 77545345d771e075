import * as vscode from "vscode";
import { isRecord } from "#api/http/json.ts";
import { inArgumentsOf } from "#app/argument-name.ts";
import { ARGUMENTS } from "#app/command-arguments.ts";
import { COMMANDS, type CommandId } from "#app/contributions.ts";
import { ClientError } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import { refuseUnknown } from "./arguments.ts";
import { showAccessibilityHelp } from "./chat/accessibility-help.ts";
import * as chat from "./chat/chat-commands.ts";
import * as context from "./chat/context-commands.ts";
import { setConversation } from "./chat/conversation-settings.ts";
import * as history from "./chat/history-commands.ts";
import * as transfer from "./chat/transfer-commands.ts";
import * as versions from "./chat/version-commands.ts";
import { addRepository } from "./codehost/add-repository.ts";
import type { CodehostParts } from "./codehost/call.ts";
import * as credentials from "./codehost/credential-commands.ts";
import * as issues from "./codehost/issue-commands.ts";
import { listIssuesOf } from "./codehost/list-issues.ts";
import * as repositories from "./codehost/repository-commands.ts";
import { type Choosing, noting } from "./connections/choosing.ts";
import * as connections from "./connections/connection-commands.ts";
import type { Call } from "./kit/call.ts";
import type { EditorLog } from "./log.ts";
import { moveToStatus } from "./petstore/many-pets.ts";
import * as orders from "./petstore/order-commands.ts";
import * as pets from "./petstore/pet-commands.ts";
import * as petEditing from "./petstore/pet-editing.ts";
import { petRow } from "./petstore/pet-files.ts";
import type { PetRoom } from "./petstore/pet-room.ts";
import { callPetstore } from "./petstore/petstore-commands.ts";
import { previewPhoto, uploadPhotoOf } from "./petstore/photo-commands.ts";
import { signInToPetstore } from "./petstore/sign-in-command.ts";
import * as store from "./petstore/store-commands.ts";
import type { StoreRoom } from "./petstore/store-room.ts";
import * as users from "./petstore/user-commands.ts";
import { inWords, showError } from "./report.ts";
import * as requests from "./requests/request-commands.ts";
import { Row } from "./tree.ts";

/** What the commands work with. */
export interface CommandParts {
	readonly chat: chat.ChatParts;
	readonly context: context.ContextParts;
	readonly connections: connections.ConnectionParts;
	readonly codehost: CodehostParts;
	readonly issues: issues.IssueParts;
	readonly store: StoreRoom;
	readonly pets: PetRoom;
	readonly requests: requests.RequestParts;
	readonly log: EditorLog;
	/** Goes over every result: a service may well repeat the secret it was sent. */
	readonly redactor: Redactor;
	/** Draws the Repositories view again. */
	readonly refreshRepositories: () => void;
}

/**
 * A command of ours. With a plain object as its argument it asks nothing and resolves to plain JSON; without one, or on
 * a row of a tree, it may ask the person, and resolves to undefined when the person leaves.
 */
type Command = (argument: unknown, call: Call) => unknown;

/** Runs a command with its argument, or on a row of a tree with all rows that are selected there. */
export type RunCommand = (id: CommandId, argument: unknown, selected?: unknown) => Promise<unknown>;

/** Those that show what a row stands for in an editor. */
const OPENING: ReadonlySet<CommandId> = new Set([
	COMMANDS.codehostOpenIssue,
	COMMANDS.petstoreOpenOrder,
	COMMANDS.petstoreOpenPet,
	COMMANDS.petstoreOpenUser,
	COMMANDS.requestsOpen,
]);

/** Commands that may mean the conversation on screen. */
const OF_CHAT = /\.chat\.|\.askInChat$/;

/** The one table of what each command does, as a function that runs them. */
export function commandRunner(parts: CommandParts): RunCommand {
	const { log } = parts;
	const table: Record<CommandId, Command> = {
		[COMMANDS.addConnection]: (argument) => connections.addConnection(argument, parts.connections),
		[COMMANDS.editConnection]: (_, call) => connections.editConnection(call, parts.connections),
		[COMMANDS.removeConnection]: (_, call) => connections.removeConnection(call, parts.connections),
		[COMMANDS.replaceKey]: (_, call) => connections.replaceKey(call, parts.connections),
		[COMMANDS.signIn]: (_, call) => connections.signIn(call, parts.connections),
		[COMMANDS.signOut]: (_, call) => connections.signOut(call, parts.connections),
		[COMMANDS.testConnection]: (_, call) => connections.testConnection(call, parts.connections),
		[COMMANDS.testAllConnections]: (argument) => connections.testAllConnections(argument, parts.connections),
		[COMMANDS.showConnection]: (_, call) => connections.showConnection(call, parts.connections),
		[COMMANDS.trySandbox]: (argument) => connections.trySandbox(argument, parts.connections),
		[COMMANDS.getStarted]: () => connections.getStarted(),
		[COMMANDS.showLog]: () => {
			log.show();
			return {};
		},
		[COMMANDS.codehostAddConnection]: (argument) =>
			connections.addConnection(argument, { ...parts.connections, service: "codehost" }),
		[COMMANDS.codehostWhoAmI]: (_, call) => credentials.tellWhoAmI(call, parts.codehost),
		[COMMANDS.codehostListInstallations]: (_, call) => credentials.showInstallations(call, parts.codehost),
		[COMMANDS.codehostStatus]: (_, call) => credentials.showStatus(call, parts.codehost),
		[COMMANDS.codehostAddRepository]: (_, call) => addRepository(call, parts.codehost),
		[COMMANDS.codehostRemoveRepository]: (_, call) => repositories.removeRepository(call, parts.codehost),
		[COMMANDS.codehostBindRepository]: (_, call) => repositories.bindRepository(call, parts.codehost),
		[COMMANDS.codehostRefreshRepositories]: async () => {
			parts.refreshRepositories();
			return issues.refreshIssues({ argument: {}, row: undefined }, parts.issues);
		},
		[COMMANDS.codehostOpenRepository]: (_, call) => repositories.openRepository(call, parts.codehost),
		[COMMANDS.codehostListIssues]: (argument, call) =>
			argument === undefined ? issues.showIssues(call, parts.issues) : listIssuesOf(argument, parts.codehost),
		[COMMANDS.codehostShowIssues]: (_, call) => issues.showIssues(call, parts.issues),
		[COMMANDS.codehostRefreshIssues]: (_, call) => issues.refreshIssues(call, parts.issues),
		[COMMANDS.codehostFilterIssues]: (argument) => issues.filterIssues(argument, parts.issues),
		[COMMANDS.codehostClearFilter]: () => issues.clearFilter(parts.issues),
		[COMMANDS.codehostSortIssues]: (argument) => issues.sortIssues(argument, parts.issues),
		[COMMANDS.codehostStopLoading]: () => ({ stopped: parts.issues.tree.stopLoading() }),
		[COMMANDS.codehostLoadMore]: (_, call) => issues.loadMore(call, parts.issues),
		[COMMANDS.codehostRetry]: (_, call) => issues.retry(call, parts.issues),
		[COMMANDS.codehostOpenIssue]: (_, call) => issues.openIssue(call, parts.issues),
		[COMMANDS.codehostOpenIssueInBrowser]: (_, call) => issues.openIssueInBrowser(call, parts.issues),
		[COMMANDS.codehostCopyIssueNumber]: (_, call) => issues.copyOfIssue(call, parts.issues, "number"),
		[COMMANDS.codehostCopyIssueTitle]: (_, call) => issues.copyOfIssue(call, parts.issues, "title"),
		[COMMANDS.codehostCopyIssueLink]: (_, call) => issues.copyOfIssue(call, parts.issues, "link"),
		[COMMANDS.codehostAskInChat]: (_, call) => context.askAbout("issue", call, parts.context),
		[COMMANDS.petstoreAddConnection]: (argument) =>
			connections.addConnection(argument, { ...parts.connections, service: "petstore" }),
		[COMMANDS.petstoreSignIn]: (_, call) => signInToPetstore(call, parts.pets),
		[COMMANDS.petstoreCall]: (_, call) => callPetstore(call, { ...parts.pets, users: parts.store.users }),
		[COMMANDS.petstoreOpenPet]: (_, call) => petEditing.openPet(call, parts.pets),
		[COMMANDS.petstoreNewPet]: (_, call) => petEditing.newPet(call, parts.pets),
		[COMMANDS.petstoreEditPet]: (_, call) => petEditing.editPet(call, parts.pets),
		[COMMANDS.petstoreDeletePet]: (_, call) => petEditing.deletePet(call, parts.pets),
		[COMMANDS.petstoreUndoPetChange]: (_, call) => petEditing.undoPetChange(call, parts.pets),
		[COMMANDS.petstoreAskInChat]: (_, call) => context.askAbout("pet", call, parts.context),
		[COMMANDS.petstoreShowInventory]: (_, call) => store.showInventory(call, parts.store),
		[COMMANDS.petstoreListOrders]: (_, call) => orders.listOrders(call, parts.store),
		[COMMANDS.petstorePlaceOrder]: (_, call) => orders.placeOrderIn(call, parts.store),
		[COMMANDS.petstoreOpenOrder]: (_, call) => orders.openOrder(call, parts.store),
		[COMMANDS.petstoreDeleteOrder]: (_, call) => orders.deleteOrder(call, parts.store),
		[COMMANDS.petstoreCreateUser]: (_, call) => users.createUser(call, parts.store),
		[COMMANDS.petstoreCreateUsers]: (_, call) => users.createUsers(call, parts.store),
		[COMMANDS.petstoreOpenUser]: (_, call) => users.openUser(call, parts.store),
		[COMMANDS.petstoreDeleteUser]: (_, call) => users.deleteUser(call, parts.store),
		[COMMANDS.petstoreLogIn]: (_, call) => users.logIn(call, parts.store),
		[COMMANDS.petstoreLogOut]: (_, call) => users.logOut(call, parts.store),
		[COMMANDS.petstoreRefreshStore]: (_, call) => store.refreshStore(call, parts.store),
		[COMMANDS.petstoreRefreshPets]: (_, call) => pets.refreshPets(call, parts.pets),
		[COMMANDS.petstoreFilterPets]: (argument) => pets.filterPets(argument, parts.pets),
		[COMMANDS.petstoreClearFilter]: () => pets.clearPetFilter(parts.pets),
		[COMMANDS.petstoreFindByTag]: (_, call) => pets.findByTag(call, parts.pets),
		[COMMANDS.petstoreMoveToStatus]: (_, call) => moveToStatus(call, parts.pets),
		[COMMANDS.petstoreUploadPhoto]: (_, call) => uploadPhotoOf(call, parts.pets),
		[COMMANDS.petstorePreviewPhoto]: (_, call) => previewPhoto(call, parts.pets),
		[COMMANDS.petstoreStop]: () => ({ stopped: parts.pets.work.stop() }),
		[COMMANDS.requestsList]: (argument) => requests.listRequests(argument, parts.requests),
		[COMMANDS.requestsOpen]: (_, call) => requests.openRequest(call, parts.requests),
		[COMMANDS.requestsCopyAsCurl]: (_, call) => requests.copyAsCurl(call, parts.requests),
		[COMMANDS.requestsFilter]: (argument) => requests.filterRequests(argument, parts.requests),
		[COMMANDS.requestsClearFilter]: () => requests.clearFilter(parts.requests),
		[COMMANDS.requestsClear]: () => ({ cleared: parts.requests.log.clear() }),
		[COMMANDS.chatSend]: (argument) => chat.send(argument, parts.chat),
		[COMMANDS.chatStop]: (argument) => chat.stop(argument, parts.chat),
		[COMMANDS.chatNew]: (argument) => chat.newConversation(argument, parts.chat),
		[COMMANDS.chatRegenerate]: (argument) => versions.regenerate(argument, parts.chat),
		[COMMANDS.chatEdit]: (argument) => versions.edit(argument, parts.chat),
		[COMMANDS.chatContinue]: (argument) => versions.continueReply(argument, parts.chat),
		[COMMANDS.chatFork]: (argument) => versions.fork(argument, parts.chat),
		[COMMANDS.chatSelectVersion]: (argument) => versions.selectVersion(argument, parts.chat),
		[COMMANDS.chatListMessages]: (argument) => versions.listMessages(argument, parts.chat),
		[COMMANDS.chatQueue]: (argument) => versions.queue(argument, parts.chat),
		[COMMANDS.chatSetConversation]: (argument) => setConversation(argument, parts.chat),
		[COMMANDS.chatAddConnection]: (argument) =>
			connections.addConnection(argument, { ...parts.connections, service: "messages" }),
		[COMMANDS.chatShowConversation]: (argument) => chat.showConversation(argument, parts.chat),
		[COMMANDS.chatSelectConnection]: (argument, { row }) => chat.selectConnection(row?.fields ?? argument, parts.chat),
		[COMMANDS.chatSelectModel]: (argument) => chat.selectModel(argument, parts.chat),
		[COMMANDS.chatOpenInEditor]: () => {
			parts.chat.panels.openInEditor();
			return { conversation: parts.chat.conversations.active.id };
		},
		[COMMANDS.chatAttach]: (_, call) => context.attach(call, parts.context),
		[COMMANDS.chatAsk]: (_, call) => context.ask(call, parts.context),
		[COMMANDS.chatShowRequest]: (argument) => context.showRequest(argument, parts.context),
		[COMMANDS.chatSavePrompt]: (argument) => context.savePromptOf(argument, parts.context),
		[COMMANDS.chatHistory]: (argument) => history.showHistory(argument, parts.chat),
		[COMMANDS.chatList]: (argument) => history.listConversations(argument, parts.chat),
		[COMMANDS.chatSearch]: (argument) => history.searchConversations(argument, parts.chat),
		[COMMANDS.chatRename]: (_, call) => history.renameConversation(call, parts.chat),
		[COMMANDS.chatPin]: (_, call) => history.pinConversation(call, parts.chat),
		[COMMANDS.chatDelete]: (_, call) => history.deleteConversation(call, parts.chat),
		[COMMANDS.chatRestore]: (_, call) => history.restoreConversation(call, parts.chat),
		[COMMANDS.chatExport]: (_, call) => transfer.exportConversation(call, parts.chat),
		[COMMANDS.chatImport]: (argument) => transfer.importConversation(argument, parts.chat),
		[COMMANDS.chatFind]: async () => {
			await parts.chat.panels.tell({ type: "find" });
			return {};
		},
		[COMMANDS.chatFocusLastMessage]: async () => {
			await parts.chat.panels.tell({ type: "focus", where: "last-message" });
			return {};
		},
		[COMMANDS.chatAccessibilityHelp]: async () => {
			await showAccessibilityHelp();
			return {};
		},
	};

	const clicks = new Clicks();
	return async (id, given, selected) => {
		// In the title of an editor a command gets the address of what is edited there.
		const files = id === COMMANDS.chatAsk ? context.filesRow(given, selected) : undefined;
		const row = given instanceof Row ? given : (files ?? petRow(given));
		const isMany = row !== undefined && Array.isArray(selected);
		const rows = isMany ? selected.filter((each: unknown) => each instanceof Row) : [];
		const argument = row === undefined ? (given ?? undefined) : undefined;
		const run = async () => {
			refuseUnknown(argument, ARGUMENTS[id]);
			// The command for which the product was loaded may come before it is known what was on screen.
			if (OF_CHAT.test(id)) await parts.chat.isBack;
			return table[id](argument, { argument, row, ...(rows.length > 0 ? { rows } : {}) });
		};
		const isKept = OPENING.has(id) && row !== undefined && clicks.isSecond(row);
		const result = await guarded(run, { id, argument, row, parts });
		if (isKept && result !== undefined) await keepInFront();
		return parts.redactor.leaving(result);
	};
}

/** Runs a command. A person sees the error in a sentence; a caller that brought an argument gets it thrown. */
async function guarded(
	run: () => unknown,
	{ id, argument, row, parts }: Call & { readonly id: CommandId; readonly parts: CommandParts },
): Promise<unknown> {
	const chosen: Choosing = {};
	try {
		return await noting(chosen, run);
	} catch (error) {
		if (argument !== undefined) {
			throw error instanceof ClientError
				? inArgumentsOf(id, inWords(error, labelIn(argument, parts)), argument)
				: error;
		}
		if (error instanceof ClientError && error.code === "aborted") return undefined;
		parts.log.error(error instanceof Error ? error.message : String(error));
		const own = row?.fields["connection"] ?? chosen.connection;
		const connection = typeof own === "string" ? parts.connections.registry.get(own) : undefined;
		void showError(error, { connection, retry: () => guarded(run, { id, argument, row, parts }) });
		return undefined;
	}
}

/** What the connection is called that an argument names, or is to be called that it adds; empty where it says neither. */
function labelIn(argument: unknown, { connections }: CommandParts): string {
	const { connection, label } = { connection: undefined, label: undefined, ...(isRecord(argument) ? argument : {}) };
	const known = typeof connection === "string" ? connections.registry.get(connection)?.label : undefined;
	return known ?? (typeof label === "string" ? label : "");
}

/** Two clicks on a row that are no further apart are a double click. Milliseconds. */
const DOUBLE_MS = 700;

/** Knows a double click: the editor runs the command of a row for each of its two clicks, and does not tell them apart. */
export class Clicks {
	#last: { readonly row: Row; readonly at: number } | undefined;

	/** Notes that a row was clicked; whether that made a double click. */
	isSecond(row: Row): boolean {
		const at = performance.now();
		const last = this.#last;
		this.#last = { row, at };
		return last?.row === row && at - last.at < DOUBLE_MS;
	}
}

/** Keeps the editor in front when another is opened: until then it is a preview. */
export async function keepInFront(): Promise<void> {
	await vscode.commands.executeCommand("workbench.action.keepEditor");
}
