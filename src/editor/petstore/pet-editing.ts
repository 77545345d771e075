import * as vscode from "vscode";
import { PET_STATUSES } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { type ChangedPet, type PetAddress, type PetForm, readPartOfAddress } from "#app/petstore/pet-service.ts";
import { type KnownPet, NEW_PET } from "#app/petstore/pet-text.ts";
import { type Confirmation, confirmationOf } from "#app/petstore/write.ts";
import { invalid } from "#base/errors.ts";
import { optionalText } from "../kit/arguments.ts";
import type { Call } from "../kit/call.ts";
import { givenIn } from "../kit/command.ts";
import { withoutIcons, withoutLinks } from "../kit/plain.ts";
import { askChoice, askText, BACK } from "../kit/prompts.ts";
import { asked } from "../kit/tree.ts";
import { withProgress } from "../progress.ts";
import { namedPet, petOf } from "./chosen-pets.ts";
import { storeOf } from "./chosen-store.ts";
import { CAN_UNDO, deleteSeveral, severalToDelete, type ToldFailure, tellUndone, toldFailure } from "./many-pets.ts";
import { nameOfPet, petRow, sayQuietly } from "./pet-files.ts";
import type { PetRoom } from "./pet-room.ts";
import { notConfirmedWords } from "./words.ts";

/** A pet as commands tell of it; null where the store names none. */
export interface ToldPet {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's id, as exact digits. */
	readonly pet: string;
	readonly name: string | null;
	readonly status: string | null;
}

/** The address of a document, by which any extension can open it. */
interface Opened {
	readonly connection: string;
	readonly uri: string;
}

/** Opens a pet as a document; saving it changes the pet. */
export async function openPet(call: Call, room: PetRoom): Promise<(ToldPet & Opened) | undefined> {
	// Whoever opens a pet wants another than the one in front.
	const chosen = await namedPet(call, room, "Open Pet");
	if (chosen === undefined) return undefined;
	const address = { connection: chosen.connection, id: chosen.pet };
	// Asked for by ourselves, what goes wrong has words and a way on.
	const pet = await patiently(call, "Opening the pet...", (signal) => room.service.get(address, { signal }));
	return { ...told(address.connection, pet), uri: String(await room.documents.show(address.connection, pet)) };
}

/** Opens a document for a pet that is added when it is saved; with a name in the argument it is added at once. */
export async function newPet(
	call: Call,
	room: PetRoom,
): Promise<(ToldPet & Confirmation<ToldPet>) | Opened | undefined> {
	const connection = (await storeOf(call, room.registry, "New Pet"))?.id;
	if (connection === undefined) return undefined;
	const fields = call.argument ?? {};
	const [name, status] = [optionalText(fields, "name"), optionalText(fields, "status")];
	if (name === undefined && status !== undefined) throw invalid("petstore", "name", "is missing");
	if (name === undefined) return { connection, uri: String(await room.documents.showNew(connection)) };
	const draft = { ...NEW_PET, name, ...(status === undefined ? {} : { status }) };
	const added = await room.service.add(connection, draft);
	return { ...told(connection, added.pet), ...confirmation(connection, added) };
}

/** Deletes a pet, or all that are selected; a person is asked before, and can undo it afterwards. */
export async function deletePet(
	call: Call,
	room: PetRoom,
): Promise<(ToldPet & Confirmation<ToldPet> & { readonly deleted: boolean }) | undefined> {
	const several = severalToDelete(call, room);
	if (several !== undefined) {
		await deleteSeveral(several, room);
		return undefined;
	}
	const address = await addressOf(call, room, "Delete Pet");
	if (address === undefined) return undefined;
	const { service } = room;
	if (call.argument === undefined) {
		const pet = await patiently(call, "Asking for the pet...", (signal) => service.get(address, { signal }));
		const label = room.registry.get(address.connection)?.label ?? "the store";
		const detail = `Pet ${address.id} is taken out of ${label}. ${CAN_UNDO}`;
		const choice = await vscode.window.showWarningMessage(
			`Delete ${nameOfPet(pet)}?`,
			{ modal: true, detail },
			"Delete",
		);
		if (choice !== "Delete") return undefined;
	}
	const removed = await patiently(call, "Deleting the pet...", (signal) => service.remove(address, { signal }));
	const { connection } = address;
	if (call.argument === undefined) sayDone(`Deleted ${nameOfPet(removed.pet)}.`, removed, address, room);
	const deleted = removed.lost === undefined || removed.now === null;
	return { ...told(connection, removed.pet), deleted, ...confirmation(connection, removed) };
}

/** Changes a pet's name or status by the store's form, and tells what the store has then. */
export async function editPet(call: Call, room: PetRoom): Promise<(ToldPet & Confirmation<ToldPet>) | undefined> {
	const address = await addressOf(call, room, "Edit Pet");
	if (address === undefined) return undefined;
	const { service } = room;
	const fields = call.argument;
	let form: PetForm | undefined;
	if (fields === undefined) {
		form = await askForm(await patiently(call, "Asking for the pet...", (signal) => service.get(address, { signal })));
		if (form === undefined) return undefined;
	} else {
		form = { name: optionalText(fields, "name"), status: optionalText(fields, "status") };
	}
	const wanted = form;
	const edited = await patiently(call, "Changing the pet...", (signal) => service.edit(address, wanted, { signal }));
	const { pet } = edited;
	if (fields === undefined) {
		const what = form.name === undefined ? `${nameOfPet(pet)} is ${pet.status} now.` : `Renamed to ${nameOfPet(pet)}.`;
		sayDone(what, edited, address, room);
	}
	return { ...told(address.connection, pet), ...confirmation(address.connection, edited) };
}

