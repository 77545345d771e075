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
import { CHAT_EDITOR, VIEWS } from "#app/contributions.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { Clock } from "#base/clock.ts";
import type { Redactor } from "#base/redaction.ts";
import type { ToPanel } from "#protocol/panel.ts";
import type { Added } from "../connections/ask-connection.ts";
import { type Call, commandsOf, inTitle, type MenuEntry } from "../kit/command.ts";
import type { EditorLog } from "../log.ts";
import type { EditorToolBox } from "../models/tool-box.ts";
import type { ShownTexts } from "../shown-texts.ts";
import type { AttachmentController } from "./attachment-controller.ts";
import type { ChosenConnection } from "./chosen-connection.ts";
import type { ConversationFiles } from "./conversation-files.ts";
import type { SourceRooms } from "./sources.ts";

/** Request that is meant. */
export interface AskedRequest {
	readonly conversation: string;
	/** The id of a reply, or of a turn; the next message where absent. */
	readonly message?: string | undefined;
	/** Text of the next message; the draft if absent. */
	readonly text?: string | undefined;
}

/** Rooms of the product that the chat is built on. */
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
	/** Folder of the conversations; it need not exist yet. */
	readonly folder: string;
	/** Remembers which conversation is on screen in this workspace. */
	readonly memory: KeyValueStore;
	/** Tools that models can call. */
	readonly tools: EditorToolBox;
	/** Tools that may always run without a question. */
	readonly approvals: ToolApprovals;
	/** Sources of attachments. */
	readonly sources: SourceRooms;
	/** Fires when the text of a document of the chat changes. */
	readonly documentsChanged: vscode.EventEmitter<vscode.Uri>;
	/** Read-only documents of texts that were made once. */
	readonly texts: ShownTexts;
	/** Shows an error to the person. */
	readonly report: (error: unknown) => void;
	/** Adds a connection by asking for it. */
	readonly addConnection: () => Promise<Added | undefined>;
}

/** The room of the chat: all that its commands and panels work with. */
export interface ChatRoom extends ChatGround {
	readonly conversations: Conversations;
	/** Collaborators of a request for a reply. */
	readonly parts: ReplyParts;
	/** Keeps conversations and drafts on the disk. */
	readonly store: ConversationStore;
	readonly files: ConversationFiles;
	/** Keeps secrets out of what is passed on. */
	readonly secretFilter: SecretFilter;
	readonly attachments: AttachmentController;
	/** Read-only documents of the chat. */
	readonly documents: {
		/** Shows a request; one that is shown already is made anew. */
		showRequest(asked: AskedRequest): Promise<void>;
	};
	/** Places where the chat is shown. */
	readonly panels: {
		/** Brings the chat into sight and puts the cursor into the composer. */
		reveal(): Promise<void>;
		/** Sends a message to the panel that was used last, and focuses it. */
		tell(message: ToPanel): Promise<void>;
		openInEditor(): void;
		composerChanged(): void;
	};
	/** Request of a reply, or the one that the next message would be sent with. Rejects with `invalid`. */
	readonly request: (asked: AskedRequest) => Promise<SentRequest>;
	/**
	 * Resolves once the conversation of the last window is on screen again: until then a command cannot know which
	 * conversation is meant.
	 */
	readonly isBack: Promise<unknown>;
}

/** Defines commands about the chat. */
export const define = commandsOf<ChatRoom>({ service: "messages" });

/** The conversation that a call names, or the one on screen. Rejects with `invalid`. */
export function sessionOf({ argument }: Call<{ readonly conversation?: string }>, { conversations }: ChatRoom) {
	return conversations.require(argument?.conversation);
}

/** Puts a command into the menu of the chat. */
export const inChat = (group: string) => inTitle(VIEWS.chat, group);

/** Puts a command into the title of the chat in an editor tab. */
export const inTab = (group: string): MenuEntry => ({
	menu: "editor/title",
	when: `activeWebviewPanelId == ${CHAT_EDITOR}`,
	group,
});
