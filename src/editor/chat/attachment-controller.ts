import * as vscode from "vscode";
import { type Attachment, LARGEST_ATTACHMENT, pastedText, type Snapshot } from "#app/chat/attachments.ts";
import type { ConversationStore } from "#app/chat/conversation-store.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import type { Drafts } from "#app/chat/drafts.ts";
import { imageAttachment, shownType } from "#app/chat/images.ts";
import type { SecretFilter } from "#app/chat/redacted-reply.ts";
import type { ChatSession } from "#app/chat/session.ts";
import { CHAT_SCHEME, PASTED_SCHEME } from "#app/contributions.ts";
import { base64Of } from "#base/base64.ts";
import { type Clock, randomWord, sleep } from "#base/clock.ts";
import { invalid } from "#base/errors.ts";
import { sizeOf } from "#base/tokens.ts";
import type { ContextToHost, ToPanel } from "#protocol/panel.ts";
import { fileSnapshot, nothing, tooLarge } from "../from-editor.ts";
import { Row } from "../kit/rows.ts";
import { withoutName } from "../petstore/documents.ts";
import { type Getter, kindOfRow, SOURCES, type SourceRooms } from "./sources.ts";
import type { Suggestions } from "./suggestions.ts";

interface AttachmentRoom {
	readonly conversations: Conversations;
	readonly store: Pick<ConversationStore, "drafts" | "images">;
	readonly sources: SourceRooms;
	readonly secretFilter: SecretFilter;
	readonly clock: Clock;
	/** Panel that scales images down. */
	readonly panels: { tell(message: ToPanel): Promise<void> };
}

/** Message of the composer about attachments. */
type AskedOfAttachments = Exclude<ContextToHost, { readonly type: "draft" | "edit" }>;

/** Timeout of a panel that scales an image down, in ms. */
const SCALING_MS = 30_000;

/** Maximum number of files in one drop. */
const MOST_DROPPED = 100;

/** Adds attachments to drafts. */
export class AttachmentController {
	readonly #room: AttachmentRoom;
	/** Getters of the rows of our own trees that were dragged last: the page gets only their type. */
	#dragged: readonly Getter[] = [];
	/** Pending attachments by conversation. */
	readonly #fetching = new Set<{ readonly conversation: string; readonly work: Promise<void> }>();
	/** Images under scaling, by their key. */
	readonly #scaling = new Map<string, (image: Uint8Array<ArrayBuffer>) => void>();

	constructor(room: AttachmentRoom) {
		this.#room = room;
	}

	/** Attaches a redacted snapshot to the draft of a conversation. The panel scales a picture down. Rejects if it is too large. */
	async attach({ picture, ...given }: Snapshot, conversation: string): Promise<Attachment> {
		const snapshot =
			picture === undefined ? given : await this.#imageOf(await this.#scaled(picture, given.label), given.label);
		const { bytes } = sizeOf(snapshot.text);
		if (bytes > LARGEST_ATTACHMENT) throw tooLarge(snapshot.label, bytes);
		await this.#room.secretFilter.ready();
		const id = `a${Math.floor(this.#room.clock.random() * 36 ** 8).toString(36)}`;
		return this.#room.store.drafts.attach(conversation, { id, ...this.#room.secretFilter.redact(snapshot) });
	}

