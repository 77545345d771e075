import type { ROWS_TYPE as PANEL_ROWS_TYPE } from "#protocol/context.ts";

/**
 * Every name that package.json holds too. They live here once; a test compares both files in both directions.
 */

/** Command ids: what they do is in `editor/commands.ts`. */
export const COMMANDS = {
	addConnection: "switchboard.addConnection",
	editConnection: "switchboard.editConnection",
	removeConnection: "switchboard.removeConnection",
	replaceKey: "switchboard.replaceKey",
	signIn: "switchboard.signIn",
	signOut: "switchboard.signOut",
	testConnection: "switchboard.testConnection",
	testAllConnections: "switchboard.testAllConnections",
	showConnection: "switchboard.showConnection",
	trySandbox: "switchboard.trySandbox",
	getStarted: "switchboard.getStarted",
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
	petstoreOpenPet: "switchboard.petstore.openPet",
	petstoreNewPet: "switchboard.petstore.newPet",
	petstoreEditPet: "switchboard.petstore.editPet",
	petstoreDeletePet: "switchboard.petstore.deletePet",
	petstoreUndoPetChange: "switchboard.petstore.undoPetChange",
	petstoreAskInChat: "switchboard.petstore.askInChat",
	petstoreShowInventory: "switchboard.petstore.showInventory",
	petstoreListOrders: "switchboard.petstore.listOrders",
	petstorePlaceOrder: "switchboard.petstore.placeOrder",
	petstoreOpenOrder: "switchboard.petstore.openOrder",
	petstoreDeleteOrder: "switchboard.petstore.deleteOrder",
	petstoreCreateUser: "switchboard.petstore.createUser",
	petstoreCreateUsers: "switchboard.petstore.createUsers",
	petstoreOpenUser: "switchboard.petstore.openUser",
	petstoreDeleteUser: "switchboard.petstore.deleteUser",
	petstoreLogIn: "switchboard.petstore.logIn",
	petstoreLogOut: "switchboard.petstore.logOut",
	petstoreRefreshStore: "switchboard.petstore.refreshStore",
	petstoreRefreshPets: "switchboard.petstore.refreshPets",
	petstoreFilterPets: "switchboard.petstore.filterPets",
	petstoreClearFilter: "switchboard.petstore.clearFilter",
	petstoreFindByTag: "switchboard.petstore.findByTag",
	petstoreMoveToStatus: "switchboard.petstore.moveToStatus",
	petstoreUploadPhoto: "switchboard.petstore.uploadPhoto",
	petstorePreviewPhoto: "switchboard.petstore.previewPhoto",
	petstoreStop: "switchboard.petstore.stop",
	requestsList: "switchboard.requests.list",
	requestsOpen: "switchboard.requests.open",
	requestsCopyAsCurl: "switchboard.requests.copyAsCurl",
	requestsFilter: "switchboard.requests.filter",
	requestsClearFilter: "switchboard.requests.clearFilter",
	requestsClear: "switchboard.requests.clear",
	chatSend: "switchboard.chat.send",
	chatStop: "switchboard.chat.stop",
	chatNew: "switchboard.chat.new",
	chatShowConversation: "switchboard.chat.showConversation",
	chatRegenerate: "switchboard.chat.regenerate",
	chatEdit: "switchboard.chat.edit",
	chatContinue: "switchboard.chat.continue",
	chatFork: "switchboard.chat.fork",
	chatSelectVersion: "switchboard.chat.selectVersion",
	chatListMessages: "switchboard.chat.listMessages",
	chatQueue: "switchboard.chat.queue",
	chatSetConversation: "switchboard.chat.setConversation",
	chatAddConnection: "switchboard.chat.addConnection",
	chatSelectConnection: "switchboard.chat.selectConnection",
	chatSelectModel: "switchboard.chat.selectModel",
	chatOpenInEditor: "switchboard.chat.openInEditor",
	chatAttach: "switchboard.chat.attach",
	chatAsk: "switchboard.chat.ask",
	chatShowRequest: "switchboard.chat.showRequest",
	chatSavePrompt: "switchboard.chat.savePrompt",
	chatHistory: "switchboard.chat.history",
	chatList: "switchboard.chat.list",
	chatSearch: "switchboard.chat.search",
	chatRename: "switchboard.chat.rename",
	chatPin: "switchboard.chat.pin",
	chatDelete: "switchboard.chat.delete",
	chatRestore: "switchboard.chat.restore",
	chatExport: "switchboard.chat.export",
	chatImport: "switchboard.chat.import",
	chatFind: "switchboard.chat.find",
	chatFocusLastMessage: "switchboard.chat.focusLastMessage",
	chatAccessibilityHelp: "switchboard.chat.accessibilityHelp",
} as const;

/** The id of a command of ours. */
export type CommandId = `switchboard.${string}`;

