import * as vscode from "vscode";
import { fetchPhoto, type Photo, photoAddresses } from "#api/petstore/photo.ts";
import { originOf } from "#app/connections/connection.ts";
import { VIEWS } from "#app/contributions.ts";
import { type PhotoFile, refuseTooLarge, uploadPhoto } from "#app/petstore/pet-service.ts";
import type { PetAddress } from "#app/petstore/pet-text.ts";
import { invalid } from "#base/errors.ts";
import { base64, number, optional, trimmed } from "#base/schema.ts";
import { commandsOf, inSubmenu, onRows, runOn } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { choose, sayQuietly } from "../kit/prompts.ts";
import { Row } from "../kit/rows.ts";
import { PET, petOf } from "./chosen-pets.ts";
import { tellNotConfirmed } from "./chosen-store.ts";
import { nameOf } from "./pet-look.ts";
import { isPetRow } from "./pets-tree.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

const define = commandsOf<PetstoreRoom>({ service: "petstore", palette: false });

/** Commands about photos of pets. */
export const PHOTO_COMMANDS = [
	define("switchboard.petstore.uploadPhoto", "Upload Pet Photo...", {
		menus: [inSubmenu("switchboard.petstore.edit", "2_photo@1")],
		input: { ...PET, name: trimmed(), base64: base64(), metadata: optional(trimmed()) },
		gives: ["{pet, bytes, message, confirmed, now?}"],
		run: runOn(petOf, async (chosen, { argument }, room) => {
			if (argument !== undefined) {
				const { name, base64: bytes, metadata } = argument;
				return upload(chosen, { name, bytes, metadata }, room);
			}
			const filters = { Pictures: ["png", "jpg", "jpeg", "gif", "webp", "avif", "bmp"] };
			const dialog = { title: "Upload Pet Photo", openLabel: "Upload", filters };
			const [picked] = (await vscode.window.showOpenDialog(dialog)) ?? [];
			return picked && uploadAndTell(chosen, await fileAt(picked), room);
		}),
	}),
	define("switchboard.petstore.previewPhoto", "Preview Pet Photo...", {
		icon: "file-media",
		menus: [onRows(VIEWS.pets, "=~ /^pet\\.photo\\b/", "inline@2", "1_open@3")],
		input: { ...PET, photo: optional(number()) },
		gives: ["{url, type, bytes}"],
		run: runOn(petOf, async (chosen, call, room) => {
			const { connection, id } = chosen;
			const find = async (signal: AbortSignal) =>
				room.pets.of(connection).get(id) ?? room.service.get(chosen, { signal });
			const pet = await room.work.run(PREVIEW, find);
			const photos = photoAddresses(pet.photoUrls);
			const url = call.argument ? photoIn(call.argument.photo, photos) : await askPhoto(photos, connection, room);
			const photo = url && (await fetchSeen(url, connection, room, call.argument === undefined));
			if (!photo) return undefined;
			const { bytes, type, suffix } = photo;
			await vscode.commands.executeCommand("vscode.open", room.photos.keep(nameOf(pet), suffix, bytes));
			return { url, type, bytes: bytes.length };
		}),
	}),
];

/** Uploads the one picture file that was dropped on the row of a pet. */
export async function dropOnPet(target: object | undefined, dropped: vscode.DataTransfer, room: PetstoreRoom) {
	if (!(target instanceof Row) || !isPetRow(target)) {
		throw invalid("petstore", "pet", "is missing: drop the picture on a pet");
	}
	const chosen = await petOf({ argument: undefined, row: target }, room, "");
	return chosen && uploadAndTell(chosen, await droppedFile(dropped), room);
}

function upload(pet: PetAddress, file: PhotoFile & { readonly metadata?: string | undefined }, room: PetstoreRoom) {
	const known = room.pets.of(pet.connection).get(pet.id);
	const title = `Uploading a photo of ${known === undefined ? "a pet" : nameOf(known)}`;
	return room.work.run(title, (signal, tell) => {
		const onProgress = (sent: number, total: number) => {
			const percent = total === 0 ? 100 : Math.floor((sent / total) * 100);
			tell(`${percent} %`, percent);
		};
		return uploadPhoto(room.service, pet, file, { signal, onProgress });
	});
}