	/** Attaches several things one after the other, and then calls `done` if there are any. Rejects with the first error at the end. */
	async attachAll(
		wanted: readonly Getter[],
		{
			conversation: id = this.#room.conversations.active.id,
			done,
		}: { readonly conversation?: string; readonly done?: () => Promise<void> } = {},
	): Promise<readonly Attachment[]> {
		const attached: Attachment[] = [];
		const refused: unknown[] = [];
		await this.#fetch(id, async () => {
			for (const get of wanted) {
				try {
					const snapshot = await get();
					if (snapshot !== undefined) attached.push(await this.attach(snapshot, id));
				} catch (error) {
					refused.push(error);
				}
			}
			if (refused.length > 0) throw refused[0];
		}).finally(() => (attached.length > 0 ? done?.() : undefined));
		return attached;
	}

	/** Remembers the dragged rows of a tree. */
	dragged(rows: readonly object[]): void {
		this.#dragged = rows
			.filter((row) => row instanceof Row)
			.flatMap((row): Getter[] => {
				const kind = kindOfRow(row.fields);
				return kind ? [() => SOURCES[kind]({ argument: undefined, row }, this.#room.sources)] : [];
			});
	}

	/** Resolves once all pending attachments of a conversation are added; to false if one failed. */
	async settled(conversation: string): Promise<boolean> {
		const own = [...this.#fetching].filter((each) => each.conversation === conversation);
		const all = await Promise.allSettled(own.map(({ work }) => work));
		return all.every(({ status }) => status === "fulfilled");
	}

	/** Handles a message of a panel with its own suggestions; `post` answers it. */
	async handle(message: AskedOfAttachments, suggestions: Suggestions, post: (message: ToPanel) => void): Promise<void> {
		const { active } = this.#room.conversations;
		switch (message.type) {
			case "suggest":
				return suggestions.list(message, post);
			case "choose":
				return this.#fetch(active.id, async () => {
					const taken = await suggestions.take(message.id);
					if (typeof taken === "string") post({ type: "draft", text: taken, above: true });
					else if (taken !== undefined) await this.attach(taken, active.id);
				});
			case "attach-files":
				await this.attachAll(getters(message.uris));
				return;
			case "attach-dragged":
				await this.attachAll(this.#dragged);
				return;
			case "detach":
				return this.#room.store.drafts.detach(active.id, message.id);
			case "open-attachment": {
				const { attachments } = this.#room.store.drafts.of(active.id);
				const isDraft = attachments.some(({ id }) => id === message.id);
				const found = [...attachments, ...sentAttachments(active)].find(({ id }) => id === message.id);
				if (found?.image !== undefined) await this.#openImage(found.image.hash, found.label);
				else if (found?.kind === "text" && isDraft) await editPasted(found, active.id);
				else if (found !== undefined) await showAttachment(found, active.id);
				return;
			}
			case "paste-text":
				await this.attachAll([async () => pastedText(message.text)], {
					conversation: message.conversation || active.id,
				});
				return;
			case "paste-image": {
				const bytes = Uint8Array.from(Buffer.from(message.data, "base64"));
				const scaled = this.#scaling.get(message.key ?? "");
				if (scaled !== undefined) scaled(bytes);
				else {
					const get = () => this.#imageOf(bytes, message.label);
					await this.attachAll([get], { conversation: message.conversation || active.id });
				}
				return;
			}
			case "want-image": {
				const { hash } = message;
				const found = await this.#room.store.images.read(hash);
				// Empty if its file is gone, so that the page does not wait.
				const data = found === undefined ? "" : base64Of(found.bytes);
				return post({ type: "image", hash, mediaType: found?.type ?? "", data });
			}
			default:
				message satisfies never;
		}
	}

	async #imageOf(bytes: Uint8Array<ArrayBuffer>, label: string): Promise<Snapshot> {
		return imageAttachment(label, await this.#room.store.images.keep(bytes));
	}

	/** Has the panel scale an image. Rejects if the panel cannot read it. */
	async #scaled(picture: Uint8Array, label: string): Promise<Uint8Array<ArrayBuffer>> {
		const { panels, clock } = this.#room;
		const key = randomWord(clock, 8);
		const { promise, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
		this.#scaling.set(key, resolve);
		try {
			const mediaType = shownType(picture)?.type ?? "";
			await panels.tell({ type: "picked-image", key, mediaType, data: base64Of(picture) });
			const scaled = await Promise.race([promise, sleep(clock, SCALING_MS)]);
			if (scaled === undefined)
				throw nothing("image", "The image was not attached. Show the chat, then attach it again.");
			if (scaled.length > 0) return scaled;
			throw nothing("image", `${label} could not be read as an image. It may be damaged or too large.`);
		} finally {
			this.#scaling.delete(key);
		}
	}

	async #fetch(conversation: string, run: () => Promise<void>): Promise<void> {
		const fetch = { conversation, work: run() };
		this.#fetching.add(fetch);
		await fetch.work.finally(() => this.#fetching.delete(fetch));
	}

	/** Opens an image in the editor's own viewer. */
	async #openImage(hash: string, label: string): Promise<void> {
		const found = await this.#room.store.images.read(hash);
		if (found === undefined) throw nothing("image", "The file of this image is gone. Attach the image again.");
		const uri = this.#room.sources.petstore.photos.keep(label.replace(/\.\w+$/, ""), found.suffix, found.bytes);
		await vscode.commands.executeCommand("vscode.open", uri);
	}
}

