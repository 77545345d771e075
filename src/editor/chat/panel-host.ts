import * as vscode from "vscode";
import type { Conversations } from "#app/chat/conversations.ts";
import { type FeedParts, PanelFeed } from "#app/chat/feed.ts";
import type { Disposable } from "#base/disposables.ts";
import { type AskedOfMessage, decodeToHost, type PanelAction, type ToHost, type ToPanel } from "#protocol/panel.ts";
import type { AskedOfDesk } from "./context-desk.ts";
import { meantEditor } from "./meant-editor.ts";
import { panelOptions, panelPage } from "./panel-page.ts";

/** What every panel of the chat shares. */
export interface PanelParts extends Omit<FeedParts, "post"> {
	readonly extensionUri: vscode.Uri;
	readonly conversations: Conversations;
	/** Does what a button of the panel asks for; `message` is the reply the button belongs to. */
	readonly act: (action: PanelAction, message: string | undefined) => Promise<void>;
	/** Does what the composer asks for about what is attached; the second argument answers it. */
	readonly context: (message: AskedOfDesk, post: (message: ToPanel) => void) => Promise<void>;
	/** Sends what was typed; the composer has asked about the budget. */
	readonly say: (text: string, isAsked: true) => Promise<unknown>;
	/** Does what a button of a message or of the queue asks for. */
	readonly ask: (asked: AskedOfMessage) => Promise<void>;
	readonly report: (error: unknown) => void;
	/** The keyboard has come into this panel, or has left it. */
	readonly focused: (host: PanelHost, inside: boolean) => void;
}

/** Serves one webview, in the sidebar or in an editor tab. */
export class PanelHost implements Disposable {
	readonly #parts: PanelParts;
	readonly #feed: PanelFeed;
	readonly #subscription: vscode.Disposable;
	readonly #post: (message: ToPanel) => void;
	/** What the page is to hear once it is there. */
	#waiting: ToPanel[] = [];
	#isThere = false;

	constructor(webview: vscode.Webview, parts: PanelParts) {
		this.#parts = parts;
		// A service may well repeat the key it was sent.
		this.#post = (message) => void webview.postMessage(parts.secretFilter.redact(message));
		this.#feed = new PanelFeed({ ...parts, post: this.#post });
		this.#subscription = webview.onDidReceiveMessage((value: unknown) => {
			const message = decodeToHost(value);
			if (message !== undefined) this.#handle(message).catch(parts.report);
		});
		webview.options = panelOptions(parts.extensionUri);
		webview.html = panelPage(webview, parts.extensionUri);
	}

	/** Says that the panel has gone out of sight: its page is taken down and asks for everything when it is back. */
	hidden(): void {
		this.#isThere = false;
		this.#parts.focused(this, false);
		this.#feed.gone();
	}

	composerChanged(): void {
		this.#feed.composerChanged();
	}

	/** Tells the page to do something; one that is not there yet hears it once it is. */
	tell(message: ToPanel): void {
		if (this.#isThere) this.#post(message);
		else this.#waiting.push(message);
	}

	dispose(): void {
		this.#parts.focused(this, false);
		this.#subscription.dispose();
		this.#feed.dispose();
	}

	async #handle(message: ToHost): Promise<void> {
		const { active } = this.#parts.conversations;
		switch (message.type) {
			case "ready":
				this.#feed.ready();
				this.#isThere = true;
				for (const waiting of this.#waiting.splice(0)) this.tell(waiting);
				return;
			case "focus":
				this.#parts.focused(this, message.inside);
				return;
			case "ack":
				this.#feed.acknowledge(message.batch);
				return;
			case "send":
				if (message.text.trim() !== "") await this.#parts.say(message.text, true);
				return;
			case "edit-turn":
			case "regenerate":
			case "regenerate-with":
			case "continue":
			case "fork":
			case "version":
			case "unqueue":
			case "send-queued":
			case "edit-queued":
				await this.#parts.ask(message);
				return;
			case "stop":
				active.stop();
				return;
			case "action":
				await this.#parts.act(message.action, message.message);
				return;
			case "copy":
				await vscode.env.clipboard.writeText(this.#parts.secretFilter.redact(message.text));
				return;
			case "insert":
				await insertAtCursor(message.text, message.language);
				return;
			case "open-code":
				await openCode(message.text, message.language);
				return;
			case "open-link":
				await openLink(message.url);
				return;
			case "draft":
				this.#feed.typed(message);
				return;
			case "edit":
				this.#feed.edited(message);
				return;
			case "suggest":
			case "choose":
			case "attach":
			case "attach-files":
			case "attach-dragged":
			case "detach":
			case "open-attachment":
			case "show-request":
				await this.#parts.context(message, this.#post);
				return;
		}
	}
}

/** Only addresses that a browser or mail program opens: a link of a reply must not run a command. */
async function openLink(address: string): Promise<void> {
	const url = URL.parse(address);
	if (url !== null && ["http:", "https:", "mailto:"].includes(url.protocol)) {
		await vscode.env.openExternal(vscode.Uri.parse(url.href, true));
	}
}

/** Where there is no editor to insert into, the code gets one of its own. */
async function insertAtCursor(text: string, infoString: string): Promise<void> {
	const editor = meantEditor();
	const inserted = await editor?.edit((edit) => {
		for (const selection of editor.selections) edit.replace(selection, text);
	});
	if (editor === undefined || inserted !== true) {
		await openCode(text, infoString);
		return;
	}
	await vscode.window.showTextDocument(editor.document, editor.viewColumn ?? vscode.ViewColumn.Active);
}

async function openCode(content: string, infoString: string): Promise<void> {
	const wanted = infoString.trim().split(/\s/, 1)[0]?.toLowerCase() ?? "";
	const alias = LANGUAGE_ALIASES.get(wanted) ?? wanted;
	const known = await vscode.languages.getLanguages();
	const document = await vscode.workspace.openTextDocument(
		known.includes(alias) ? { content, language: alias } : { content },
	);
	await vscode.window.showTextDocument(document);
}

/** What fences are called where the editor has another name. */
const LANGUAGE_ALIASES = new Map([
	["ts", "typescript"],
	["tsx", "typescriptreact"],
	["js", "javascript"],
	["jsx", "javascriptreact"],
	["py", "python"],
	["sh", "shellscript"],
	["bash", "shellscript"],
	["shell", "shellscript"],
	["zsh", "shellscript"],
	["yml", "yaml"],
	["md", "markdown"],
	["rs", "rust"],
	["rb", "ruby"],
	["cs", "csharp"],
	["c++", "cpp"],
	["golang", "go"],
	["text", "plaintext"],
]);
