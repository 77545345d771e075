import * as vscode from "vscode";
import { PET_STATUSES } from "#api/petstore/model.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import { PET_CARD } from "#app/contributions.ts";
import { undoLast } from "#app/petstore/many-pets.ts";
import type { ChangedPet, PetForm } from "#app/petstore/pet-service.ts";
import { type KnownPet, NEW_PET, type PetAddress, sendable } from "#app/petstore/pet-text.ts";
import { confirmationOf } from "#app/petstore/write.ts";
import { invalid } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import { type Call, givenIn, showing } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askText, choose, confirmed, leadTo, notify, sayQuietly } from "../kit/prompts.ts";
import { syntheticRow } from "../kit/tree.ts";
import { withProgress } from "../progress.ts";
import { setting } from "../settings.ts";
import { countPets, notConfirmedWords } from "../words/petstore-words.ts";
import { chosenRows, petOf } from "./chosen-pets.ts";
import { activePetRow, nameOfPet } from "./documents.ts";
import { batchResult, CAN_UNDO, deleteSeveral, tellUndone } from "./many-pets.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

/** Opens a pet as a card, or as a document that changes it when saved. Both have one address. */
export async function openPet(address: PetAddress, call: Call<{ readonly as?: string }>, room: PetstoreRoom) {
	const { documents, pets } = room;
	const subject = { kind: "pet", ...address } as const;
	const isCard = (givenIn(call)?.as ?? setting("switchboard.petStore.openPetsAs")) === "card";
	// A card reads its pet itself. Else it is read here, so that an error has its words and its button.
	const listed = isCard && call.argument === undefined ? pets.of(address.connection).get(address.id) : undefined;
	const pet = listed === undefined ? await readPet(address, room) : { ...listed, id: address.id };
	const uri = documents.uriOf(subject, pet);
	if (isCard)
		await vscode.commands.executeCommand("vscode.openWith", uri, PET_CARD, { preview: true, ...showing(call) });
	else await documents.show(subject, pet, showing(call));
	return { ...petResult(address.connection, pet), uri: String(uri) };
}

/** Opens a document for a new pet, or adds one at once if the argument names it. */
export async function newPet({ id: connection }: PetstoreConnection, call: Call<PetForm>, room: PetstoreRoom) {
	const { name, status } = call.argument ?? {};
	if (name === undefined && status !== undefined) throw invalid("petstore", "name", "is missing");
	if (name === undefined) {
		const content = { ...NEW_PET, status: givenIn(call)?.status ?? "available" };
		return { connection, uri: String(await room.documents.showNew(connection, content)) };
	}
	const draft = { ...NEW_PET, name, ...(status === undefined ? {} : { status }) };
	return changeResult(connection, await room.service.add(connection, draft));
}

/** Opens a document for a new pet with all of another one but its id. */
export async function duplicatePet(address: PetAddress, _: Call, room: PetstoreRoom) {
	const { id: _id, ...pet } = await readPet(address, room);
	const uri = await room.documents.showNew(address.connection, sendable(pet));
	return { connection: address.connection, uri: String(uri) };
}

/** Deletes a pet or all selected ones, after the person has confirmed. */
export async function deletePet(call: Call, room: PetstoreRoom) {
	const several = chosenRows(call, room);
	if (several.length > 1) {
		await deleteSeveral(several, room);
		return undefined;
	}
	const address = await petOf(call, room, "Delete Pet");
	if (address === undefined) return undefined;
	const { connection, id } = address;
	if (call.argument === undefined) {
		const name = nameOfPet(await readPet(address, room));
		const detail = `Pet ${id} is deleted from ${room.registry.get(connection)?.label ?? "the store"}. ${CAN_UNDO}`;
		if (!(await confirmed(`Delete ${name}?`, "Delete", detail))) return undefined;
	}
	const removed = await withProgress("Deleting the pet...", (signal) => room.service.remove(address, { signal }));
	if (call.argument === undefined) sayDone(`Deleted ${nameOfPet(removed.pet)}.`, removed, address, room);
	const deleted = removed.lost === undefined || removed.now === null;
	return { ...changeResult(connection, removed), deleted };
}

/** Changes name or status by the store's form and shows the outcome. */
export async function editPet(
	address: PetAddress,
	{ argument }: Call<PetForm>,
	room: PetstoreRoom,
	ask: (pet: KnownPet) => Promise<PetForm | undefined> = askForm,
) {
	const form = argument ?? (await ask(await readPet(address, room)));
	return form && changePet(address, form, room, argument === undefined);
}

/** Sends a form that changes a pet, and tells a person the outcome. */
export async function changePet(address: PetAddress, form: PetForm, room: PetstoreRoom, isTold = true) {
	const edited = await withProgress("Changing the pet...", (signal) => room.service.edit(address, form, { signal }));
	const { pet } = edited;
	const what = form.name === undefined ? `${nameOfPet(pet)} is ${pet.status} now.` : `Renamed to ${nameOfPet(pet)}.`;
	if (isTold) sayDone(what, edited, address, room);
	return changeResult(address.connection, edited);
}

