import * as vscode from "vscode";
import { unlessAborted } from "#api/http/exchange.ts";
import { STORE_SCHEME } from "#app/contributions.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import type { RemoteDocument } from "#app/petstore/remote-text.ts";
import { pathOfSubject, type StoreSubject, storeDocument, subjectOfPath } from "#app/petstore/store-documents.ts";
import { hasPassword } from "#app/petstore/user-text.ts";
import type { Users } from "#app/petstore/users.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { sayQuietly } from "./pet-files.ts";
import { RemoteFiles } from "./remote-files.ts";

/** So long the editor may take to let go of a document that was closed. Milliseconds. */
const CLOSING_MS = 3_000;

/** Users and orders in editors: saving a user applies it. */
export class StoreDocuments implements Disposable {
	readonly files: RemoteFiles;
	readonly #documentOf: (subject: StoreSubject) => RemoteDocument;
	readonly #held = new DisposableStore();

	/** `filesChanged` tells the editor of changes that are not its own. */
	constructor(clients: PetstoreClients, users: Users, filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>) {
		this.#documentOf = (subject) => storeDocument(subject, clients, users);
		const open = (path: string) => {
			const subject = subjectOfPath(path);
			return subject && this.#documentOf(subject);
		};
		this.files = this.#held.add(new RemoteFiles(clients.parts, { scheme: STORE_SCHEME, open, filesChanged }));
		this.#held.add(
			vscode.workspace.onDidSaveTextDocument((document) => {
				if (document.uri.scheme === STORE_SCHEME && hasPassword(document.getText())) void this.#openAnew(document);
			}),
		);
	}

	/** Opens a document. Rejects with ClientError when there is no such thing, what else the service says, or `aborted`. */
	async open(subject: StoreSubject, signal: AbortSignal): Promise<string> {
		const uri = uriOfSubject(subject);
		const told = await unlessAborted(this.#documentOf(subject).read(), signal, "petstore");
		this.files.begin(uri, told);
		// A document that an extension opens by itself is kept for minutes after its tab was closed.
		await vscode.commands.executeCommand("vscode.open", uri, { preview: true });
		return told;
	}

	dispose(): void {
		this.#held.dispose();
	}

	/**
	 * Closes a document that was saved with a password and opens it again: to load it anew is a change that Ctrl+Z takes
	 * back, and only with the last tab of a document the editor drops what can be undone.
	 */
	async #openAnew(document: vscode.TextDocument): Promise<void> {
		const { uri } = document;
		const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.filter(({ input }) => shows(input, uri)));
		if (document.isDirty || tabs.length === 0) return;
		const places = tabs
			.filter(({ input }) => input instanceof vscode.TabInputText)
			.map(({ group: { viewColumn, isActive: isIn }, isActive, isPreview }) => {
				const editor = vscode.window.visibleTextEditors.find(
					(each) => each.document === document && each.viewColumn === viewColumn,
				);
				return { viewColumn, preview: isPreview, preserveFocus: !(isIn && isActive), selection: editor?.selection };
			});
		const isClosed = closing(document);
		await vscode.window.tabGroups.close(tabs, true);
		if (!(await isClosed)) {
			sayQuietly("The document was closed, so that the password cannot be brought back by Undo.");
			return;
		}
		for (const place of places) await vscode.commands.executeCommand("vscode.open", uri, place);
	}
}

function shows(input: unknown, uri: vscode.Uri): boolean {
	if (input instanceof vscode.TabInputTextDiff) return String(input.modified) === String(uri);
	return input instanceof vscode.TabInputText && String(input.uri) === String(uri);
}

/** Address of the document of an order or a user. */
export function uriOfSubject(subject: StoreSubject): vscode.Uri {
	return vscode.Uri.from({ scheme: STORE_SCHEME, path: pathOfSubject(subject) });
}

/** Resolves to whether the editor lets go of a document soon. */
function closing(document: vscode.TextDocument): Promise<boolean> {
	return new Promise((resolve) => {
		const end = (isClosed: boolean) => {
			clearTimeout(timer);
			listener.dispose();
			resolve(isClosed);
		};
		const listener = vscode.workspace.onDidCloseTextDocument((each) => each === document && end(true));
		const timer = setTimeout(end, CLOSING_MS, false);
	});
}