/** Getters of dropped files; too many add an error in front, since only the first is shown. */
function getters(uris: readonly string[]): Getter[] {
	const files = uris.slice(0, MOST_DROPPED).map((uri) => async () => fileSnapshot(fileUri(uri)));
	const left = uris.length - files.length;
	if (left === 0) return files;
	const words = `At most ${MOST_DROPPED} files can be attached at once. ${left} of ${uris.length} were left out.`;
	return [() => Promise.reject(nothing("attachment", words)), ...files];
}

/** URI of a dropped file; nothing is fetched from the web. */
function fileUri(text: string): vscode.Uri {
	if (!/^[\w.+-]+:/.test(text) || /^(?:https?|command|data|javascript):/i.test(text)) {
		throw invalid("messages", "file", "must be a local file");
	}
	const uri = vscode.Uri.parse(text, true);
	const folders = vscode.workspace.workspaceFolders ?? [];
	// A window on another machine calls files on ours remote.
	const isOurs = uri.scheme === "vscode-remote" && !folders.some((each) => each.uri.scheme === uri.scheme);
	return isOurs ? uri.with({ scheme: "file", authority: "" }) : uri;
}

/** Opens the source of an attachment, or its text if the source is gone. */
async function showAttachment(attachment: Attachment, conversation: string): Promise<void> {
	const { id, label, source, language = "" } = attachment;
	if (source !== undefined && (await openSource(source)) !== undefined) return;
	const name = `${label.replaceAll(/[\p{Cc}/\\?#:]+/gu, " ").trim()}${language === "json" ? ".json" : ""}`;
	const query = JSON.stringify({ conversation, attachment: id });
	const copy = vscode.Uri.from({ scheme: CHAT_SCHEME, path: `/${name}`, query });
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(copy), { preview: true });
}

async function openSource(source: string): Promise<vscode.TextEditor | undefined> {
	try {
		const uri = vscode.Uri.parse(source, true);
		const document = await vscode.workspace.openTextDocument(uri.with({ fragment: "" }));
		const [, from, to] = /^L(\d+)-L(\d+)$/.exec(uri.fragment) ?? [];
		const lines = from === undefined ? {} : { selection: new vscode.Range(Number(from) - 1, 0, Number(to), 0) };
		return await vscode.window.showTextDocument(document, { preview: true, ...lines });
	} catch {
		return undefined;
	}
}

/** Attachments of all turns of a conversation. */
export function sentAttachments({ tree }: ChatSession): readonly Attachment[] {
	return tree.all.flatMap((entry) => (entry.role === "user" ? entry.attachments : []));
}

async function editPasted({ id }: Attachment, conversation: string): Promise<void> {
	const uri = vscode.Uri.from({ scheme: PASTED_SCHEME, path: "/Pasted Text.txt", query: `${id}/${conversation}` });
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

/** File system of texts that were pasted into drafts. */
export function pastedTexts(conversations: Conversations, drafts: Drafts, secretFilter: SecretFilter) {
	/** Reads a text. Throws FileNotFound if it was sent or removed. */
	async function readFile(uri: vscode.Uri): Promise<Uint8Array> {
		const { conversation, attachment } = addressOf(uri);
		// Its tab may be restored before the conversation.
		await conversations.open(conversation);
		const { attachments } = drafts.of(conversation);
		const found = attachments.find(({ id, kind }) => id === attachment && kind === "text");
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return new TextEncoder().encode(found.text);
	}
	return {
		readFile,

		async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
			const { length: size } = await readFile(uri);
			return { type: vscode.FileType.File, ctime: 0, mtime: 0, size };
		},

		/** Writes the text to the draft. Rejects with a sentence that the editor shows. */
		async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
			const { conversation, attachment } = addressOf(uri);
			if (content.length > LARGEST_ATTACHMENT) throw withoutName(tooLarge("The text", content.length).message);
			await secretFilter.ready();
			const changed = secretFilter.redact(pastedText(new TextDecoder().decode(content)));
			if (drafts.change(conversation, attachment, changed)) return;
			throw withoutName("The text was sent or removed. Copy it into a new message to send it.");
		},
	};
}

/** Ids in the URI of a text; empty for its folder, which the editor asks for as well. */
function addressOf({ query }: vscode.Uri) {
	const at = query.indexOf("/");
	return { attachment: query.slice(0, at), conversation: query.slice(at + 1) };
}
