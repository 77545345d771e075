import type * as vscode from "vscode";
import { ConversationStore } from "#app/chat/conversation-store.ts";
import { Conversations } from "#app/chat/conversations.ts";
import type { SecretFilter } from "#app/chat/redacted-reply.ts";
import type { AskedWith } from "#app/chat/reply-under-way.ts";
import { keepRequest, requestOf } from "#app/chat/request.ts";
import type { SessionParts } from "#app/chat/session.ts";
import type { DisposableStore } from "#base/disposables.ts";
import { object, optional, parse, text } from "#base/schema.ts";
import { rememberEditors } from "../last-active-editor.ts";
import { chatParameters, setting } from "../settings.ts";
import { rememberCommands } from "../terminals.ts";
import { AttachmentController, pastedTexts, sentAttachments } from "./attachment-controller.ts";
import type { ChatGround, ChatRoom } from "./chat-room.ts";
import { ConversationFiles } from "./conversation-files.ts";
import { ChatPanels } from "./panels.ts";
import { mayCost } from "./say.ts";

/** Chat room before its panels exist. */
type ChatBase = Omit<ChatRoom, "attachments" | "isBack" | "panels">;

/** Creates the chat and restores its conversations; `held` disposes it. */
export function startChat(ground: ChatGround, held: DisposableStore) {
	const { chosen, clock, log, redactor, secrets, models } = ground;
	held.add(rememberEditors());
	held.add(rememberCommands());
	const files = new ConversationFiles(ground.folder);
	const secretFilter: SecretFilter = {
		ready: () => secrets.ready(),
		redact: (value) => redactor.leaving(value),
		heldBack: (text) => redactor.heldBack(text),
	};
	const store = held.add(new ConversationStore({ files, clock, log, secretFilter }, process.pid));
	const asked = new Map<string, AskedWith>();
	const parts: SessionParts = {
		...ground,
		defaults: chatParameters,
		refused: models.refused,
		secretFilter,
		toolRounds: () => setting("switchboard.chat.toolRounds"),
		capabilities: (connection, model) => models.capabilities(connection, model),
		modelFor: (connection, named) => models.modelFor(connection, named),
		replied: (connection) => models.replied(connection),
		loadModels: (connection, signal) => models.load(connection, signal),
		chosen: () => chosen.get(),
		image: (hash) => store.images.base64(hash),
		keepImage: (data) => store.images.keep(Buffer.from(data, "base64")),
		asked: (reply, request) => keepRequest(asked, reply, request),
		save: (session) => store.save(session),
		mayGoOn: (session, refusal) => mayCost(session, { models }, refusal),
	};
	const conversations = held.add(new Conversations(parts, store));
	held.add(store.onDidFail((sentence) => ground.report(new Error(sentence))));
	held.add(store.onDidDelete((id) => leave(id, conversations)));
	// The sandbox's tools, which a question may be about, come after its conversation.
	held.add(ground.registry.onDidChange(() => conversations.active.resume()));
	held.add(clock.after(CLEAN_AFTER_MS, () => void store.clean().catch((error: unknown) => log.warn(String(error)))));
	const request: ChatRoom["request"] = async ({ conversation, message, text: typed }) => {
		const session = await conversations.require(conversation);
		const draft = store.drafts.of(conversation);
		return requestOf(session, { message, next: { ...draft, text: typed ?? draft.text.trim() } }, { asked, parts });
	};
	const base = { ...ground, parts, conversations, store, files, secretFilter, request };
	const back = bringBack(base).catch((error: unknown) => log.error(String(error)));
	const late = new Promise<void>((resolve) => held.add(clock.after(LATEST_BACK_MS, resolve)));
	const room: ChatRoom = {
		...base,
		isBack: Promise.race([back, late]),
		get attachments() {
			return attachments;
		},
		get panels() {
			return panels;
		},
	};
	const attachments = new AttachmentController(room);
	const panels: ChatPanels = held.add(new ChatPanels(room));
	const pasted = pastedTexts(conversations, store.drafts, secretFilter);
	return { ...room, panels, pasted, textOf: (uri: vscode.Uri) => textOf(uri, base) };
}

/** Delay after start before deleted conversations are removed, in ms. */
const CLEAN_AFTER_MS = 60_000;

/** Timeout of commands for a hanging disk, in ms. */
const LATEST_BACK_MS = 10_000;

const ON_SCREEN = "switchboard.chat.onScreen";

/** Shows the last conversation of this workspace, unless the person has typed meanwhile. */
async function bringBack({ store, conversations, memory }: ChatBase): Promise<void> {
	const before = memory.get(ON_SCREEN);
	const remember = () => void memory.set(ON_SCREEN, conversations.active.id);
	conversations.onDidShow(remember);
	const session = typeof before === "string" ? await conversations.open(before) : undefined;
	const { active } = conversations;
	const isUntouched = active.entries.length === 0 && !store.drafts.has(active.id);
	if (session !== undefined && isUntouched) conversations.show(session);
	// An empty conversation is not stored: another one is on screen.
	remember();
}

/** Leaves a deleted conversation. */
export function leave(id: string, conversations: Conversations): void {
	conversations.get(id)?.stop();
	if (conversations.active.id === id) conversations.show(conversations.create());
}

/** Query of a document's URI, validated since any extension can open one. */
const QUERY = object({
	attachment: optional(text()),
	conversation: text(),
	message: optional(text()),
	text: optional(text()),
});

/** Text of the document of a request or an attachment, or the reason why there is none. */
async function textOf({ query }: vscode.Uri, { conversations, store, request, redactor }: ChatBase): Promise<string> {
	try {
		const { attachment, ...asked } = parse(QUERY, JSON.parse(query), "messages");
		if (attachment === undefined) return `${redactor.leaving(JSON.stringify(await request(asked), null, 2))}\n`;
		const session = await conversations.open(asked.conversation);
		const { attachments } = store.drafts.of(asked.conversation);
		const attached = [...attachments, ...(session ? sentAttachments(session) : [])];
		return attached.find(({ id }) => id === attachment)?.text ?? "This is no longer attached.\n";
	} catch (error) {
		return `There is no such request: ${error instanceof Error ? error.message : String(error)}\n`;
	}
}
