import * as vscode from "vscode";
import { CONTEXT, PET_SCHEME } from "#app/contributions.ts";
import { connectionOfPath, PetDocuments, pathOfPet, petOfPath } from "#app/petstore/pet-documents.ts";
import type { PetService } from "#app/petstore/pet-service.ts";
import { type KnownPet, petText } from "#app/petstore/pet-text.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { withoutIcons } from "../kit/plain.ts";
import type { Row } from "../kit/rows.ts";
import { plainLine } from "../kit/text.ts";
import { asked } from "../kit/tree.ts";
import { RemoteFiles } from "./remote-files.ts";

/** Time that a message stays in the status bar. Milliseconds. */
const SAID_MS = 5000;

/** The address of a pet's document. */
export function uriOfPet(pet: { readonly connection: string; readonly id: string }): vscode.Uri {
	return vscode.Uri.from({ scheme: PET_SCHEME, path: pathOfPet(pet) });
}

/** Row for a command in the editor of a pet; undefined for another editor. */
export function petRow(given: unknown): Row | undefined {
	if (!(given instanceof vscode.Uri) || given.scheme !== PET_SCHEME) return undefined;
	const { connection, id } = petOfPath(given.path) ?? { connection: connectionOfPath(given.path), id: undefined };
	return asked({ connection, pet: id });
}

/** Name of a pet in a sentence. */
export function nameOfPet({ id, name }: KnownPet): string {
	return plainLine(name ?? null, `Pet ${id}`);
}

/** Says something at the bottom of the window that nobody has to answer. */
export function sayQuietly(text: string): void {
	vscode.window.setStatusBarMessage(withoutIcons(text), SAID_MS);
}

/** Pets in editors: opens them, keeps what is open true, and puts a pet in the place of the new one that it was. */
export class PetFiles implements Disposable {
	readonly files: RemoteFiles;
	readonly #documents: PetDocuments;
	readonly #held = new DisposableStore();

	/** `filesChanged` tells the editor of changes that are not its own. */
	constructor(service: PetService, filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>) {
		this.#documents = new PetDocuments(service);
		const open = (path: string) => this.#documents.open(path);
		this.files = this.#held.add(new RemoteFiles(service.clients.parts, { scheme: PET_SCHEME, open, filesChanged }));
		this.#held.add(
			service.onDidChange(({ after, connection, id }) => {
				this.files.tell(uriOfPet({ connection, id }), after && petText(after));
			}),
		);
		this.#held.add(vscode.workspace.onDidSaveTextDocument(({ uri }) => isOurs(uri) && void this.#replace(uri)));
		this.#held.add(
			service.undoable.onDidChange(() => {
				const uris = service.undoable.steps.map((step) => String(uriOfPet(step)));
				const value = uris.length === 0 ? undefined : uris;
				void vscode.commands.executeCommand("setContext", CONTEXT.changedPets, value);
			}),
		);
	}

	/** Shows the document of a pet that was read just now. */
	async show(connection: string, pet: KnownPet): Promise<vscode.Uri> {
		const uri = uriOfPet({ connection, id: pet.id });
		this.files.begin(uri, petText(pet));
		await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
		return uri;
	}

	/** Shows a document for a pet that is yet to be, ready for its name. */
	async showNew(connection: string): Promise<vscode.Uri> {
		const taken = (path: string) => vscode.workspace.textDocuments.some(({ uri }) => isOurs(uri) && uri.path === path);
		const uri = vscode.Uri.from({ scheme: PET_SCHEME, path: this.#documents.newPath(connection, taken) });
		const document = await vscode.workspace.openTextDocument(uri);
		const opening = '"name": "';
		const place = document.positionAt(document.getText().indexOf(opening) + opening.length);
		await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(place, place) });
		return uri;
	}

	dispose(): void {
		this.#held.dispose();
	}

	/** Shows the pet itself where the document was from which it has just been added. */
	async #replace(uri: vscode.Uri): Promise<void> {
		const pet = this.#documents.addedFrom(uri.path);
		if (pet === undefined) return;
		const added = uriOfPet({ connection: connectionOfPath(uri.path), id: pet.id });
		for (const { tabs, viewColumn } of vscode.window.tabGroups.all) {
			for (const tab of tabs) {
				if (!(tab.input instanceof vscode.TabInputText) || String(tab.input.uri) !== String(uri)) continue;
				const preserveFocus = !(tab.isActive && tab.group.isActive);
				this.files.begin(added, petText(pet));
				const document = await vscode.workspace.openTextDocument(added);
				await vscode.window.showTextDocument(document, { viewColumn, preview: false, preserveFocus });
				await vscode.window.tabGroups.close(tab, true);
			}
		}
		sayQuietly(`Added ${nameOfPet(pet)} with the id ${pet.id}.`);
	}
}

function isOurs({ scheme }: vscode.Uri): boolean {
	return scheme === PET_SCHEME;
}
