import type { PANEL_ROWS_TYPE } from "#protocol/context.ts";

/**
 * Every name that package.json holds too. They live here once; a test compares both files in both directions.
 */

/** The id of a command of ours. */
export type CommandId = `switchboard.${string}`;

/** Views. */
export const VIEWS = {
	repositories: "switchboard.repositories",
	issues: "switchboard.issues",
	pets: "switchboard.pets",
	store: "switchboard.store",
	connections: "switchboard.connections",
	requests: "switchboard.requests",
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

/** Authentication provider for the accounts of code hosts. */
export const AUTHENTICATION = { id: "switchboard-codehost", label: "Switchboard Code Host" } as const;

/** Vendor of the models in the editor's own Chat and in other extensions. */
export const MODEL_VENDOR = "switchboard";

/** The scheme of an issue that is shown as a document. */
export const ISSUE_SCHEME = "switchboard-issue";
/** The scheme of a pet that is edited as a document. */
export const PET_SCHEME = "switchboard-pet";
/** The scheme of a pet store's users and orders that are shown as documents. */
export const STORE_SCHEME = "switchboard-store";
/** The scheme of a photo of a pet that is shown. */
export const PHOTO_SCHEME = "switchboard-photo";
/** The scheme of a text that was pasted into a draft, and is edited as a file. */
export const PASTED_SCHEME = "switchboard-pasted";
/** The scheme of a request of the log that is shown as a document. */
export const REQUEST_SCHEME = "switchboard-request";
/** The scheme of a text that was made once, such as a list of what failed, and is shown as a document. */
export const TEXT_SCHEME = "switchboard-text";
/** The scheme of what a message is sent as, and of what is attached to it, shown as documents. */
export const CHAT_SCHEME = "switchboard-chat";
/** The scheme of the document that helps with the chat. */
export const HELP_SCHEME = "switchboard-help";

/** The schemes of documents that are only shown. */
export const DOCUMENT_SCHEMES = [ISSUE_SCHEME, REQUEST_SCHEME, CHAT_SCHEME, HELP_SCHEME, TEXT_SCHEME] as const;

/** The scheme of a document that is only shown. */
export type DocumentScheme = (typeof DOCUMENT_SCHEMES)[number];

/** The schemes of what is a file to the editor. */
export const FILE_SCHEMES = [PET_SCHEME, STORE_SCHEME, PHOTO_SCHEME, PASTED_SCHEME] as const;

/** The scheme of what is a file to the editor. */
export type FileScheme = (typeof FILE_SCHEMES)[number];

/** The webview type of the chart of an inventory; it has no entry in the manifest. */
export const INVENTORY_PANEL = "switchboard.inventory";

/** MIME type of rows that are dragged from our trees; the chat panel knows it too. */
export const ROWS_TYPE: typeof PANEL_ROWS_TYPE = "application/vnd.switchboard.rows";

/** The webview type of the chat in an editor tab; it has no entry in the manifest but its activation event. */
export const CHAT_EDITOR = "switchboard.chatEditor";

/** Id of the walkthrough; the editor opens it by `EXTENSION_ID#ID`. */
export const WALKTHROUGH = "start";

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
	/** True once a repository is added that a connection reads. */
	hasRepositories: "switchboard.codehost.hasRepositories",
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
