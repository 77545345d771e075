import * as vscode from "vscode";
import type { Attachment } from "#app/chat/attachments.ts";
import type { ReplyEntry } from "#app/chat/conversation.ts";
import { ConversationStore } from "#app/chat/conversation-store.ts";
import { Conversations } from "#app/chat/conversations.ts";
import type { Drafts } from "#app/chat/drafts.ts";
import type { ModelLists } from "#app/chat/model-lists.ts";
import type { SecretFilter } from "#app/chat/redacted-reply.ts";
import type { OpenClient } from "#app/chat/reply-under-way.ts";
import { AskedRequests, nextTurn, requestOf, tokensOf } from "#app/chat/request.ts";
import type { ChatSession, SessionParts } from "#app/chat/session.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { StoredSecrets } from "#app/connections/stored-secrets.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { Clock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { invalid } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import type { ComposerView } from "#protocol/panel.ts";
import type { EditorLog } from "../log.ts";
import { describeEnding } from "../reply-words.ts";
import { chatParameters, contextBudget, prices } from "../settings.ts";
import { AttachmentController } from "./attachment-controller.ts";
import { mayBeSent } from "./budget-question.ts";
import { type AskedRequest, ChatDocuments } from "./chat-documents.ts";
import type { ChosenConnection } from "./chosen-connection.ts";
import type { ContextParts } from "./context-commands.ts";
import { ConversationFiles } from "./conversation-files.ts";
import { rememberEditors } from "./last-active-editor.ts";
import { actForPanel, askForPanel } from "./panel-actions.ts";
import { ChatPanels } from "./panels.ts";
import type { SourceParts } from "./sources.ts";

/** Collaborators of the chat. */
export interface ChatOptions {
	readonly registry: ConnectionRegistry;
	readonly chosen: ChosenConnection;
	readonly clock: Clock;
	readonly log: EditorLog;
	readonly redactor: Redactor;
	readonly secrets: StoredSecrets;
	readonly open: OpenClient;
	readonly models: ModelLists;
	readonly extensionUri: vscode.Uri;
	/** Folder of the conversations; it need not exist yet. */
	readonly folder: string;
	/** Remembers which conversation is on screen in this workspace. */
	readonly memory: KeyValueStore;
	/** Sources of attachments. */
	readonly sources: SourceParts;
	/** Fires when the text of a document of the chat changes. */
	readonly documentsChanged: vscode.EventEmitter<vscode.Uri>;
	/** Tells the person what went wrong. */
	readonly report: (error: unknown) => void;
}

/** The room of the chat. */
export interface ChatRoom {
	readonly conversations: Conversations;
	readonly panels: ChatPanels;
	/** Sends what a person has typed. */
	readonly say: (text: string) => Promise<ReplyEntry | undefined>;
	/** Keeps them on the disk. */
	readonly store: ConversationStore;
	readonly files: ConversationFiles;
	/** Collaborators of the commands about the message that is being written. */
	readonly context: ContextParts;
	/** Keeps secrets out of what is passed on. */
	readonly secretFilter: SecretFilter;
	/**
	 * Resolves once the conversation is on screen that was there when the window ended, or when that takes too long: until
	 * then nobody knows which one a command means.
	 */
	readonly isBack: Promise<unknown>;
}

/** Builds what the chat works with and brings back what was said before; `held` disposes it. */
export function startChat(options: ChatOptions, held: DisposableStore): ChatRoom {
	const { registry, chosen, clock, log, redactor, secrets, open, models, memory, extensionUri, folder, report } =
		options;
	held.add(rememberEditors());
	const files = new ConversationFiles(folder);
	const secretFilter: SecretFilter = {
		ready: () => secrets.ready(),
		redact: (value) => redactor.leaving(value),
		heldBack: (text) => redactor.heldBack(text),
	};
	const store = held.add(new ConversationStore({ files, clock, log, secretFilter }, process.pid));
	const { drafts } = store;
	const asked = new AskedRequests();
	const parts: SessionParts = {
		registry,
		clock,
		log,
		open,
		defaults: chatParameters,
		refused: models.refused,
		chosen: () => chosen.get(),
		secretFilter,
		asked: (reply, request) => asked.add(reply, request),
		save: (session) => store.save(session),
	};
	const conversations = held.add(new Conversations(parts, store));
	held.add(store.onDidFail((sentence) => report(new Error(sentence))));
	held.add(store.onDidDelete((id) => leave(id, conversations)));
	held.add(clock.after(CLEAN_AFTER_MS, () => void store.clean().catch((error: unknown) => log.warn(String(error)))));
	const back = bringBack({ memory, store, conversations }).catch((error: unknown) => log.error(String(error)));
	const late = new Promise<void>((resolve) => held.add(clock.after(LATEST_BACK_MS, resolve)));
	const attachments = new AttachmentController({
		conversations,
		drafts,
		clock,
		redactor,
		secrets,
		sources: options.sources,
	});
	const draft = async (text: string, more: readonly Attachment[] = []) => {
		for (const attachment of more) drafts.attach(conversations.active.id, attachment);
		await panels.tell({ type: "draft", text });
		panels.composerChanged();
	};
	const goOnTyping = () => panels.tell({ type: "focus" });
	const sayHere: ChatRoom["say"] = async (text) => {
		if (await mayWrite(conversations.active, store)) {
			return say(text, { conversations, drafts, draft, isFetching: (id) => attachments.isFetching(id) });
		}
		await draft(text);
		return undefined;
	};
	const panels: ChatPanels = held.add(
		new ChatPanels({
			extensionUri,
			conversations,
			clock,
			describe: describeEnding,
			composer: (session) => ({ ...composerOf(session), ...sizeOfNext(session, drafts) }),
			drafts,
			context: (message, post) => attachments.handle(message, post),
			say: sayHere,
			ask: async (asked) => {
				if (asked.type !== "fork" && !(await mayWrite(conversations.active, store))) return;
				await askForPanel(asked, {
					...{ conversations, registry, models, drafts },
					reveal: goOnTyping,
					draft,
				});
			},
			act: async (action, message) => {
				if (action === "continue-here") await store.continueHere(conversations.active);
				else if (message === undefined || (await mayWrite(conversations.active, store))) {
					await actForPanel(action, message, { conversations, registry, models, reveal: goOnTyping });
				}
			},
			report,
			secretFilter,
		}),
	);
	const request = async ({ conversation, message, text }: AskedRequest) => {
		const session = await conversations.open(conversation);
		if (session === undefined) {
			throw invalid("messages", "conversation", `"${conversation}" is not one of the conversations`);
		}
		const draft = drafts.of(conversation);
		return requestOf(session, { message, next: { ...draft, text: text ?? draft.text.trim() } }, { asked, parts });
	};
	const shown = async (wanted: AskedRequest) => `${redactor.leaving(JSON.stringify(await request(wanted), null, 2))}\n`;
	const documents = new ChatDocuments(conversations, drafts, shown, options.documentsChanged);
	return {
		...{ conversations, panels, say: sayHere, store, files, secretFilter, isBack: Promise.race([back, late]) },
		context: { attachments, documents, panels, request },
	};
}

