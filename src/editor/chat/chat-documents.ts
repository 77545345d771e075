import * as vscode from "vscode";
import { CHAT_SCHEME } from "#app/contributions.ts";
import { object, optional, parse, text } from "#base/schema.ts";
import { sentWith } from "./attachment-controller.ts";
import type { AskedRequest, ChatRoom } from "./chat-room.ts";

/** Address of a document, validated although we write it: any extension can open one. */
const QUERY = object({
	...{ attachment: optional(text()), conversation: text(), message: optional(text()), text: optional(text()) },
});

/** Read-only documents of the chat: requests and attachments. */
export class ChatDocuments {
	readonly #room: Pick<ChatRoom, "redactor" | "documentsChanged" | "conversations" | "store" | "request">;

	constructor(room: Pick<ChatRoom, "redactor" | "documentsChanged" | "conversations" | "store" | "request">) {
		this.#room = room;
	}

	/** The text of a document, or why there is none. */
	async text(uri: vscode.Uri): Promise<string> {
		const { conversations, store, request, redactor } = this.#room;
		try {
			const { attachment, ...asked } = parse(QUERY, JSON.parse(uri.query), "messages");
			if (attachment === undefined) return `${redactor.leaving(JSON.stringify(await request(asked), null, 2))}\n`;
			const session = await conversations.open(asked.conversation);
			const attached = [...store.drafts.of(asked.conversation).attachments, ...(session ? sentWith(session) : [])];
			return attached.find(({ id }) => id === attachment)?.text ?? "This is not attached any more.\n";
		} catch (error) {
			return `There is no such request: ${error instanceof Error ? error.message : String(error)}\n`;
		}
	}

	/** Shows a request; one that is shown already is made anew. */
	async showRequest(asked: AskedRequest): Promise<void> {
		const name = asked.message === undefined ? "Next Request" : "Request";
		const uri = vscode.Uri.from({ scheme: CHAT_SCHEME, path: `/${name}.json`, query: JSON.stringify(asked) });
		this.#room.documentsChanged.fire(uri);
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
	}
}
