/**
 * Every name that package.json holds too. They live here once; a test compares both files in both directions.
 */

/** Command ids: what they do is in `editor/commands.ts`. */
export const COMMANDS = {
	addConnection: "switchboard.addConnection",
	editConnection: "switchboard.editConnection",
	removeConnection: "switchboard.removeConnection",
	replaceKey: "switchboard.replaceKey",
	signOut: "switchboard.signOut",
	testConnection: "switchboard.testConnection",
	testAllConnections: "switchboard.testAllConnections",
	showConnection: "switchboard.showConnection",
	trySandbox: "switchboard.trySandbox",
	showLog: "switchboard.showLog",
	codehostAddConnection: "switchboard.codehost.addConnection",
	codehostWhoAmI: "switchboard.codehost.whoAmI",
	codehostListInstallations: "switchboard.codehost.listInstallations",
	codehostStatus: "switchboard.codehost.status",
	codehostAddRepository: "switchboard.codehost.addRepository",
	codehostRemoveRepository: "switchboard.codehost.removeRepository",
	codehostBindRepository: "switchboard.codehost.bindRepository",
	codehostRefreshRepositories: "switchboard.codehost.refreshRepositories",
	codehostOpenRepository: "switchboard.codehost.openRepository",
	codehostListIssues: "switchboard.codehost.listIssues",
	codehostShowIssues: "switchboard.codehost.showIssues",
	codehostRefreshIssues: "switchboard.codehost.refreshIssues",
	codehostFilterIssues: "switchboard.codehost.filterIssues",
	codehostClearFilter: "switchboard.codehost.clearFilter",
	codehostSortIssues: "switchboard.codehost.sortIssues",
	codehostStopLoading: "switchboard.codehost.stopLoading",
	codehostLoadMore: "switchboard.codehost.loadMore",
	codehostRetry: "switchboard.codehost.retry",
	codehostOpenIssue: "switchboard.codehost.openIssue",
	codehostOpenIssueInBrowser: "switchboard.codehost.openIssueInBrowser",
	codehostCopyIssueNumber: "switchboard.codehost.copyIssueNumber",
	codehostCopyIssueTitle: "switchboard.codehost.copyIssueTitle",
	codehostCopyIssueLink: "switchboard.codehost.copyIssueLink",
	codehostAskInChat: "switchboard.codehost.askInChat",
	petstoreAddConnection: "switchboard.petstore.addConnection",
	petstoreSignIn: "switchboard.petstore.signIn",
	petstoreCall: "switchboard.petstore.call",
	requestsList: "switchboard.requests.list",
	requestsCopyAsCurl: "switchboard.requests.copyAsCurl",
	requestsFilter: "switchboard.requests.filter",
	requestsClearFilter: "switchboard.requests.clearFilter",
	requestsClear: "switchboard.requests.clear",
	chatSend: "switchboard.chat.send",
	chatStop: "switchboard.chat.stop",
	chatNew: "switchboard.chat.new",
	chatShowConversation: "switchboard.chat.showConversation",
	chatAddConnection: "switchboard.chat.addConnection",
	chatSelectConnection: "switchboard.chat.selectConnection",
	chatSelectModel: "switchboard.chat.selectModel",
	chatOpenInEditor: "switchboard.chat.openInEditor",
} as const;

/** The id of a command of ours. */
export type CommandId = (typeof COMMANDS)[keyof typeof COMMANDS];

/** View containers and views. */
export const VIEWS = {
	container: "switchboard",
	repositories: "switchboard.repositories",
	issues: "switchboard.issues",
	connections: "switchboard.connections",
	requests: "switchboard.requests",
	chatContainer: "switchboard-chat",
	chat: "switchboard.chat",
} as const;

/** The views that are trees, in the order in which they stand. */
export const TREES = [VIEWS.repositories, VIEWS.issues, VIEWS.connections, VIEWS.requests] as const;

/** The id of a view that is a tree. */
export type TreeId = (typeof TREES)[number];

/** Who offers the accounts of code hosts to the editor and to other extensions. */
export const AUTHENTICATION = { id: "switchboard-codehost", label: "Switchboard Code Host" } as const;

/** The scheme of an issue that is shown as a document. */
export const ISSUE_SCHEME = "switchboard-issue";

/** The webview type of the chat in an editor tab; it has no entry in the manifest but its activation event. */
export const CHAT_EDITOR = "switchboard.chatEditor";

/** Setting keys, whole. */
export const SETTINGS = {
	connections: "switchboard.connections",
	refreshMinutes: "switchboard.codehost.refreshMinutes",
	model: "switchboard.chat.model",
	maxTokens: "switchboard.chat.maxTokens",
	system: "switchboard.chat.system",
	temperature: "switchboard.chat.temperature",
	topP: "switchboard.chat.topP",
	topK: "switchboard.chat.topK",
	stopSequences: "switchboard.chat.stopSequences",
	maxAttempts: "switchboard.retry.maxAttempts",
	maxWaitSeconds: "switchboard.retry.maxWaitSeconds",
	silenceNoticeSeconds: "switchboard.silence.noticeSeconds",
	silenceLimitSeconds: "switchboard.silence.limitSeconds",
} as const;

/** Context keys for `when` clauses. */
export const CONTEXT = {
	/** True while the conversation on screen has a reply under way. */
	busy: "switchboard.chat.busy",
	/** True once there is a connection of any kind. */
	hasConnections: "switchboard.hasConnections",
	/** True once there is a connection to a code host. */
	hasCodehost: "switchboard.codehost.connected",
	/** True once there is a connection to a pet store. */
	hasPetstore: "switchboard.petstore.connected",
	/** True while issues are filtered. */
	filtered: "switchboard.codehost.filtered",
	/** True while a page of issues is under way. */
	loading: "switchboard.codehost.loading",
	/** True while the log of requests is filtered. */
	requestsFiltered: "switchboard.requests.filtered",
} as const;
