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
import { withoutName } from "../petstore/remote-files.ts";
import { type Getter, kindOfRow, SOURCES, type SourceRooms } from "./sources.ts";
import type { Suggestions } from "./suggestions.ts";

/** Rooms that attachments are made and kept with. */
interface AttachmentRoom {
	readonly conversations: Conversations;
	readonly store: Pick<ConversationStore, "drafts" | "images">;
	readonly sources: SourceRooms;
	readonly secretFilter: SecretFilter;
	readonly clock: Clock;
	/** The panel, which scales images down. */
	readonly panels: { tell(message: ToPanel): Promise<void> };
}

/** Message of the composer about attachments. */
type AskedOfAttachments = Exclude<ContextToHost, { readonly type: "draft" | "edit" }>;

/** Longest wait for a panel that scales an image down, which may have to be shown first. Milliseconds. */
const SCALING_MS = 30_000;

/** So many files are attached that are dropped at once; more were surely not meant. */
const MOST_DROPPED = 100;

/** Attaches things to the message that is being written, by whatever way the person has named them. */
export class AttachmentController {
	readonly #room: AttachmentRoom;
	/** The rows of our own trees that were dragged last: a page is given their type, and not the rows themselves. */
	#dragged: readonly Row[] = [];
	/** Choices that are not attached yet, by conversation. */
	readonly #fetching = new Set<{ readonly conversation: string; readonly work: Promise<void> }>();
	/** Images that a panel scales down, by the key they come back with. */
	readonly #scaling = new Map<string, (image: Uint8Array<ArrayBuffer>) => void>();

	constructor(room: AttachmentRoom) {
		this.#room = room;
	}

	/**
	 * Attaches something to the draft of a conversation, without the secrets that are stored. The panel scales an image
	 * down first. Rejects where something is too large.
	 */
	async attach(
		{ picture, ...given }: Snapshot,
		conversation = this.#room.conversations.active.id,
	): Promise<Attachment> {
		const snapshot =
			picture === undefined ? given : await this.#imageOf(await this.#scaled(picture, given.label), given.label);
		const { bytes } = sizeOf(snapshot.text);
		if (bytes > LARGEST_ATTACHMENT) throw tooLarge(snapshot.label, bytes);
		await this.#room.secretFilter.ready();
		const id = `a${Math.floor(this.#room.clock.random() * 36 ** 8).toString(36)}`;
		return this.#room.store.drafts.attach(conversation, { id, ...this.#room.secretFilter.redact(snapshot) });
	}

	/**
	 * Attaches several things to a draft, by default that on screen, one after the other, and goes on with `done` where
	 * any is attached. A refused one does not stop the others: it rejects at the end, with the first reason.
	 */
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

	/** Rows of a tree are being dragged. */
	dragged(rows: readonly object[]): void {
		this.#dragged = rows.filter((row) => row instanceof Row).filter(({ fields }) => kindOfRow(fields) !== undefined);
	}

	/** Resolves once all that was chosen for a conversation is attached; to false if some of it is refused. */
	async settled(conversation: string): Promise<boolean> {
		const own = [...this.#fetching].filter((each) => each.conversation === conversation);
		const all = await Promise.allSettled(own.map(({ work }) => work));
		return all.every(({ status }) => status === "fulfilled");
	}

	/** Does what a panel with suggestions of its own asks for; `post` answers it. */
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
				await this.attachAll(this.#dragged.map((row) => () => this.#snapshotOf(row)));
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
				// Without bytes it is one whose file is gone: the page does not wait for it.
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

	/** An image as the panel scales it. Rejects where the panel cannot read it. */
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

	async #snapshotOf(row: Row): Promise<Snapshot | undefined> {
		const kind = kindOfRow(row.fields);
		return kind && SOURCES[kind]({ argument: undefined, row }, this.#room.sources);
	}
}

/** Files that were dropped, with an error first if there are too many: only the first reason is shown. */
function getters(uris: readonly string[]): Getter[] {
	const files = uris.slice(0, MOST_DROPPED).map((uri) => async () => fileSnapshot(fileUri(uri)));
	const left = uris.length - files.length;
	if (left === 0) return files;
	const words = `At most ${MOST_DROPPED} files can be attached at once. ${left} of ${uris.length} were left out.`;
	return [() => Promise.reject(nothing("attachment", words)), ...files];
}

/** Address of a dropped file: nothing is fetched from the web because it was dropped. */
function fileUri(text: string): vscode.Uri {
	if (!/^[\w.+-]+:/.test(text) || /^(?:https?|command|data|javascript):/i.test(text)) {
		throw invalid("messages", "file", "must be a local file");
	}
	const uri = vscode.Uri.parse(text, true);
	const folders = vscode.workspace.workspaceFolders ?? [];
	// The window calls what is on our machine remote, where we are not in the window ourselves.
	const isOurs = uri.scheme === "vscode-remote" && !folders.some((each) => each.uri.scheme === uri.scheme);
	return isOurs ? uri.with({ scheme: "file", authority: "" }) : uri;
}

/** Opens what is attached where it came from; where that is not there any more, the copy that is sent. */
async function showAttachment(attachment: Attachment, conversation: string): Promise<void> {
	const { id, label, source, language = "" } = attachment;
	const name = `${label.replaceAll(/[\p{Cc}/\\?#:]+/gu, " ").trim()}${language === "json" ? ".json" : ""}`;
	const query = JSON.stringify({ conversation, attachment: id });
	const copy = vscode.Uri.from({ scheme: CHAT_SCHEME, path: `/${name}`, query });
	const there = source === undefined ? undefined : await openSource(source);
	if (there !== undefined) return;
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

/** Opens a text that was pasted into a draft, to be edited: what is saved is sent. */
async function editPasted({ id }: Attachment, conversation: string): Promise<void> {
	const uri = vscode.Uri.from({ scheme: PASTED_SCHEME, path: "/Pasted Text.txt", query: `${id}/${conversation}` });
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

/** Texts that were pasted into drafts, as files of the editor. */
export function pastedTexts(conversations: Conversations, drafts: Drafts, secretFilter: SecretFilter) {
	/** The text, in UTF-8. Throws FileNotFound for one that was sent or removed. */
	async function readFile(uri: vscode.Uri): Promise<Uint8Array> {
		const { conversation, attachment } = addressOf(uri);
		// Its tab may be back before the conversation is.
		await conversations.open(conversation);
		const { attachments } = drafts.of(conversation);
		const found = attachments.find(({ id, kind }) => id === attachment && kind === "text");
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return new TextEncoder().encode(found.text);
	}
	return {
		readFile,

		/** Facts of a text as a file. Throws FileNotFound. */
		async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
			const { length: size } = await readFile(uri);
			return { type: vscode.FileType.File, ctime: 0, mtime: 0, size };
		},

		/** Puts the text into the draft. Rejects with the reason, which the editor shows. */
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

/** Ids in the address of a text, which may be none: the editor looks for the folder of a file as well. */
function addressOf({ query }: vscode.Uri) {
	const at = query.indexOf("/");
	return { attachment: query.slice(0, at), conversation: query.slice(at + 1) };
}
