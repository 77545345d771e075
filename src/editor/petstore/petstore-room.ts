import type * as vscode from "vscode";
import type { PhotoSource } from "#api/petstore/photo.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { orderLists } from "#app/petstore/orders.ts";
import { PetService } from "#app/petstore/pet-service.ts";
import { Pets } from "#app/petstore/pets.ts";
import { inventories } from "#app/petstore/store-resources.ts";
import { KnownUsers, Users } from "#app/petstore/users.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { TreeShell } from "../kit/tree.ts";
import type { ShownTexts } from "../shown-texts.ts";
import { DocumentEditors } from "./documents.ts";
import { InventoryPanel } from "./inventory-panel.ts";
import { PetWork } from "./pet-work.ts";
import { treeOfPets } from "./pets-tree.ts";
import { PhotoFiles } from "./photo-files.ts";
import { treeOfStore } from "./store-tree.ts";

/** Builds the room of the pet stores; `held` disposes it. */
export function startPetstore(
	{
		store,
		shells,
		filesChanged,
		extensionUri,
		...given
	}: {
		readonly clients: PetstoreClients;
		/** Storage for names of users. */
		readonly store: KeyValueStore;
		/** Editors for lists of failures. */
		readonly texts: ShownTexts;
		/** Gives what photos are fetched with, on behalf of a connection that lends only its name in the log. */
		readonly fetching: (connection: string) => PhotoSource;
		readonly shells: Readonly<Record<"pets" | "store", TreeShell>>;
		/** Informs the editor that the document of a pet, a user or an order has changed. */
		readonly filesChanged: vscode.EventEmitter<vscode.FileChangeEvent[]>;
		readonly extensionUri: vscode.Uri;
	},
	held: DisposableStore,
) {
	const { clients } = given;
	const { registry } = clients.parts;
	const service = held.add(new PetService(clients));
	const pets = held.add(new Pets(service));
	const known = held.add(new KnownUsers(store, registry));
	const users = held.add(new Users(clients, known));
	const work = held.add(new PetWork(pets));
	const lists = { inventories: held.add(inventories(clients)), orders: held.add(orderLists(clients)) };
	return {
		...{ ...given, ...lists, registry, service, pets, known, users },
		documents: held.add(new DocumentEditors(service, users, filesChanged)),
		photos: new PhotoFiles(),
		work,
		panel: held.add(new InventoryPanel(lists.inventories, registry, extensionUri)),
		petsTree: held.add(treeOfPets(pets, work, registry, shells.pets)),
		storeTree: held.add(treeOfStore(shells.store, registry, lists.inventories, lists.orders, users, known)),
	};
}

/** Rooms that the Pets view, the Store view, their commands and documents work with. */
export type PetstoreRoom = ReturnType<typeof startPetstore>;
