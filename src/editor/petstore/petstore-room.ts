import * as vscode from "vscode";
import type { PhotoSource } from "#api/petstore/photo.ts";
import { PHOTO_SCHEME } from "#app/contributions.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { orderLists } from "#app/petstore/orders.ts";
import { PetService } from "#app/petstore/pet-service.ts";
import { Pets } from "#app/petstore/pets.ts";
import { afterPause, inventories } from "#app/petstore/store-resources.ts";
import { KnownUsers, Users } from "#app/petstore/users.ts";
import type { KeyValueStore } from "#app/ports.ts";
import type { DisposableStore } from "#base/disposables.ts";
import type { TreeShell } from "../kit/tree.ts";
import { setting } from "../settings.ts";
import type { ShownTexts } from "../shown-texts.ts";
import { DocumentEditors } from "./documents.ts";
import { inventoryPanel } from "./inventory-panel.ts";
import { petWork } from "./pet-work.ts";
import { treeOfPets } from "./pets-tree.ts";
import { treeOfStore } from "./store-tree.ts";

/** Photos that are kept; the oldest make room. */
const MOST_PHOTOS = 20;

/** Photos that were opened, as files of the editor. In memory only: a closed window leaves none behind. */
class PhotoFiles {
	readonly #kept = new Map<string, Uint8Array>();
	#count = 0;

	/** Keeps a photo, and gives its address, which ends in what a file may have of its label. */
	keep(label: string, suffix: string, bytes: Uint8Array): vscode.Uri {
		this.#count += 1;
		const name = label.replaceAll(/[^\p{L}\p{N} .-]+/gu, "_").slice(0, 60) || "Image";
		const uri = vscode.Uri.from({ scheme: PHOTO_SCHEME, path: `/${this.#count}/${name}.${suffix}` });
		this.#kept.set(uri.path, bytes);
		const [oldest = ""] = this.#kept.keys();
		if (this.#kept.size > MOST_PHOTOS) this.#kept.delete(oldest);
		return uri;
	}

	/** Facts of a photo as a file. Throws FileNotFound. */
	stat(uri: vscode.Uri): vscode.FileStat {
		const { length: size } = this.readFile(uri);
		return { type: vscode.FileType.File, ctime: 0, mtime: 0, size, permissions: vscode.FilePermission.Readonly };
	}

	/** The bytes of a photo. Throws FileNotFound: one of a window before is not fetched again unasked. */
	readFile(uri: vscode.Uri): Uint8Array {
		const found = this.#kept.get(uri.path);
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return found;
	}
}

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
	const work = petWork(pets, held);
	const lists = { inventories: held.add(inventories(clients)), orders: held.add(orderLists(clients)) };
	const intervalMs = () => setting("switchboard.petstore.refreshMinutes") * 60_000;
	const refreshAfterPause = afterPause(clients.parts.clock, intervalMs, () => {
		for (const { id } of registry.list("petstore")) {
			for (const each of [lists.inventories.of(id), lists.orders.of(id)]) each.refreshSoon();
			pets.refreshSoon(id);
		}
	});
	held.add(vscode.window.onDidChangeWindowState(({ focused }) => refreshAfterPause(focused)));
	return {
		...given,
		...lists,
		registry,
		service,
		pets,
		known,
		users,
		documents: held.add(new DocumentEditors(service, users, filesChanged)),
		photos: new PhotoFiles(),
		work,
		panel: inventoryPanel(lists.inventories, registry, extensionUri, held),
		petsTree: held.add(treeOfPets(pets, work, registry, shells.pets)),
		storeTree: held.add(treeOfStore(shells.store, registry, lists.inventories, lists.orders, users, known)),
	};
}

/** Rooms that the Pets view, the Store view, their commands and documents work with. */
export type PetstoreRoom = ReturnType<typeof startPetstore>;
