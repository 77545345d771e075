import * as vscode from "vscode";
import { type Attachment, LARGEST_ATTACHMENT, pastedText } from "#app/chat/attachments.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import type { Drafts } from "#app/chat/drafts.ts";
import type { SecretFilter } from "#app/chat/redacted-reply.ts";
import { PASTED_SCHEME } from "#app/contributions.ts";
import { withoutName } from "../petstore/remote-files.ts";
import { tooLarge } from "./from-editor.ts";

/** Opens a text that was pasted into a draft, to be edited: what is saved is sent. */
export async function editPasted({ id }: Pick<Attachment, "id">, conversation: string): Promise<void> {
	const uri = vscode.Uri.from({ scheme: PASTED_SCHEME, path: "/Pasted Text.txt", query: `${id}/${conversation}` });
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

/** Texts that were pasted into drafts, as files of the editor. */
export class PastedTexts {
	readonly #conversations: Conversations;
	readonly #drafts: Drafts;
	readonly #secretFilter: SecretFilter;

	constructor(conversations: Conversations, drafts: Drafts, secretFilter: SecretFilter) {
		this.#conversations = conversations;
		this.#drafts = drafts;
		this.#secretFilter = secretFilter;
	}

	/** Facts of a text as a file. Throws FileNotFound. */
	async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
		const { length: size } = await this.readFile(uri);
		return { type: vscode.FileType.File, ctime: 0, mtime: 0, size };
	}

	/** The text, in UTF-8. Throws FileNotFound for one that was sent or removed. */
	async readFile(uri: vscode.Uri): Promise<Uint8Array> {
		const { conversation, attachment } = addressOf(uri);
		// Its tab may be back before the conversation is.
		await this.#conversations.open(conversation);
		const { attachments } = this.#drafts.of(conversation);
		const found = attachments.find(({ id, kind }) => id === attachment && kind === "text");
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return new TextEncoder().encode(found.text);
	}

	/** Puts the text into the draft. Rejects with the reason, which the editor shows. */
	async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
		const { conversation, attachment } = addressOf(uri);
		if (content.length > LARGEST_ATTACHMENT) throw withoutName(tooLarge("The text", content.length).message);
		await this.#secretFilter.ready();
		const changed = this.#secretFilter.redact(pastedText(new TextDecoder().decode(content)));
		if (this.#drafts.change(conversation, attachment, changed)) return;
		throw withoutName("The text was sent or removed. Copy it into a new message to send it.");
	}
}

/** Ids in the address of a text, which may be none: the editor looks for the folder of a file as well. */
function addressOf({ query }: vscode.Uri) {
	const at = query.indexOf("/");
	return { attachment: query.slice(0, at), conversation: query.slice(at + 1) };
}