/** True if a conversation may be written here: no other window writes it, or the person takes it over from that. */
async function mayWrite(session: ChatSession, store: ConversationStore): Promise<boolean> {
	if (!session.isReadOnly) return true;
	const answer = await vscode.window.showWarningMessage(
		"This conversation is open in another window.",
		{ modal: true, detail: "The other window will follow it. A reply that arrives there is stopped." },
		"Continue Here",
	);
	if (answer !== undefined) await store.continueHere(session);
	return !session.isReadOnly;
}

/** Tokens of the next message without what is typed, and the budget. */
function sizeOfNext(session: ChatSession, drafts: Drafts): { tokens: number; budget: number } {
	const system = session.facts.parameters?.system ?? chatParameters().system;
	const next = nextTurn({ text: "", attachments: drafts.of(session.id).attachments });
	return { tokens: tokensOf([...session.entries, next], system), budget: contextBudget() };
}

/** Delay after start before deleted conversations are removed for good, in ms. */
const CLEAN_AFTER_MS = 60_000;

const ON_SCREEN = "switchboard.chat.onScreen";

/** A disk that says nothing for this long is not waited for. Milliseconds. */
const LATEST_BACK_MS = 3_000;

type BringingBack = Pick<ChatOptions, "memory"> & Pick<ChatRoom, "store" | "conversations">;

/** Shows what was on screen in this workspace when its window ended, unless something was said or written meanwhile. */
async function bringBack({ store, conversations, memory }: BringingBack): Promise<void> {
	const before = memory.get(ON_SCREEN);
	const remember = () => void memory.set(ON_SCREEN, conversations.active.id);
	conversations.onDidShow(remember);
	const session = typeof before === "string" ? await conversations.open(before) : undefined;
	const { active } = conversations;
	const isUntouched = active.entries.length === 0 && !store.drafts.has(active.id);
	if (session !== undefined && isUntouched) conversations.show(session);
	// One in which nothing had been said has left nothing: another is on screen in its place.
	remember();
}

/** Shows another conversation where this one was deleted. */
export function leave(id: string, conversations: Conversations): void {
	conversations.get(id)?.stop();
	if (conversations.active.id === id) conversations.show(conversations.create());
}

function composerOf({ target: { connection, model } }: ChatSession): Omit<ComposerView, "busy"> {
	const priced = { prices: prices() };
	if (connection === undefined) return priced;
	return { connection: connection.label, ...(model === "" ? {} : { model }), ...priced };
}

/** Collaborators of {@link say}. */
interface SayParts {
	readonly conversations: Conversations;
	readonly drafts: Drafts;
	/** True if something that was chosen for a conversation is not attached yet. */
	readonly isFetching: (conversation: string) => boolean;
	/** Puts text into the composer, below what is typed there. */
	readonly draft: (text: string) => Promise<void>;
}

/**
 * Sends what a person has typed, wherever they have typed it, with what is attached to their draft. While a reply is
 * under way, it waits in the queue; what may not leave yet is put into the composer, so
 * that it is not lost. Resolves to the reply, or at once to nothing where none was asked for.
 */
async function say(
	text: string,
	{ conversations: { active }, drafts, isFetching, draft }: SayParts,
): Promise<ReplyEntry | undefined> {
	if (isFetching(active.id)) {
		// It does not leave without what belongs to it; until then it is a draft, on the disk like any other.
		await draft(text);
		void vscode.window.setStatusBarMessage("$(attach) Not sent yet: what you chose is being fetched.", 5_000);
		return undefined;
	}
	const { system } = active.facts.parameters ?? {};
	const { attachments } = drafts.of(active.id);
	const turn = nextTurn({ text, attachments });
	if (!(await mayBeSent([...active.entries, turn], system))) {
		await draft(text);
		return undefined;
	}
	// What was attached while the person was asked stays for the next message.
	const options = drafts.take(active.id, attachments);
	if (!active.busy) return active.send(text, options);
	active.enqueue(text, options);
	return undefined;
}