/** The pet that a call is about, as its store has it now. */
export async function petFor(
	call: Call,
	room: PetRoom,
	title: string,
): Promise<{ readonly connection: string; readonly pet: KnownPet } | undefined> {
	const address = await addressOf(call, room, title);
	if (address === undefined) return undefined;
	const pet = await patiently(call, "Asking for the pet...", (signal) => room.service.get(address, { signal }));
	return { connection: address.connection, pet };
}

/** Pet of an undo; of a batch also the outcome for all its pets. */
interface ToldUndo extends ToldPet {
	readonly undone: "delete" | "edit" | "move";
	readonly moved?: readonly string[];
	readonly failed?: readonly ToldFailure[];
	readonly left?: readonly string[];
}

/** Undoes the last change of a pet that was made in this window, or the last of all. */
export async function undoPetChange(call: Call, room: PetRoom): Promise<ToldUndo | undefined> {
	const address = changedAddress(call, room.registry);
	const undone = await patiently(call, "Undoing...", (signal) => room.undo.last(address, { signal }));
	const { pets, failed, left, step } = undone;
	const [pet] = pets;
	if (pet === undefined) return undefined;
	const isDeletion = step.after === undefined;
	if (!step.isOfMany) {
		if (call.argument === undefined) sayQuietly(`${nameOfPet(pet)} is as it was before.`);
		return { ...told(step.connection, pet), undone: isDeletion ? "delete" : "edit" };
	}
	if (call.argument === undefined) tellUndone(undone, room);
	return {
		...told(step.connection, pet),
		undone: isDeletion ? "delete" : "move",
		moved: pets.map(({ id }) => id),
		failed: failed.map(({ item, error }) => toldFailure(item.id, error)),
		left: left.map(({ id }) => id),
	};
}

/** The pet whose last change is to be undone: named, of the row, or in front; empty for the last of all. */
function changedAddress(call: Call, registry: ConnectionRegistry): Partial<PetAddress> {
	const fields = givenIn(call);
	const { connection, pet } = fields ?? petRow(vscode.window.activeTextEditor?.document.uri)?.fields ?? {};
	return readPartOfAddress(registry, connection, pet);
}

/** Shows progress with Cancel for a call by a person. */
function patiently<T>(call: Call, title: string, run: (signal?: AbortSignal) => Promise<T>): Promise<T> {
	return call.argument === undefined ? withProgress(title, run) : run();
}

function told(connection: string, { id, name, status }: KnownPet): ToldPet {
	return { connection, pet: id, name: name ?? null, status: status ?? null };
}

function confirmation(connection: string, changed: ChangedPet): Confirmation<ToldPet> {
	return confirmationOf(changed, (now) => told(connection, now));
}

/** Says what was done to a pet, or what is there where the answer was lost, and offers to undo it where that can be. */
function sayDone(
	done: string,
	{ pet, lost, now }: ChangedPet,
	address: PetAddress,
	{ service: { undoable }, registry }: PetRoom,
): void {
	const { connection, id } = address;
	const there = now === null ? "gone" : `there, ${pet.status ?? "without a status"}`;
	const seen = now === undefined ? undefined : `${nameOfPet(pet)} is ${there}.`;
	const text = lost === undefined ? done : notConfirmedWords(registry.get(connection)?.label, seen);
	const step = undoable.last(address);
	if (step === undefined || (step.after ?? step.before) !== pet) {
		if (lost === undefined) sayQuietly(text);
		else void vscode.window.showWarningMessage(withoutLinks(text));
		return;
	}
	void vscode.window.showInformationMessage(withoutLinks(text), "Undo").then((choice) => {
		if (choice !== "Undo") return;
		void vscode.commands.executeCommand("switchboard.petstore.undoPetChange", asked({ connection, pet: id }));
	});
}

/** The pet that a call is about. */
async function addressOf(call: Call, room: PetRoom, title: string): Promise<PetAddress | undefined> {
	const chosen = await petOf(call, room, title);
	return chosen === undefined ? undefined : { connection: chosen.connection, id: chosen.pet };
}

/** A new name or a new status, in as few keys as can be. */
async function askForm(pet: KnownPet): Promise<PetForm | undefined> {
	const title = `Edit ${withoutIcons(nameOfPet(pet))}`;
	const answer = await askChoice<PetForm>({ title, placeholder: "What is to be changed?" }, [
		{ label: "$(edit) Rename...", description: withoutIcons(pet.name ?? ""), value: {} },
		...PET_STATUSES.filter((status) => status !== pet.status).map((status) => ({
			label: `$(arrow-right) Make It ${status.charAt(0).toUpperCase()}${status.slice(1)}`,
			description: pet.status === undefined ? "" : withoutIcons(`${pet.status} now`),
			value: { status },
		})),
	]);
	if (answer === undefined || answer === BACK) return undefined;
	if (answer.status !== undefined) return answer;
	const name = await askText({
		title,
		placeholder: "Rex",
		prompt: "The pet's new name",
		value: pet.name ?? "",
		check: (text) => (text.trim() === "" ? "A pet needs a name: stores ignore an empty one." : undefined),
	});
	return typeof name === "string" ? { name } : undefined;
}
