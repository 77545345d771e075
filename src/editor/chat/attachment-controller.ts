import * as vscode from "vscode";
import { type Attachment, LARGEST_ATTACHMENT, type Snapshot } from "#app/chat/attachments.ts";
import type { Conversations } from "#app/chat/conversations.ts";
import type { Drafts } from "#app/chat/drafts.ts";
import type { StoredSecrets } from "#app/connections/stored-secrets.ts";
import type { Clock } from "#base/clock.ts";
import { invalid } from "#base/errors.ts";
import type { Redactor } from "#base/redaction.ts";
import { sizeOf } from "#base/tokens.ts";
import type { ContextToHost } from "#protocol/context.ts";
import type { ToPanel } from "#protocol/panel.ts";
import { Row } from "../kit/tree.ts";
import { showAttachment } from "./chat-documents.ts";
import { fileSnapshot, nothing, tooLarge } from "./from-editor.ts";
import { type Getter, kindOfRow, SOURCES, type SourceParts } from "./sources.ts";
import { Suggestions } from "./suggestions.ts";

/** Collaborators of the attachments. */
export interface AttachmentOptions {
	readonly conversations: Conversations;
	readonly drafts: Drafts;
	readonly clock: Clock;
	readonly redactor: Redactor;
	readonly secrets: StoredSecrets;
	readonly sources: SourceParts;
}

/** Message of the composer about attachments. */
export type AskedOfAttachments = Exclude<ContextToHost, { readonly type: "draft" | "edit" }>;

/** Answer to a panel; the same function for as long as the panel exists. */
type Answer = (message: ToPanel) => void;

/** So many files are attached that are dropped at once; more were surely not meant. */
const MOST_DROPPED = 100;

/** Attaches things to the message that is being written, by whatever way the person has named them. */
export class AttachmentController {
	readonly parts: AttachmentOptions;
	/** By how a panel is answered: somebody may look for something in two of them. */
	readonly #suggestions = new WeakMap<Answer, Suggestions>();
	/** The rows of our own trees that were dragged last: a page is given their type, and not the rows themselves. */
	#dragged: readonly Row[] = [];
	/** Number of attachments that are being fetched, by conversation. */
	readonly #fetching = new Map<string, number>();

	constructor(parts: AttachmentOptions) {
		this.parts = parts;
	}

	/**
	 * Attaches something to the draft of a conversation, without the secrets that are stored. Rejects where it is too large.
	 */
	async attach(snapshot: Snapshot, conversation = this.parts.conversations.active.id): Promise<Attachment> {
		const { clock, drafts, redactor, secrets } = this.parts;
		const { bytes } = sizeOf(snapshot.text);
		if (bytes > LARGEST_ATTACHMENT) throw tooLarge(snapshot.label, bytes);
		await secrets.ready();
		const id = `a${Math.floor(clock.random() * 36 ** 8).toString(36)}`;
		return drafts.attach(conversation, { id, ...redactor.leaving(snapshot) });
	}

	/**
	 * Attaches several things to a draft, that on screen unless told otherwise, one after the other, and goes on with `done`
	 * where any is attached. What one of them is refused for keeps no other away: it rejects at the end, with the first
	 * reason.
	 */
	async attachAll(
		wanted: readonly Getter[],
		{
			conversation: id = this.parts.conversations.active.id,
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
		});
		if (attached.length > 0) await done?.();
		if (refused.length > 0) throw refused[0];
		return attached;
	}

	/** Rows of a tree are being dragged. */
	dragged(rows: readonly object[]): void {
		this.#dragged = rows.filter((row) => row instanceof Row).filter(({ fields }) => kindOfRow(fields) !== undefined);
	}

	/** True if something that was chosen for a conversation is not attached yet. */
	isFetching(conversation: string): boolean {
		return this.#fetching.has(conversation);
	}

	/** Does what the panel asks for; `post` answers it. */
	async handle(message: AskedOfAttachments, post: Answer): Promise<void> {
		const { conversations, drafts } = this.parts;
		const { active } = conversations;
		switch (message.type) {
			case "suggest":
				await this.#suggestionsFor(post).list(message, post);
				return;
			case "choose":
				await this.#fetch(active.id, async () => {
					const taken = await this.#suggestionsFor(post).take(message.id);
					if (typeof taken === "string") post({ type: "draft", text: taken, above: true });
					else if (taken !== undefined) await this.attach(taken, active.id);
				});
				return;
			case "attach-files":
				await this.attachAll(getters(message.uris));
				return;
			case "attach-dragged":
				await this.attachAll(this.#dragged.map((row) => () => this.#snapshotOf(row)));
				return;
			case "attach":
				await vscode.commands.executeCommand("switchboard.chat.attach");
				post({ type: "focus" });
				return;
			case "detach":
				drafts.detach(active.id, message.id);
				return;
			case "open-attachment": {
				const sent = active.tree.all.flatMap((entry) => (entry.role === "user" ? entry.attachments : []));
				const found = [...drafts.of(active.id).attachments, ...sent].find(({ id }) => id === message.id);
				if (found !== undefined) await showAttachment(found, active.id);
				return;
			}
			case "show-request":
				await vscode.commands.executeCommand("switchboard.chat.showRequest");
				return;
		}
	}

	#suggestionsFor(post: Answer): Suggestions {
		const found = this.#suggestions.get(post) ?? new Suggestions(this.parts.sources);
		this.#suggestions.set(post, found);
		return found;
	}

	async #fetch(conversation: string, work: () => Promise<void>): Promise<void> {
		this.#fetching.set(conversation, (this.#fetching.get(conversation) ?? 0) + 1);
		try {
			await work();
		} finally {
			const left = (this.#fetching.get(conversation) ?? 1) - 1;
			if (left > 0) this.#fetching.set(conversation, left);
			else this.#fetching.delete(conversation);
		}
	}

	async #snapshotOf(row: Row): Promise<Snapshot | undefined> {
		const kind = kindOfRow(row.fields);
		return kind && SOURCES[kind]({ argument: undefined, row }, this.parts.sources);
	}
}

/** The files that were dropped. Of several reasons to refuse something the first is told: that there are too many. */
function getters(uris: readonly string[]): Getter[] {
	const files = uris.slice(0, MOST_DROPPED).map((uri) => async () => fileSnapshot(fileUri(uri)));
	const left = uris.length - files.length;
	if (left === 0) return files;
	const refuse = async () => {
		throw nothing(
			"attachment",
			`At most ${MOST_DROPPED} files are attached at once: ${left} of these ${uris.length} were not.`,
		);
	};
	return [refuse, ...files];
}

/** Address of a dropped file: nothing is fetched from the web because it was dropped. */
function fileUri(text: string): vscode.Uri {
	if (!/^[\w.+-]+:/.test(text) || /^(?:https?|command|data|javascript):/i.test(text)) {
		throw invalid("messages", "file", "must be one: nothing is fetched from the web");
	}
	const uri = vscode.Uri.parse(text, true);
	const folders = vscode.workspace.workspaceFolders ?? [];
	// The window calls what is on our machine remote, where we are not in the window ourselves.
	const isOurs = uri.scheme === "vscode-remote" && !folders.some((each) => each.uri.scheme === uri.scheme);
	return isOurs ? uri.with({ scheme: "file", authority: "" }) : uri;
}
