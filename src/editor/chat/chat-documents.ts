import * as vscode from "vscode";
import type { Attachment } from "#app/chat/attachments.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import type { Drafts } from "#app/chat/drafts.ts";
import { CHAT_SCHEME } from "#app/contributions.ts";

/** Which request is meant. */
export interface AskedRequest {
	readonly conversation: string;
	/** The id of a reply, or of a turn; the next message where absent. */
	readonly message?: string | undefined;
	/** Text of the next message; the draft if absent. */
	readonly text?: string | undefined;
}

/** Read-only documents of the chat: requests and attachments. */
export class ChatDocuments {
	readonly #conversations: Conversations;
	readonly #drafts: Drafts;
	readonly #request: (asked: AskedRequest) => Promise<string>;
	readonly #changed: vscode.EventEmitter<vscode.Uri>;

	/** `request` gives a request as text; `changed` tells the editor that a document has changed. */
	constructor(
		conversations: Conversations,
		drafts: Drafts,
		request: (asked: AskedRequest) => Promise<string>,
		changed: vscode.EventEmitter<vscode.Uri>,
	) {
		this.#conversations = conversations;
		this.#drafts = drafts;
		this.#request = request;
		this.#changed = changed;
	}

	/** The text of a document, or why there is none. */
	async text(uri: vscode.Uri): Promise<string> {
		const { attachment, conversation = "", message, text } = wordsIn(uri.query);
		if (attachment === undefined) {
			return this.#request({ conversation, message, text }).catch((error: unknown) => {
				return `There is no such request: ${error instanceof Error ? error.message : String(error)}\n`;
			});
		}
		const turns = (await this.#conversations.open(conversation))?.tree.all ?? [];
		const sent = turns.flatMap((entry) => (entry.role === "user" ? entry.attachments : []));
		const found = [...this.#drafts.of(conversation).attachments, ...sent].find(({ id }) => id === attachment);
		return found?.text ?? "This is not attached any more.\n";
	}

	/** Shows a request; one that is shown already is made anew. */
	async showRequest(asked: AskedRequest): Promise<void> {
		const name = asked.message === undefined ? "Next Request" : "Request";
		const uri = vscode.Uri.from({ scheme: CHAT_SCHEME, path: `/${name}.json`, query: JSON.stringify(asked) });
		this.#changed.fire(uri);
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
	}
}

/** Opens what is attached where it came from; where that is not there any more, the copy that is sent. */
export async function showAttachment(attachment: Attachment, conversation: string): Promise<void> {
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

/** The texts of a query; our own hand, but anybody can open an address. */
function wordsIn(query: string): Readonly<Record<string, string | undefined>> {
	try {
		const value: unknown = JSON.parse(query);
		const pairs = Object.entries(value ?? {}).flatMap(([name, text]) =>
			typeof text === "string" ? [[name, text]] : [],
		);
		return Object.fromEntries(pairs);
	} catch {
		return {};
	}
}
