import type * as vscode from "vscode";
import type { PhotoSource } from "#api/petstore/photo.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { PetService } from "#app/petstore/pet-service.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { Pets } from "#app/petstore/pets.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { TreeShell } from "../kit/tree.ts";
import type { ShownTexts } from "../shown-texts.ts";
import { PetFiles } from "./pet-files.ts";
import { PetWork } from "./pet-work.ts";
import { treeOfPets } from "./pets-tree.ts";
import { PhotoFiles } from "./photo-files.ts";

/** Builds the room of the pets; `held` disposes it. */
export function startPets(
	{
		shell,
		filesChanged,
		...given
	}: {
		readonly clients: PetstoreClients;
		/** Editors for lists of failures. */
		readonly texts: ShownTexts;
		/** Gives what photos are fetched with, on behalf of a connection that lends only its name in the log. */
		readonly fetching: (connection: string) => PhotoSource;
		readonly shell: TreeShell;
		/** Tells the editor that the document of a pet has changed. */
		readonly filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
	},
	held: DisposableStore,
) {
	const { clients } = given;
	const { registry } = clients.parts;
	const service = held.add(new PetService(clients));
	const pets = held.add(new Pets(service));
	const work = held.add(new PetWork(pets));
	return {
		...given,
		registry,
		service,
		undo: new PetUndo(service),
		pets,
		documents: held.add(new PetFiles(service, filesChanged)),
		photos: new PhotoFiles(),
		work,
		tree: held.add(treeOfPets(pets, work, registry, shell)),
	};
}

/** Rooms that the Pets view, its commands and the documents of pets work with. */
export type PetRoom = ReturnType<typeof startPets>;
