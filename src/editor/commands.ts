import { ARGUMENTS } from "#app/command-arguments.ts";
import { COMMANDS, type CommandId } from "#app/contributions.ts";
import { ClientError } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import { refuseUnknown } from "./arguments.ts";
import * as chat from "./chat/chat-commands.ts";
import { addRepository } from "./codehost/add-repository.ts";
import type { Call, CodehostParts } from "./codehost/call.ts";
import * as credentials from "./codehost/credential-commands.ts";
import * as issues from "./codehost/issue-commands.ts";
import { listIssuesOf } from "./codehost/list-issues.ts";
import * as repositories from "./codehost/repository-commands.ts";
import * as connections from "./connections/connection-commands.ts";
import type { EditorLog } from "./log.ts";
import { callPetstore, type PetstoreParts } from "./petstore/petstore-commands.ts";
import { signInToPetstore } from "./petstore/sign-in-command.ts";
import { showError } from "./report.ts";
import * as requests from "./requests/request-commands.ts";
import { Row } from "./tree.ts";

/** What the commands work with. */
export interface CommandParts {
	readonly chat: chat.ChatParts;
	readonly connections: connections.ConnectionParts;
	readonly codehost: CodehostParts;
	readonly issues: issues.IssueParts;
	readonly petstore: PetstoreParts;
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

/** The one table of what each command does, as a function that runs them. */
export function commandRunner(parts: CommandParts): (id: CommandId, argument: unknown) => Promise<unknown> {
	const { log } = parts;
	const table: Record<CommandId, Command> = {
		[COMMANDS.addConnection]: (argument) => connections.addConnection(argument, parts.connections),
		[COMMANDS.editConnection]: (_, call) => connections.editConnection(call, parts.connections),
		[COMMANDS.removeConnection]: (_, call) => connections.removeConnection(call, parts.connections),
		[COMMANDS.replaceKey]: (_, call) => connections.replaceKey(call, parts.connections),
		[COMMANDS.signOut]: (_, call) => connections.signOut(call, parts.connections),
		[COMMANDS.testConnection]: (_, call) => connections.testConnection(call, parts.connections),
		[COMMANDS.testAllConnections]: (argument) => connections.testAllConnections(argument, parts.connections),
		[COMMANDS.showConnection]: (_, call) => connections.showConnection(call, parts.connections),
		[COMMANDS.trySandbox]: (argument) => connections.trySandbox(argument, parts.connections),
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
		[COMMANDS.codehostAskInChat]: (_, call) => issues.askInChat(call, parts.issues),
		[COMMANDS.petstoreAddConnection]: (argument) =>
			connections.addConnection(argument, { ...parts.connections, service: "petstore" }),
		[COMMANDS.petstoreSignIn]: (_, call) => signInToPetstore(call, parts.petstore),
		[COMMANDS.petstoreCall]: (_, call) => callPetstore(call, parts.petstore),
		[COMMANDS.requestsList]: (argument) => requests.listRequests(argument, parts.requests),
		[COMMANDS.requestsCopyAsCurl]: (_, call) => requests.copyAsCurl(call, parts.requests),
		[COMMANDS.requestsFilter]: (argument) => requests.filterRequests(argument, parts.requests),
		[COMMANDS.requestsClearFilter]: () => requests.clearFilter(parts.requests),
		[COMMANDS.requestsClear]: () => ({ cleared: parts.requests.log.clear() }),
		[COMMANDS.chatSend]: (argument) => chat.send(argument, parts.chat),
		[COMMANDS.chatStop]: (argument) => chat.stop(argument, parts.chat),
		[COMMANDS.chatNew]: (argument) => chat.newConversation(argument, parts.chat),
		[COMMANDS.chatAddConnection]: (argument) =>
			connections.addConnection(argument, { ...parts.connections, service: "messages" }),
		[COMMANDS.chatShowConversation]: (argument) => chat.showConversation(argument, parts.chat),
		[COMMANDS.chatSelectConnection]: (argument, { row }) => chat.selectConnection(row?.fields ?? argument, parts.chat),
		[COMMANDS.chatSelectModel]: (argument) => chat.selectModel(argument, parts.chat),
		[COMMANDS.chatOpenInEditor]: () => {
			parts.chat.panels.openInEditor();
			return { conversation: parts.chat.conversations.active.id };
		},
	};

	return async (id, given) => {
		const row = given instanceof Row ? given : undefined;
		const argument = row === undefined ? (given ?? undefined) : undefined;
		const run = () => {
			refuseUnknown(argument, ARGUMENTS[id]);
			return table[id](argument, { argument, row });
		};
		return parts.redactor.redactAll(await guarded(run, { argument, row, parts }));
	};
}

/** Runs a command. A person sees the error in a sentence; a caller that brought an argument gets it thrown. */
async function guarded(
	run: () => unknown,
	{ argument, row, parts }: Call & { readonly parts: CommandParts },
): Promise<unknown> {
	try {
		return await run();
	} catch (error) {
		if (argument !== undefined) throw error;
		if (error instanceof ClientError && error.code === "aborted") return undefined;
		parts.log.error(error instanceof Error ? error.message : String(error));
		const id = row?.fields["connection"];
		const connection = typeof id === "string" ? parts.connections.registry.get(id) : undefined;
		void showError(error, { connection, retry: () => guarded(run, { argument, row, parts }) });
		return undefined;
	}
}
