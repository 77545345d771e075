import * as vscode from "vscode";
import type { Conversations } from "#app/chat/conversations.ts";
import { type FeedParts, PanelFeed } from "#app/chat/feed.ts";
import type { SecretFilter } from "#app/chat/redacted-reply.ts";
import type { Disposable } from "#base/disposables.ts";
import { type AskedOfMessage, decodeToHost, type PanelAction, type ToHost, type ToPanel } from "#protocol/panel.ts";
import type { AskedOfAttachments } from "./attachment-controller.ts";
import { lastActiveEditor } from "./last-active-editor.ts";

/** Collaborators that all panels of the chat share. */
export interface PanelParts extends Omit<FeedParts, "post"> {
	readonly extensionUri: vscode.Uri;
	readonly conversations: Conversations;
	/** Removes secrets from what is posted. */
	readonly secretFilter: Pick<SecretFilter, "redact">;
	/** Does what a button of the panel asks for; `message` is the reply the button belongs to. */
	readonly act: (action: PanelAction, message: string | undefined) => Promise<void>;
	/** Does what the composer asks for about what is attached; the second argument answers it. */
	readonly context: (message: AskedOfAttachments, post: (message: ToPanel) => void) => Promise<void>;
	/** Sends what was typed. */
	readonly say: (text: string) => Promise<unknown>;
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
	/** Messages for the page once it is ready. */
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
				if (message.text.trim() !== "") await this.#parts.say(message.text);
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

/** Inserts code at the cursor, or into a new editor if there is none. */
async function insertAtCursor(text: string, infoString: string): Promise<void> {
	const editor = lastActiveEditor();
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

/** Language ids of the editor by the names that fences use. */
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

/** The built files of the panel, relative to the extension's root. */
const SCRIPT = ["dist", "panel.js"];
const STYLES = [
	["dist", "codicon.css"],
	["dist", "panel.css"],
];

/** Options of the webview: it may run scripts and read files from the extension's own folders. */
function panelOptions(extensionUri: vscode.Uri): vscode.WebviewOptions {
	return {
		enableScripts: true,
		localResourceRoots: [vscode.Uri.joinPath(extensionUri, "dist"), vscode.Uri.joinPath(extensionUri, "media")],
	};
}

/**
 * The page of the chat panel. It holds nothing of the conversation: all of that comes as messages. The policy allows
 * one script by nonce, our styles and icon font, and no HTML from strings at all (Trusted Types without any policy).
 */
function panelPage(webview: vscode.Webview, extensionUri: vscode.Uri): string {
	const nonce = crypto.randomUUID().replaceAll("-", "");
	const address = (path: readonly string[]) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...path));
	const policy = [
		"default-src 'none'",
		"base-uri 'none'",
		"form-action 'none'",
		`script-src 'nonce-${nonce}'`,
		`style-src ${webview.cspSource}`,
		`font-src ${webview.cspSource}`,
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	].join("; ");
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard Chat</title>
${STYLES.map((path) => `<link rel="stylesheet" href="${address(path)}">`).join("\n")}
</head>
<body>
<div id="app"></div>
<script nonce="${nonce}" src="${address(SCRIPT)}"></script>
</body>
</html>`;
}