async function uploadAndTell(pet: PetAddress, file: PhotoFile, room: PetstoreRoom) {
	const result = await upload(pet, file, room);
	const { confirmed, now } = result;
	if (confirmed) sayQuietly("The photo was uploaded.");
	else {
		const seen = now && `The pet has ${now.length} ${now.length === 1 ? "photo" : "photos"}`;
		tellNotConfirmed(room.registry.get(pet.connection)?.label, seen);
	}
	return result;
}

const PREVIEW = "Preview Pet Photo";

/** Fetches a photo from an address that the person has seen, and asks before it is fetched from another host. */
async function fetchSeen(
	url: string,
	connection: string,
	room: PetstoreRoom,
	isAsked: boolean,
): Promise<Photo | undefined> {
	const storeHost = new URL(room.registry.require(connection, "petstore").baseUrl).host;
	const { host: asked } = new URL(url);
	const fetch = (signal: AbortSignal) => fetchPhoto(url, { ...room.fetching(connection), storeHost }, signal);
	const found =
		isAsked || asked === storeHost
			? await room.work.run(`Fetching a photo from ${asked}...`, fetch)
			: { elsewhere: url };
	if ("bytes" in found) return found;
	const { elsewhere } = found;
	const { host } = new URL(elsewhere);
	if (!isAsked) throw invalid("petstore", "photo", `leads to another host, ${host}: a person has to choose that`);
	const answer = await choose(
		{ title: PREVIEW, placeholder: "The photo has moved to another host. Open it there? (sent without credentials)" },
		[{ label: `$(file-media) Photo at ${withoutIcons(host)}`, description: withoutIcons(elsewhere), value: elsewhere }],
	);
	return answer === undefined ? undefined : fetchSeen(answer, connection, room, isAsked);
}

function photoIn(photo = 0, photos: readonly string[]): string {
	const found = photos[photo];
	if (found !== undefined) return found;
	throw invalid("petstore", "photo", `must be the number of a photo on the web, of which there are ${photos.length}`);
}

/** Asks for a photo unless it is the only one and at the store itself. */
async function askPhoto(photos: readonly string[], connection: string, { registry }: PetstoreRoom) {
	const [only, ...others] = photos;
	if (only === undefined) throw invalid("petstore", "photo", "is missing: this pet has none on the web");
	const { baseUrl } = registry.require(connection, "petstore");
	if (others.length === 0 && URL.parse(only)?.origin === originOf(baseUrl)) return only;
	return choose(
		{ title: PREVIEW, placeholder: "Choose a photo to open (sent without credentials)" },
		photos.map((value, at) => ({ label: `$(file-media) Photo ${at + 1}`, description: withoutIcons(value), value })),
	);
}

/** File at an address. Throws ClientError `invalid` if it is too large. */
async function fileAt(uri: vscode.Uri): Promise<PhotoFile> {
	refuseTooLarge((await vscode.workspace.fs.stat(uri)).size);
	return { name: uri.path.split("/").at(-1) ?? "", bytes: await vscode.workspace.fs.readFile(uri) };
}

/** File that was dropped. Throws ClientError `invalid` unless it is exactly one, of an allowed size. */
export async function droppedFile(dropped: vscode.DataTransfer): Promise<PhotoFile> {
	const files = [...dropped].flatMap(([, item]) => item.asFile() ?? []);
	const list = files.length > 0 ? "" : ((await dropped.get("text/uri-list")?.asString()) ?? "");
	// Web addresses are no files: dropping never fetches.
	const addresses = list.split(/\r?\n/).filter((line) => /^[\w.+-]+:/.test(line) && !/^https?:/i.test(line));
	if (files.length + addresses.length > 1) throw invalid("petstore", "file", "must be one: drop a single picture");
	const [file] = files;
	if (file !== undefined) return { name: file.name, bytes: await file.data() };
	const [address] = addresses;
	if (address !== undefined) return fileAt(vscode.Uri.parse(address, true));
	throw invalid("petstore", "file", "is missing: drop a picture file, for nothing is fetched from the web");
}
