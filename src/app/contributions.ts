import type { PANEL_ROWS_TYPE } from "#protocol/context.ts";

// Names that package.json also holds; a test compares both files.

/** Id of a command of Switchboard. */
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

/** Tree views in their order. */
export const TREES = [
	VIEWS.repositories,
	VIEWS.issues,
	VIEWS.pets,
	VIEWS.store,
	VIEWS.connections,
	VIEWS.requests,
] as const;

/** Id of a tree view. */
export type TreeId = (typeof TREES)[number];

/** Keys of what the editor keeps for us, of which activation has to know: added repositories, and issues worked on. */
export const KEPT = { repositories: "switchboard.repositories", started: "switchboard.startedIssues" } as const;

/** Id of a submenu. */
export type SubmenuId = `switchboard.${"conversation" | "codehost.copy" | "petstore.copy" | "petstore.edit"}`;

/** Authentication provider for code hosts. */
export const AUTHENTICATION = { id: "switchboard-codehost", label: "Switchboard Code Host" } as const;

/** Vendor of the language models. */
export const MODEL_VENDOR = "switchboard";

/** Scheme of issue documents. */
export const ISSUE_SCHEME = "switchboard-issue";
/** Scheme of editable pets. */
export const PET_SCHEME = "switchboard-pet";
/** Scheme of users and orders of a pet store. */
export const STORE_SCHEME = "switchboard-store";
/** Scheme of pet photos. */
export const PHOTO_SCHEME = "switchboard-photo";
/** Scheme of pasted text that is edited as a file. */
export const PASTED_SCHEME = "switchboard-pasted";
/** Scheme of logged requests. */
export const REQUEST_SCHEME = "switchboard-request";
/** Scheme of one-off texts, such as a list of failures. */
export const TEXT_SCHEME = "switchboard-text";
/** Scheme of requests and attachments of messages. */
export const CHAT_SCHEME = "switchboard-chat";

/** Schemes of read-only documents. */
export const DOCUMENT_SCHEMES = [ISSUE_SCHEME, REQUEST_SCHEME, CHAT_SCHEME, TEXT_SCHEME] as const;

/** Scheme of a read-only document. */
export type DocumentScheme = (typeof DOCUMENT_SCHEMES)[number];

/** Schemes of file systems. */
export const FILE_SCHEMES = [PET_SCHEME, STORE_SCHEME, PHOTO_SCHEME, PASTED_SCHEME] as const;

/** Scheme of a file system. */
export type FileScheme = (typeof FILE_SCHEMES)[number];

/** View type of the card of a pet. */
export const PET_CARD = "switchboard.petCard";

/** Webview type of the inventory chart, absent from the manifest. */
export const INVENTORY_PANEL = "switchboard.inventory";

/** Webview type of the page of usage, absent from the manifest. */
export const USAGE_PANEL = "switchboard.usage";

/** Type of the page of an issue, a custom editor. */
export const ISSUE_PAGE = "switchboard.issue";

/** MIME type of rows dragged from trees, which the chat panel reads. */
export const ROWS_TYPE: typeof PANEL_ROWS_TYPE = "application/vnd.switchboard.rows";

/** Webview type of the chat in an editor tab; the manifest has only its activation event. */
export const CHAT_EDITOR = "switchboard.chatEditor";

/** Id of the walkthrough; the editor opens it by `EXTENSION_ID#ID`. */
export const WALKTHROUGH = "start";

/** Context keys for `when` clauses. */
export const CONTEXT = {
	/** True while the visible conversation has a reply in progress. */
	busy: "switchboard.chat.busy",
	/** True while the chat has keyboard focus, in its view or an editor. */
	focused: "switchboard.chat.focused",
	/** True while a model writes a commit message. */
	writesCommit: "switchboard.chat.writesCommitMessage",
	/** True while the box of a repository holds a commit message that a model has written. */
	wroteCommit: "switchboard.chat.wroteCommitMessage",
	hasConnections: "switchboard.hasConnections",
	/** True with a messages service, be it the sandbox. */
	hasMessages: "switchboard.messages.connected",
	/** True if messages of new conversations go to a service that the person added. */
	addedMessages: "switchboard.messages.added",
	/** True if the person added a code host. */
	addedCodehost: "switchboard.codehost.added",
	hasCodehost: "switchboard.codehost.connected",
	/** True if an added repository can be read. */
	hasRepositories: "switchboard.codehost.hasRepositories",
	hasPetstore: "switchboard.petstore.connected",
	/** Documents of pets whose last change can be undone; undefined for none. */
	changedPets: "switchboard.petstore.changedPets",
	filtered: "switchboard.codehost.filtered",
	/** True while a page of issues loads. */
	loading: "switchboard.codehost.loading",
	petstoreFiltered: "switchboard.petstore.filtered",
	/** True while pets are loaded, moved or uploaded to. */
	petstoreBusy: "switchboard.petstore.busy",
	requestsFiltered: "switchboard.requests.filtered",
} as const;

const stored = (pattern: string) => `config.switchboard.connections =~ /${pattern}/`;

/** Conditions of commands that need a connection. The setting counts as well, since the palette precedes the product. */
export const HAS = {
	stored: stored('"service"'),
	any: `${CONTEXT.hasConnections} || ${stored('"service"')}`,
	messages: `${CONTEXT.hasMessages} || ${stored('"service":"messages"')}`,
	codehost: `${CONTEXT.hasCodehost} || ${stored('"service":"codehost"')}`,
	petstore: `${CONTEXT.hasPetstore} || ${stored('"service":"petstore"')}`,
} as const;