/** Pet of a call, as its store has it now. */
export async function petFor(call: Call, room: PetstoreRoom, title: string) {
	const address = await petOf(call, room, title);
	return address && { connection: address.connection, pet: await readPet(address, room) };
}

/** Undoes the last change of a pet in this window, or the last of all. */
export async function undoPetChange(
	call: Call<{ readonly connection?: string; readonly pet?: Int64 }>,
	room: PetstoreRoom,
) {
	// Named, of the row, or in the active editor; else the last of all. A notification names its batch.
	type Named = NonNullable<typeof call.argument> & { readonly batch?: object | undefined };
	const shown = activePetRow()?.fields as Named | undefined;
	const own = shown?.pet && room.service.undoable.last({ ...shown, id: shown.pet });
	// Pets that were changed together are undone together.
	const meant = own?.batch ? { batch: own.batch } : shown;
	const { connection: store, pet: id, batch }: Partial<Named> = givenIn(call) ?? meant ?? {};
	const connection = store && room.registry.require(store, "petstore").id;
	const which = { ...(connection && { connection }), ...(id && { id }), batch };
	const undone = await withProgress("Undoing...", (signal, { tell }) => {
		const onProgress = (done: number) => done > 1 && tell(countPets(done));
		return undoLast(room.service, which, { signal, onProgress });
	});
	const { step } = undone;
	const [pet] = undone.pets;
	if (pet === undefined) return undefined;
	const kind = step.before === undefined ? "add" : step.batch ? "move" : "edit";
	const result = { ...petResult(step.connection, pet), undone: step.after === undefined ? "delete" : kind };
	const isAsked = call.argument === undefined;
	if (step.batch) {
		if (isAsked) tellUndone(undone, room);
		const { confirmed: _, ...many } = batchResult(undone);
		return { ...result, ...many };
	}
	if (isAsked) sayQuietly(`Undid the last change to ${nameOfPet(pet)}.`);
	return result;
}

function readPet(address: PetAddress, { service }: PetstoreRoom): Promise<KnownPet> {
	return withProgress("Loading the pet...", (signal) => service.get(address, { signal }));
}

/** A pet as plain JSON; null where the store names none. */
function petResult(connection: string, { id, name, status }: KnownPet) {
	return { connection, pet: id, name: name ?? null, status: status ?? null };
}

function changeResult(connection: string, changed: ChangedPet) {
	return { ...petResult(connection, changed.pet), ...confirmationOf(changed, (now) => petResult(connection, now)) };
}

/** Reports a change of a pet, or the state after a lost answer, and offers Undo if possible. */
function sayDone(
	done: string,
	{ pet, lost, now }: ChangedPet,
	address: PetAddress,
	{ service: { undoable }, registry }: PetstoreRoom,
): void {
	const { connection, id } = address;
	const there = now === null ? "gone" : `there, ${pet.status ?? "without a status"}`;
	const seen = now === undefined ? undefined : `${nameOfPet(pet)} is ${there}.`;
	const text = lost === undefined ? done : notConfirmedWords(registry.get(connection)?.label, seen);
	const step = undoable.last(address);
	if (step === undefined || (step.after ?? step.before) !== pet) {
		if (lost === undefined) sayQuietly(text);
		else void notify("Warning", text);
		return;
	}
	const argument = syntheticRow({ connection, pet: id });
	leadTo(text, { label: "Undo", command: "switchboard.petstore.undoPetChange", argument });
}

async function askForm(pet: KnownPet): Promise<PetForm | undefined> {
	const title = `Edit ${withoutIcons(nameOfPet(pet))}`;
	const answer = await choose<PetForm>({ title, placeholder: "What do you want to change?" }, [
		{ label: "$(edit) Rename...", description: withoutIcons(pet.name ?? ""), value: {} },
		...PET_STATUSES.filter((status) => status !== pet.status).map((status) => ({
			label: `$(arrow-right) Make It ${status.charAt(0).toUpperCase()}${status.slice(1)}`,
			description: pet.status === undefined ? "" : withoutIcons(`${pet.status} now`),
			value: { status },
		})),
	]);
	return answer === undefined || answer.status !== undefined ? answer : askNewName(pet);
}

/** Asks for a new name. */
export async function askNewName(pet: KnownPet): Promise<PetForm | undefined> {
	const name = await askText({
		title: `Rename ${withoutIcons(nameOfPet(pet))}`,
		placeholder: "Rex",
		prompt: "The pet's new name",
		value: pet.name ?? "",
		check: (text) => (text.trim() === "" ? "A pet needs a name: stores ignore an empty one." : undefined),
	});
	return typeof name === "string" ? { name } : undefined;
}
