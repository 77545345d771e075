import * as vscode from "vscode";
import { PanelFeed } from "#app/chat/feed.ts";
import { DEFAULT_EFFORT, NO_EFFORT } from "#app/chat/parameters.ts";
import { nextTurn } from "#app/chat/request.ts";
import { definedOnly } from "#app/chat/request-target.ts";
import type { ChatSession } from "#app/chat/session.ts";
import type { Disposable } from "#base/disposables.ts";
import { capitalized } from "#base/one-line.ts";
import { type ComposerView, decodeToHost, isAskedOfMessage, type ToHost, type ToPanel } from "#protocol/panel.ts";
import { SANDBOX_IDS, sandboxExamples } from "../connections/sandbox-connection.ts";
import { loadPage, openLink } from "../kit/page.ts";
import { lastActiveEditor } from "../last-active-editor.ts";
import { setting } from "../settings.ts";
import { describeEnding } from "../words/reply-words.ts";
import type { ChatRoom } from "./chat-room.ts";
import { compareWithEditor } from "./compare.ts";
import { actForPanel, askForPanel } from "./panel-actions.ts";
import { costOfConversation, offeredTools, say, sizeOfRequest } from "./say.ts";
import { Suggestions } from "./suggestions.ts";
import { toolsView } from "./tool-commands.ts";

/** Serves one webview, in the sidebar or in an editor tab. */
export class PanelHost implements Disposable {
	readonly #room: ChatRoom;
	readonly #focused: (host: PanelHost, inside: boolean) => void;
	readonly #feed: PanelFeed;
	readonly #subscription: vscode.Disposable;
	readonly #post: (message: ToPanel) => void;
	readonly #suggestions: Suggestions;
	/** Messages for the page once it is ready. */
	#waiting: ToPanel[] = [];
	#isThere = false;

	/** `focused` is called when the focus enters or leaves the panel. */
	constructor(webview: vscode.Webview, room: ChatRoom, focused: (host: PanelHost, inside: boolean) => void) {
		this.#room = room;
		this.#focused = focused;
		this.#suggestions = new Suggestions(room.sources);
		const { conversations, clock, secretFilter, extensionUri, models, registry } = room;
		const { drafts } = room.store;
		// Images are not redacted: they may be megabytes.
		this.#post = (message) => {
			const isImage = message.type === "image" || message.type === "picked-image";
			void webview.postMessage(isImage ? message : secretFilter.redact(message));
		};
		this.#feed = new PanelFeed({
			conversations,
			clock,
			drafts,
			post: this.#post,
			describe: (ending, context) => {
				const connection = registry.get(context.connectionId ?? "", "messages");
				return describeEnding(ending, context, models.capabilities(connection, context.model).maxOutputTokens);
			},
			composer: (session) => ({ ...composerOf(session, room), ...toolsView(session, room) }),
		});
		this.#subscription = webview.onDidReceiveMessage((value: unknown) => {
			const message = decodeToHost(value);
			if (message !== undefined) this.#handle(message).catch(room.report);
		});
		loadPage(webview, extensionUri, "panel");
	}

	/** Stops posting to a hidden panel, whose page requests everything when it is back. */
	hidden(): void {
		this.#isThere = false;
		this.#focused(this, false);
		this.#feed.gone();
	}

	composerChanged(): void {
		this.#feed.composerChanged();
	}

	/** Sends a message to the page once it is loaded. */
	tell(message: ToPanel): void {
		if (this.#isThere) this.#post(message);
		else this.#waiting.push(message);
	}

	dispose(): void {
		this.#focused(this, false);
		this.#subscription.dispose();
		this.#feed.dispose();
	}

	async #handle(message: ToHost): Promise<void> {
		const { active } = this.#room.conversations;
		if (isAskedOfMessage(message)) return askForPanel(message, this.#room);
		switch (message.type) {
			case "ready":
				this.#feed.ready();
				this.#isThere = true;
				for (const waiting of this.#waiting.splice(0)) this.tell(waiting);
				return;
			case "focus":
				return this.#focused(this, message.inside);
			case "ack":
				return this.#feed.acknowledge(message.batch);
			case "send":
				await say(message.text, this.#room, message.now);
				return;
			case "stop":
				active.stop();
				return;
			case "action":
				return actForPanel(message.action, message.message, this.#room);
			case "copy":
				return vscode.env.clipboard.writeText(this.#room.secretFilter.redact(message.text));
			case "insert":
				return insertAtCursor(message.text, message.language);
			case "open-code":
				return openCode(message.text, message.language);
			case "compare":
				return compareWithEditor(message.text, this.#room.texts);
			case "open-link":
				return openLink(message.url);
			case "draft":
				return this.#feed.typed(message);
			case "edit":
				return this.#feed.edited(message);
			default:
				return this.#room.attachments.handle(message, this.#suggestions, this.#post);
		}
	}
}

/** Target of the next message, and its size without the typed text. */
function composerOf(session: ChatSession, room: ChatRoom): Omit<ComposerView, "busy" | "title"> {
	const { store, models } = room;
	const { connection, model } = session.target;
	const next = nextTurn({ text: "", attachments: store.drafts.of(session.id).attachments });
	const { effort = "" } = session.facts.parameters ?? {};
	const { efforts, contextTokens, unknown } = models.capabilities(connection, model);
	const cost = costOfConversation(session, room);
	return {
		...(connection === undefined ? {} : { connection: connection.label, ...(model === "" ? {} : { model }) }),
		...(efforts.length > 0 && {
			effort: capitalized([NO_EFFORT, ...efforts].includes(effort) ? effort : DEFAULT_EFFORT),
		}),
		...(connection?.id === SANDBOX_IDS.messages && {
			examples: sandboxExamples(offeredTools(session, room), room.registry, room.sources.issues.repositories),
		}),
		...(contextTokens !== null && { contextTokens }),
		...(connection !== undefined && model !== "" && unknown.length > 0 && { unknown }),
		...(cost && { cost: { ...cost, ...definedOnly({ limit: setting("switchboard.chat.costLimit") }) } }),
		budget: setting("switchboard.chat.contextBudget"),
		tokens: sizeOfRequest([...session.entries, next], session, room),
		pasteLimit: setting("switchboard.chat.pasteLimit"),
	};
}

/** Inserts code at the cursor, or into a new editor if there is none. */
async function insertAtCursor(text: string, name: string): Promise<void> {
	const editor = lastActiveEditor();
	const inserted = await editor?.edit((edit) => {
		for (const selection of editor.selections) edit.replace(selection, text);
	});
	if (editor === undefined || inserted !== true) {
		await openCode(text, name);
		return;
	}
	await vscode.window.showTextDocument(editor.document, editor.viewColumn ?? vscode.ViewColumn.Active);
}

async function openCode(content: string, name: string): Promise<void> {
	const alias = LANGUAGE_ALIASES.get(name.toLowerCase()) ?? name.toLowerCase();
	const known = await vscode.languages.getLanguages();
	const document = await vscode.workspace.openTextDocument(
		known.includes(alias) ? { content, language: alias } : { content },
	);
	await vscode.window.showTextDocument(document);
}

/** Language ids of the editor by names in fences. */
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
