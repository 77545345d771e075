import type * as vscode from "vscode";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { PetChanges } from "#app/petstore/pet-changes.ts";
import { PetDesk } from "#app/petstore/pet-desk.ts";
import { PetUndo } from "#app/petstore/pet-undo.ts";
import { Pets } from "#app/petstore/pets.ts";
import type { Clock } from "#base/clock.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { ShownTexts } from "../shown-texts.ts";
import type { TreeShell } from "../tree.ts";
import type { PetEditingParts } from "./pet-editing.ts";
import { PetFiles } from "./pet-files.ts";
import { PetWork } from "./pet-work.ts";
import { PetsTree } from "./pets-tree.ts";
import type { PhotoCommandParts } from "./photo-commands.ts";
import { PhotoFiles } from "./photo-files.ts";

/** What pets are shown and edited with. */
export interface PetsOptions extends Pick<PhotoCommandParts, "fetching"> {
	readonly registry: ConnectionRegistry;
	readonly clients: PetstoreClients;
	readonly clock: Clock;
	readonly shell: TreeShell;
	/** Where lists of what failed are shown. */
	readonly texts: ShownTexts;
	/** How the editor hears that the document of a pet has become another. */
	readonly filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
}

/** The room of the pets: what the commands of the Pets view work with, and those that edit pets. */
export interface PetsRoom {
	readonly view: PhotoCommandParts & { readonly tree: PetsTree };
	readonly editing: PetEditingParts;
}

/** Builds what the Pets view, its commands and the documents of pets work with; `held` disposes it. */
export function startPets(options: PetsOptions, held: DisposableStore): PetsRoom {
	const { registry, clients, clock, shell, texts, filesChanged, fetching } = options;
	const changes = held.add(new PetChanges());
	const desk = new PetDesk({ clients, changes, clock });
	const undo = new PetUndo({ desk, clients, changes });
	const files = held.add(new PetFiles({ registry, desk, changes, clock, changed: filesChanged }));
	const pets = held.add(new Pets({ registry, clients, changes }));
	const work = held.add(new PetWork(pets));
	const tree = held.add(new PetsTree({ shell, registry, pets, clock }));
	const view = { registry, pets, tree, work, desk, undo, texts, files: new PhotoFiles(), fetching };
	return { view, editing: { registry, desk, files, view } };
}
