import * as vscode from "vscode";
import type { PhotoSource } from "#api/petstore/photo.ts";
import { PHOTO_SCHEME, VIEWS } from "#app/contributions.ts";
import type { PetstoreClients } from "#app/petstore/clients.ts";
import { pathSegment } from "#app/petstore/documents.ts";
import { orderLists } from "#app/petstore/orders.ts";
import { PetService } from "#app/petstore/pet-service.ts";
import { groupOf, Pets } from "#app/petstore/pets.ts";
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
import { storeKeys } from "./store-look.ts";
import { treeOfStore } from "./store-tree.ts";

/** Most photos that are kept; the oldest are dropped. */
const MOST_PHOTOS = 20;

/** Opened photos as files of the editor, in memory only: a closed window leaves none behind. */
class PhotoFiles {
	readonly #kept = new Map<string, Uint8Array>();
	#count = 0;

	/** Keeps a photo. Its address ends in a file name made of the label. */
	keep(label: string, suffix: string, bytes: Uint8Array): vscode.Uri {
		this.#count += 1;
		const path = `/${this.#count}/${pathSegment(label, "Image")}.${suffix}`;
		const uri = vscode.Uri.from({ scheme: PHOTO_SCHEME, path });
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

	/** Bytes of a photo. Throws FileNotFound, also for one of an earlier window: it is not fetched unasked. */
	readFile(uri: vscode.Uri): Uint8Array {
		const found = this.#kept.get(uri.path);
		if (found === undefined) throw vscode.FileSystemError.FileNotFound(uri);
		return found;
	}
}

/** Builds the services of the pet stores; disposing `held` ends them. */
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
		/** Returns the means to fetch photos. The connection only names them in the log. */
		readonly fetching: (connection: string) => PhotoSource;
		readonly shells: Readonly<Record<"pets" | "store", TreeShell>>;
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
	const intervalMs = () => setting("switchboard.petStore.refreshMinutes") * 60_000;
	const refreshAfterPause = afterPause(clients.parts.clock, intervalMs, () => {
		for (const { id } of registry.list("petstore")) {
			for (const each of [lists.inventories.of(id), lists.orders.of(id)]) each.refreshSoon();
			pets.refreshSoon(id);
		}
	});
	const petsTree = held.add(treeOfPets(pets, work, registry, shells.pets));
	const showStatus = async (connection: string, status: string) => {
		await vscode.commands.executeCommand(`${VIEWS.pets}.focus`);
		await pets.of(connection).load();
		await petsTree.revealAt(...storeKeys(registry, connection), groupOf({ status }));
	};
	held.add(vscode.window.onDidChangeWindowState(({ focused }) => refreshAfterPause(focused)));
	return {
		...given,
		...lists,
		extensionUri,
		registry,
		service,
		pets,
		known,
		users,
		documents: held.add(new DocumentEditors(service, users, pets, filesChanged)),
		photos: new PhotoFiles(),
		work,
		panel: inventoryPanel(lists.inventories, registry, extensionUri, held, showStatus),
		petsTree,
		storeTree: held.add(treeOfStore(shells.store, registry, lists.inventories, lists.orders, users, known, pets)),
	};
}

/** Services of the Pets and Store views, their commands and documents. */
export type PetstoreRoom = ReturnType<typeof startPetstore>;
