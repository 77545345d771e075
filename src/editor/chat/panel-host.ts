import * as vscode from "vscode";
import type { Conversations } from "#app/chat/conversations.ts";
import { type FeedParts, PanelFeed } from "#app/chat/feed.ts";
import type { Disposable } from "#base/disposables.ts";
import type { Redactor } from "#base/redaction.ts";
import { decodeToHost, type PanelAction, type ToHost } from "#protocol/panel.ts";
import { panelOptions, panelPage } from "./panel-page.ts";

/** What every panel of the chat shares. */
export interface PanelParts extends Omit<FeedParts, "post" | "isSecret"> {
	readonly extensionUri: vscode.Uri;
	readonly conversations: Conversations;
	/** Does what a button of the panel asks for; `message` is the reply the button belongs to. */
	readonly act: (action: PanelAction, message: string | undefined) => Promise<void>;
	readonly report: (error: unknown) => void;
	/** Removes secrets from what goes to the panel or the clipboard: a service may well repeat the key it was sent. */
	readonly redactor: Redactor;
}

/** Serves one webview, in the sidebar or in an editor tab. */
export class PanelHost implements Disposable {
	readonly #parts: PanelParts;
	readonly #webview: vscode.Webview;
	readonly #feed: PanelFeed;
	readonly #subscription: vscode.Disposable;
	#draft: string | undefined;
	#isThere = false;

	constructor(webview: vscode.Webview, parts: PanelParts) {
		this.#parts = parts;
		this.#webview = webview;
		const { redactor } = parts;
		this.#feed = new PanelFeed({
			...parts,
			post: (message) => void webview.postMessage(redactor.redactAll(message)),
			isSecret: (text) => redactor.redactProse(text) !== text,
		});
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
		this.#feed.gone();
	}

	composerChanged(): void {
		this.#feed.composerChanged();
	}

	focusComposer(): void {
		void this.#webview.postMessage({ type: "focus" });
	}

	/** Puts text into the composer; a page that is not there yet gets it once it is. */
	addDraft(text: string): void {
		if (this.#isThere) void this.#webview.postMessage({ type: "draft", text });
		else this.#draft = text;
	}

	dispose(): void {
		this.#subscription.dispose();
		this.#feed.dispose();
	}

	async #handle(message: ToHost): Promise<void> {
		const { active } = this.#parts.conversations;
		switch (message.type) {
			case "ready":
				this.#feed.ready();
				this.#isThere = true;
				if (this.#draft !== undefined) this.addDraft(this.#draft);
				this.#draft = undefined;
				return;
			case "ack":
				this.#feed.acknowledge(message.batch);
				return;
			case "send":
				if (message.text.trim() !== "") await active.send(message.text);
				return;
			case "stop":
				active.stop();
				return;
			case "action":
				await this.#parts.act(message.action, message.message);
				return;
			case "copy":
				await vscode.env.clipboard.writeText(this.#parts.redactor.redactProse(message.text));
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
	const editor = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors].find(isForCode);
	const inserted = await editor?.edit((edit) => {
		for (const selection of editor.selections) edit.replace(selection, text);
	});
	if (editor === undefined || inserted !== true) {
		await openCode(text, infoString);
		return;
	}
	await vscode.window.showTextDocument(editor.document, editor.viewColumn ?? vscode.ViewColumn.Active);
}

/** Output, logs and the boxes of other views are text editors to the API, but nobody's code. */
function isForCode(editor: vscode.TextEditor | undefined): editor is vscode.TextEditor {
	return editor !== undefined && editor.viewColumn !== undefined && editor.document.uri.scheme !== "output";
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