/** View containers and views. */
export const VIEWS = {
	container: "switchboard",
	repositories: "switchboard.repositories",
	issues: "switchboard.issues",
	pets: "switchboard.pets",
	store: "switchboard.store",
	connections: "switchboard.connections",
	requests: "switchboard.requests",
	chatContainer: "switchboard-chat",
	chat: "switchboard.chat",
} as const;

/** The views that are trees, in the order in which they stand. */
export const TREES = [
	VIEWS.repositories,
	VIEWS.issues,
	VIEWS.pets,
	VIEWS.store,
	VIEWS.connections,
	VIEWS.requests,
] as const;

/** The id of a view that is a tree. */
export type TreeId = (typeof TREES)[number];

/** Who offers the accounts of code hosts to the editor and to other extensions. */
export const AUTHENTICATION = { id: "switchboard-codehost", label: "Switchboard Code Host" } as const;

/** Who offers models to the editor's own Chat and to other extensions. */
export const MODEL_VENDOR = "switchboard";

/** Who answers in the editor's own Chat. */
export const PARTICIPANT = "switchboard.participant";

/** The tools that models can call: what they do is in `editor/models/tools.ts`. */
export const TOOLS = [
	"switchboard_list_issues",
	"switchboard_read_issue",
	"switchboard_find_pets",
	"switchboard_get_inventory",
	"switchboard_get_order",
	"switchboard_set_pet_status",
	"switchboard_place_order",
] as const;

/** The name of a tool of ours. */
export type ToolName = (typeof TOOLS)[number];

/** The scheme of an issue that is shown as a document. */
export const ISSUE_SCHEME = "switchboard-issue";

/** The scheme of a pet that is edited as a document. */
export const PET_SCHEME = "switchboard-pet";
/** The scheme of a pet store's users and orders that are shown as documents. */
export const STORE_SCHEME = "switchboard-store";

/** The webview type of the chart of an inventory; it has no entry in the manifest. */
export const INVENTORY_PANEL = "switchboard.inventory";
/** The scheme of a photo of a pet that is shown. */
export const PHOTO_SCHEME = "switchboard-photo";
/** The scheme of a request of the log that is shown as a document. */
export const REQUEST_SCHEME = "switchboard-request";
/** The scheme of a text that was made once, such as a list of what failed, and is shown as a document. */
export const TEXT_SCHEME = "switchboard-text";

/** What the rows of our own trees are dragged as; the chat panel knows it too. */
export const ROWS_TYPE: typeof PANEL_ROWS_TYPE = "application/vnd.switchboard.rows";

/** The scheme of what a message is sent as, and of what is attached to it, shown as documents. */
export const CHAT_SCHEME = "switchboard-chat";
/** The scheme of the document that helps with the chat. */
export const HELP_SCHEME = "switchboard-help";

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
	contextBudget: "switchboard.chat.contextBudget",
	prompts: "switchboard.chat.prompts",
	prices: "switchboard.chat.prices",
	maxAttempts: "switchboard.retry.maxAttempts",
	maxWaitSeconds: "switchboard.retry.maxWaitSeconds",
	silenceNoticeSeconds: "switchboard.silence.noticeSeconds",
	silenceLimitSeconds: "switchboard.silence.limitSeconds",
} as const;

/** The walkthrough, by the name that the editor opens it with. */
export const WALKTHROUGH = "switchboard.switchboard#start";

/** Context keys for `when` clauses. */
export const CONTEXT = {
	/** True while the conversation on screen has a reply under way. */
	busy: "switchboard.chat.busy",
	/** True while the keyboard is in the chat, in its view or in an editor. */
	focused: "switchboard.chat.focused",
	/** True once there is a connection of any kind. */
	hasConnections: "switchboard.hasConnections",
	/** True once the person has added a messages service of their own. */
	addedMessages: "switchboard.messages.added",
	/** True once the person has added a code host of their own. */
	addedCodehost: "switchboard.codehost.added",
	/** True once there is a connection to a code host. */
	hasCodehost: "switchboard.codehost.connected",
	/** True once there is a connection to a pet store. */
	hasPetstore: "switchboard.petstore.connected",
	/** The addresses of the documents of pets whose last change can be undone; undefined when there are none. */
	changedPets: "switchboard.petstore.changedPets",
	/** True while issues are filtered. */
	filtered: "switchboard.codehost.filtered",
	/** True while a page of issues is under way. */
	loading: "switchboard.codehost.loading",
	/** True while pets are filtered. */
	petstoreFiltered: "switchboard.petstore.filtered",
	/** True while pets are loaded, moved or uploaded to. */
	petstoreBusy: "switchboard.petstore.busy",
	/** True while the log of requests is filtered. */
	requestsFiltered: "switchboard.requests.filtered",
} as const;
