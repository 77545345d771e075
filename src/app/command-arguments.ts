import { COMMANDS, type CommandId } from "./contributions.ts";

const MESSAGES_FIELDS = ["label", "baseUrl", "profile", "key", "model"] as const;
const TOKEN_OR_APP_FIELDS = ["token", "expiresAt", "appId", "privateKey", "passphrase", "installationId"] as const;
const CODEHOST_FIELDS = ["label", "baseUrl", "profile", ...TOKEN_OR_APP_FIELDS] as const;
const PETSTORE_FIELDS = ["label", "baseUrl", "profile", "apiKey", "token", "format"] as const;
const SECRET_FIELDS = ["key", "apiKey", "token", "privateKey", "passphrase"] as const;
const REPOSITORY_FIELDS = ["repository", "connection"] as const;
const ISSUE_FIELDS = [...REPOSITORY_FIELDS, "number"] as const;

/** The fields of each command's argument; the README's table says the same, and what may be left out. */
export const ARGUMENTS: Readonly<Record<CommandId, readonly string[]>> = {
	[COMMANDS.addConnection]: ["service", ...MESSAGES_FIELDS, ...TOKEN_OR_APP_FIELDS, "apiKey", "format"],
	[COMMANDS.editConnection]: [
		...["connection", "label", "baseUrl", "profile", "format", "model", "expiresAt", "installationId"],
		...SECRET_FIELDS,
	],
	[COMMANDS.removeConnection]: ["connection"],
	[COMMANDS.replaceKey]: ["connection", ...SECRET_FIELDS],
	[COMMANDS.signOut]: ["connection"],
	[COMMANDS.testConnection]: ["connection"],
	[COMMANDS.testAllConnections]: [],
	[COMMANDS.showConnection]: ["connection"],
	[COMMANDS.trySandbox]: [],
	[COMMANDS.showLog]: [],
	[COMMANDS.codehostAddConnection]: CODEHOST_FIELDS,
	[COMMANDS.codehostWhoAmI]: ["connection"],
	[COMMANDS.codehostListInstallations]: ["connection"],
	[COMMANDS.codehostStatus]: ["connection"],
	[COMMANDS.codehostAddRepository]: REPOSITORY_FIELDS,
	[COMMANDS.codehostRemoveRepository]: REPOSITORY_FIELDS,
	[COMMANDS.codehostBindRepository]: [...REPOSITORY_FIELDS, "to"],
	[COMMANDS.codehostRefreshRepositories]: [],
	[COMMANDS.codehostOpenRepository]: REPOSITORY_FIELDS,
	[COMMANDS.codehostListIssues]: [...REPOSITORY_FIELDS, "query", "limit"],
	[COMMANDS.codehostShowIssues]: REPOSITORY_FIELDS,
	[COMMANDS.codehostRefreshIssues]: REPOSITORY_FIELDS,
	[COMMANDS.codehostFilterIssues]: ["text", "state"],
	[COMMANDS.codehostClearFilter]: [],
	[COMMANDS.codehostSortIssues]: ["sort"],
	[COMMANDS.codehostStopLoading]: [],
	[COMMANDS.codehostLoadMore]: REPOSITORY_FIELDS,
	[COMMANDS.codehostRetry]: REPOSITORY_FIELDS,
	[COMMANDS.codehostOpenIssue]: ISSUE_FIELDS,
	[COMMANDS.codehostOpenIssueInBrowser]: ISSUE_FIELDS,
	[COMMANDS.codehostCopyIssueNumber]: ISSUE_FIELDS,
	[COMMANDS.codehostCopyIssueTitle]: ISSUE_FIELDS,
	[COMMANDS.codehostCopyIssueLink]: ISSUE_FIELDS,
	[COMMANDS.codehostAskInChat]: ISSUE_FIELDS,
	[COMMANDS.petstoreAddConnection]: PETSTORE_FIELDS,
	[COMMANDS.petstoreSignIn]: ["connection"],
	[COMMANDS.petstoreCall]: ["connection", "operation", "params"],
	[COMMANDS.requestsList]: ["service", "connection", "limit"],
	[COMMANDS.requestsCopyAsCurl]: ["request"],
	[COMMANDS.requestsFilter]: ["text", "service", "failed"],
	[COMMANDS.requestsClearFilter]: [],
	[COMMANDS.requestsClear]: [],
	[COMMANDS.chatSend]: [
		...["text", "connection", "conversation", "model", "maxTokens", "system", "temperature"],
		...["topP", "topK", "stopSequences", "metadata", "stream"],
	],
	[COMMANDS.chatStop]: ["conversation"],
	[COMMANDS.chatNew]: [],
	[COMMANDS.chatAddConnection]: MESSAGES_FIELDS,
	[COMMANDS.chatShowConversation]: ["conversation"],
	[COMMANDS.chatSelectConnection]: ["connection"],
	[COMMANDS.chatSelectModel]: ["model"],
	[COMMANDS.chatOpenInEditor]: [],
};
