import * as vscode from "vscode";
import { isAbsent } from "#api/http/fault.ts";
import { fetchPhoto, photoAddresses } from "#api/petstore/photo.ts";
import { originOf } from "#app/connections/connection.ts";
import { PHOTO_SCHEME } from "#app/contributions.ts";
import type { KnownPet, PetAddress } from "#app/petstore/pet-text.ts";
import { DisposableStore } from "#base/disposables.ts";
import { showPage } from "../kit/page.ts";
import { syntheticRow } from "../kit/tree.ts";
import { describeRefusal } from "../words/show-error.ts";
import { NOT_CONNECTED, nameOfPet, subjectAt } from "./documents.ts";
import { changePet } from "./pet-editing.ts";
import { petPage } from "./pet-page.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

/** Shows the card of a pet in an editor, which follows the pet until it is closed. */
export function showPetCard(uri: vscode.Uri, panel: vscode.WebviewPanel, room: PetstoreRoom): void {
	const { registry, service, pets, orders } = room;
	const subject = subjectAt(uri);
	if (subject?.kind !== "pet") throw new Error("Only a saved pet has a card. Save the document, then open the pet.");
	const { connection, id } = subject;
	const address = { connection, id };
	const closed = new AbortController();
	const { signal } = closed;
	const held = new DisposableStore();
	panel.onDidDispose(() => held.dispose());
	held.add({ dispose: () => closed.abort() });
	let pet: KnownPet | undefined;
	let problem: string | undefined;
	let status: string | undefined;
	/** Photo that is shown, with its address in the editor; null if it could not be fetched. */
	let photo: { readonly url: string; readonly file?: vscode.Uri | null } | undefined;
	const isConnected = () => registry.get(connection, "petstore") !== undefined;
	/** True while work is under way, of which the line tells. */
	const isBusy = () => status?.endsWith("...") === true;
	const label = () => registry.labelOf(connection);
	const draw = showPage(panel, room.extensionUri, {
		icon: { light: "pet-light.svg", dark: "pet-dark.svg" },
		pictures: vscode.Uri.from({ scheme: PHOTO_SCHEME, path: "/" }),
		view() {
			const file = photo?.file;
			return petPage({
				label: label(),
				pet,
				isNamesake: pet && pets.of(connection).isNamesake(pet),
				problem: isConnected() ? problem : NOT_CONNECTED,
				status,
				photo: file ? String(panel.webview.asWebviewUri(file)) : file,
				orders: orders.of(connection).state,
			});
		},
		pressed: (button) => void press(String(button)),
	});

	/** Takes in the pet as it is now; undefined if it is gone. */
	function learn(now: KnownPet | undefined): void {
		pet = now ?? pet;
		const gone = `${pet ? nameOfPet(pet) : "This pet"} is no longer in ${label()}. Close the card, or try again.`;
		[status, problem] = [undefined, now === undefined ? gone : undefined];
		if (now !== undefined) void fetchOwnPhoto(now);
		draw();
	}

	/** Works with a line about it; a failure is told in its place, and the line of success is what `run` resolves to. */
	async function work(words: string, run: () => Promise<string | undefined>): Promise<void> {
		status = words;
		draw();
		try {
			status = await run();
		} catch (error) {
			if (signal.aborted) return;
			if (isAbsent(error)) learn(undefined);
			else [status, problem] = [undefined, describeRefusal(error, label())];
		}
		if (!signal.aborted) draw();
	}

	const load = () =>
		work("Loading the pet...", async () => {
			service.tell({ ...address, after: await service.get(address, { signal }) });
			return undefined;
		});

	/** Fetches the first photo at the store's own origin, which needs no question. */
	async function fetchOwnPhoto({ photoUrls, name = "" }: KnownPet): Promise<void> {
		const origin = originOf(registry.require(connection, "petstore").baseUrl);
		const url = photoAddresses(photoUrls).find((each) => new URL(each).origin === origin);
		if (url === photo?.url) return;
		photo = url === undefined ? undefined : { url };
		const found = url && (await fetchPhoto(url, room.fetching(connection), signal).catch(() => undefined));
		if (url === undefined || photo?.url !== url || signal.aborted) return;
		photo = { url, file: found && "bytes" in found ? room.photos.keep(name, found.suffix, found.bytes) : null };
		draw();
	}

	async function press(button: string): Promise<void> {
		const [action = "", what = ""] = button.split(":");
		if (["openPet", "deletePet", "copyId", "previewPhoto", "openOrder"].includes(action)) {
			const row = syntheticRow({ connection, pet: id, id: what, as: "json" });
			await vscode.commands.executeCommand(`switchboard.petstore.${action}`, row);
		}
		if (action === "copyId") await work("", async () => "The id was copied.");
		// Its error is shown in its place.
		if (action === "orders") await Promise.allSettled([orders.of(connection).refresh()]);
		if (action === "refresh") await load();
		// A second press during the first would be a second change.
		if (action !== "status" || isBusy()) return;
		await work("Changing the status...", async () => {
			const { confirmed, status: now } = await changePet(address, { status: what }, room);
			return confirmed ? `The status is ${now} now.` : "The change is not confirmed. Refresh to see the pet.";
		});
	}

	let listed = pets.of(connection).get(id);
	const follow = () => {
		const before = listed;
		listed = pets.of(connection).get(id);
		if (listed === before) return;
		if (listed !== undefined) learn({ ...listed, id });
		// The list lacks pets of other statuses too. A deletion in this window is known by then.
		else queueMicrotask(() => problem === undefined && !isBusy() && isConnected() && void load());
	};
	const isIt = (change: PetAddress) => change.connection === connection && change.id === id;
	held.add(service.onDidChange((change) => isIt(change) && learn(change.after)));
	held.add(pets.onDidChange((changed) => changed === connection && follow()));
	held.add(orders.onDidChange((changed) => changed === connection && draw()));
	held.add(registry.onDidChange(() => (pet === undefined && isConnected() ? void load() : draw())));
	if (listed !== undefined) learn({ ...listed, id });
	if (isConnected()) void load();
}
