import * as vscode from "vscode";
import { CONTEXT, PET_SCHEME, STORE_SCHEME } from "#app/contributions.ts";
import {
	documentPath,
	StoreDocuments,
	type StoreSubject,
	type StoreValue,
	subjectOf,
} from "#app/petstore/documents.ts";
import type { PetService } from "#app/petstore/pet-service.ts";
import type { KnownPet } from "#app/petstore/pet-text.ts";
import { hasPassword } from "#app/petstore/user-text.ts";
import type { Users } from "#app/petstore/users.ts";
import { sayQuietly } from "../kit/prompts.ts";
import type { Row } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import { syntheticRow } from "../kit/tree.ts";
import { isOurs, RemoteFiles } from "./remote-files.ts";

/** Timeout for the editor to release a closed document. Milliseconds. */
const CLOSING_MS = 3_000;

/** Address of the document of a subject. */
export function uriOf(subject: StoreSubject): vscode.Uri {
	const isPet = subject.kind === "pet" || subject.kind === "new pet";
	return vscode.Uri.from({ scheme: isPet ? PET_SCHEME : STORE_SCHEME, path: documentPath(subject) });
}

/** Row for a command in the editor of a pet, if it is one. */
export function petRow(given: unknown): Row | undefined {
	const subject = given instanceof vscode.Uri && isOurs(given) ? subjectOf(given.path) : undefined;
	if (subject?.kind === "pet") return syntheticRow({ connection: subject.connection, pet: subject.id });
	return subject?.kind === "new pet" ? syntheticRow({ connection: subject.connection }) : undefined;
}

/** Name of a pet in a sentence. */
export function nameOfPet({ id, name }: KnownPet): string {
	return plainLine(name, `Pet ${id}`);
}

/** Pets, users and orders in up-to-date editors; an added pet takes the place of the new pet's document. */
export class DocumentEditors extends RemoteFiles {
	/** `filesChanged` informs the editor of changes that are not its own. */
	constructor(service: PetService, users: Users, filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>) {
		super(service.clients, new StoreDocuments(service, users), filesChanged);
		this.held.add(
			service.onDidChange(({ after, connection, id }) => {
				this.tell(uriOf({ kind: "pet", connection, id }), after);
			}),
		);
		this.held.add(
			vscode.workspace.onDidSaveTextDocument((document) => {
				const { kind, connection = "" } = (isOurs(document.uri) && subjectOf(document.uri.path)) || {};
				if (kind === "new pet") void this.#replace(document.uri, connection);
				if (kind === "user" && hasPassword(document.getText())) void this.#openAnew(document);
			}),
		);
		this.held.add(
			service.undoable.onDidChange(() => {
				const uris = service.undoable.steps.map(({ connection, id }) => String(uriOf({ kind: "pet", connection, id })));
				const value = uris.length === 0 ? undefined : uris;
				void vscode.commands.executeCommand("setContext", CONTEXT.changedPets, value);
			}),
		);
	}

	/** Shows the document of a subject that was read just now. */
	async show(
		subject: StoreSubject,
		value: StoreValue,
		options: vscode.TextDocumentShowOptions = {},
	): Promise<vscode.Uri> {
		const uri = uriOf(subject);
		this.begin(uri, value);
		// A document opened by an extension would be kept for minutes after its tab was closed.
		await vscode.commands.executeCommand("vscode.open", uri, { preview: true, ...options });
		return uri;
	}

	/** Opens a document for a new pet, with the cursor at its name. */
	async showNew(connection: string, status = "available"): Promise<vscode.Uri> {
		const taken = (path: string) => vscode.workspace.textDocuments.some(({ uri }) => isOurs(uri) && uri.path === path);
		const uri = uriOf(this.documents.newPet(connection, taken));
		const document = await vscode.workspace.openTextDocument(uri);
		const opening = '"name": "';
		const place = document.positionAt(document.getText().indexOf(opening) + opening.length);
		const options = { preview: false, selection: new vscode.Range(place, place) };
		const editor = await vscode.window.showTextDocument(document, options);
		const at = document.getText().indexOf('available"');
		const range = new vscode.Range(document.positionAt(at), document.positionAt(at + "available".length));
		if (status !== "available") await editor.edit((edit) => edit.replace(range, status));
		return uri;
	}

	/** Shows the added pet in place of the document that it was added from. */
	async #replace(uri: vscode.Uri, connection: string): Promise<void> {
		const pet = this.documents.addedFrom(uri.path);
		if (pet === undefined) return;
		const { tabs, places } = shownAs(uri);
		for (const place of places) {
			await this.show({ kind: "pet", connection, id: pet.id }, pet, { ...place, preview: false });
		}
		await vscode.window.tabGroups.close(tabs, true);
		sayQuietly(`Added ${nameOfPet(pet)} with the id ${pet.id}.`);
	}

	/** Reopens a document that was saved with a password: only closing its last tab drops its undo history. */
	async #openAnew(document: vscode.TextDocument): Promise<void> {
		const { uri } = document;
		const { tabs, places } = shownAs(uri);
		if (document.isDirty || tabs.length === 0) return;
		const isClosed = closing(document);
		await vscode.window.tabGroups.close(tabs, true);
		if (!(await isClosed)) {
			sayQuietly("The document was closed, so that the password cannot be brought back by Undo.");
			return;
		}
		for (const place of places) await vscode.commands.executeCommand("vscode.open", uri, place);
	}
}

/** Tabs of a document, and the places of those that show nothing else. */
function shownAs(uri: vscode.Uri) {
	const isShown = ({ input }: vscode.Tab) =>
		(input instanceof vscode.TabInputText && String(input.uri) === String(uri)) ||
		(input instanceof vscode.TabInputTextDiff && String(input.modified) === String(uri));
	const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(isShown));
	const places = tabs
		.filter(({ input }) => input instanceof vscode.TabInputText)
		.map(({ group: { viewColumn, isActive: isIn }, isActive, isPreview }) => {
			return { viewColumn, preview: isPreview, preserveFocus: !(isIn && isActive) };
		});
	return { tabs, places };
}

/** Resolves to true if the editor releases a document soon. */
function closing(document: vscode.TextDocument): Promise<boolean> {
	const { promise, resolve } = Promise.withResolvers<boolean>();
	const listener = vscode.workspace.onDidCloseTextDocument((each) => each === document && resolve(true));
	const timer = setTimeout(resolve, CLOSING_MS, false);
	return promise.finally(() => {
		clearTimeout(timer);
		listener.dispose();
	});
}
