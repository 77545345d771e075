import type * as vscode from "vscode";
import type { ConversationStore } from "#app/chat/conversation-store.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import type { ModelLists } from "#app/chat/model-lists.ts";
import type { SecretFilter } from "#app/chat/redacted-reply.ts";
import type { OpenClient, ReplyParts } from "#app/chat/reply-under-way.ts";
import type { SentRequest } from "#app/chat/request.ts";
import type { ToolApprovals } from "#app/chat/tool-box.ts";
import type { KnownSecrets } from "#app/connections/known-secrets.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CHAT_EDITOR, HAS, VIEWS } from "#app/contributions.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { Budget } from "#app/usage/budget.ts";
import type { Clock } from "#base/clock.ts";
import type { Redactor } from "#base/redaction.ts";
import type { ToPanel } from "#protocol/panel.ts";
import type { Added } from "../connections/ask-connection.ts";
import { type Call, commandsOf, inSubmenu, inTitle, type MenuEntry } from "../kit/command.ts";
import type { EditorLog } from "../log.ts";
import type { editorToolBox } from "../models/tool-box.ts";
import type { ShownTexts } from "../shown-texts.ts";
import type { AttachmentController } from "./attachment-controller.ts";
import type { ChosenConnection } from "./chosen-connection.ts";
import type { ConversationFiles } from "./conversation-files.ts";
import type { SourceRooms } from "./sources.ts";

/** Request to show. */
export interface AskedRequest {
	readonly conversation: string;
	/** Id of a reply or a turn; by default the next message. */
	readonly message?: string | undefined;
	/** Text of the next message; by default the draft. */
	readonly text?: string | undefined;
}

/** Dependencies of the chat. */
export interface ChatGround {
	readonly registry: ConnectionRegistry;
	readonly chosen: ChosenConnection;
	readonly clock: Clock;
	readonly log: EditorLog;
	readonly redactor: Redactor;
	readonly secrets: KnownSecrets;
	readonly open: OpenClient;
	readonly models: ModelLists;
	readonly extensionUri: vscode.Uri;
	/** Folder of the conversations, which may not exist yet. */
	readonly folder: string;
	/** Memory of the conversation on screen in this workspace. */
	readonly memory: KeyValueStore;
	readonly tools: ReturnType<typeof editorToolBox>;
	/** Tools that may always run without a question. */
	readonly approvals: ToolApprovals;
	readonly sources: SourceRooms;
	/** Fires when the text of a document of the chat changes. */
	readonly documentsChanged: vscode.EventEmitter<vscode.Uri>;
	readonly budget: Budget;
	/** Read-only documents. */
	readonly texts: ShownTexts;
	/** Shows an error to the person. */
	readonly report: (error: unknown) => void;
	/** Adds a connection by asking for it. */
	readonly addConnection: () => Promise<Added | undefined>;
}

/** Room of the chat, for its commands and panels. */
export interface ChatRoom extends ChatGround {
	readonly conversations: Conversations;
	/** Collaborators of a request for a reply. */
	readonly parts: ReplyParts;
	/** Store of conversations and drafts on the disk. */
	readonly store: ConversationStore;
	readonly files: ConversationFiles;
	readonly secretFilter: SecretFilter;
	readonly attachments: AttachmentController;
	readonly panels: {
		/** Shows the chat and focuses the composer. */
		reveal(): Promise<void>;
		/** Sends a message to the last used panel, and focuses it. */
		tell(message: ToPanel): Promise<void>;
		openInEditor(): void;
		composerChanged(): void;
	};
	/** Returns the request of a reply or of the next message. Rejects with `invalid`. */
	readonly request: (asked: AskedRequest) => Promise<SentRequest>;
	/** Resolves once the conversation of the last window is on screen again. */
	readonly isBack: Promise<unknown>;
}

/** Defines commands about the chat. */
export const define = commandsOf<ChatRoom>({ service: "messages", palette: HAS.messages });

/** Defines commands about the chat that are not in the palette. */
export const defineHidden = commandsOf<ChatRoom>({ service: "messages", palette: false });

/** Opens the conversation of a call, by default the one on screen. Rejects with `invalid`. */
export function sessionOf({ argument }: Call<{ readonly conversation?: string }>, { conversations }: ChatRoom) {
	return conversations.require(argument?.conversation);
}

/** Menu entry in the title of the chat's view. */
export const inChat = (group: string) => inTitle(VIEWS.chat, group);

/** Menu entry in the submenu of the conversation on screen. */
export const inConversation = (group: string) => inSubmenu("switchboard.conversation", group);

/** Menu entry in the title of the chat in an editor tab. */
export const inTab = (group: string): MenuEntry => ({
	menu: "editor/title",
	when: `activeWebviewPanelId == ${CHAT_EDITOR}`,
	group,
});
