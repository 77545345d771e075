import * as vscode from "vscode";
import { PET_STATUSES } from "#api/petstore/model.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { COMMANDS } from "#app/contributions.ts";
import { type PetAddress, readPartOfAddress } from "#app/petstore/pet-address.ts";
import type { ChangedPet, PetDesk, PetForm } from "#app/petstore/pet-desk.ts";
import { canSend, type KnownPet, NEW_PET } from "#app/petstore/pet-text.ts";
import { type Confirmation, confirmationOf } from "#app/petstore/write.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, optionalText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { withoutIcons, withoutLinks } from "../plain.ts";
import { withProgress } from "../progress.ts";
import { askChoice, askText, BACK } from "../prompts.ts";
import { sayNothingLeft } from "../report.ts";
import { asked } from "../tree.ts";
import { namedPet, type PetParts, petOf } from "./chosen-pets.ts";
import { storeOf } from "./chosen-store.ts";
import { deleteSeveral, severalToDelete, wayBack } from "./delete-command.ts";
import { tellBack } from "./moved-back.ts";
import { nameOfPet, type PetFiles, petRow, sayQuietly } from "./pet-files.ts";
import { countPets, notConfirmedWords } from "./words.ts";

/** What the commands about a pet work with. */
export interface PetEditingParts {
	readonly registry: ConnectionRegistry;
	readonly desk: PetDesk;
	readonly files: PetFiles;
	/** What the commands of the Pets view work with: there pets are chosen. */
	readonly view: PetParts;
}

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
export async function openPet(call: Call, parts: PetEditingParts): Promise<(ToldPet & Opened) | undefined> {
	// Whoever opens a pet wants another than the one in front.
	const chosen = await namedPet(call, parts.view, "Open Pet");
	if (chosen === undefined) return undefined;
	const address = { connection: chosen.connection, id: chosen.pet };
	// Asked for by ourselves, what goes wrong has words and a way on.
	const pet = await patiently(call, "Opening the pet...", (signal) => parts.desk.get(address, { signal }));
	return { ...told(address.connection, pet), uri: String(await parts.files.show(address.connection, pet)) };
}

/** Opens a document for a pet that is added when it is saved; with a name in the argument it is added at once. */
export async function newPet(
	call: Call,
	parts: PetEditingParts,
): Promise<(ToldPet & Confirmation<ToldPet>) | Opened | undefined> {
	const connection = (await storeOf(call, parts.registry, "New Pet"))?.id;
	if (connection === undefined) return undefined;
	const fields = fieldsOf(call.argument) ?? {};
	const [name, status] = [optionalText(fields, "name"), optionalText(fields, "status")];
	if (name === undefined && status !== undefined) throw invalid("petstore", "name", "is missing");
	if (name === undefined) return { connection, uri: String(await parts.files.showNew(connection)) };
	const draft = { ...NEW_PET, name, ...(status === undefined ? {} : { status }) };
	const added = await parts.desk.tryAdd(connection, draft);
	return { ...told(connection, added.pet), ...confirmation(connection, added) };
}

/** Deletes a pet, or all that are selected; a person is asked before, and can undo it afterwards. */
export async function deletePet(
	call: Call,
	parts: PetEditingParts,
): Promise<(ToldPet & Confirmation<ToldPet> & { readonly deleted: boolean }) | undefined> {
	const several = severalToDelete(call, parts.view);
	if (several !== undefined) {
		await deleteSeveral(several, parts.view);
		return undefined;
	}
	const address = await addressOf(call, parts, "Delete Pet");
	if (address === undefined) return undefined;
	const { desk } = parts;
	if (call.argument === undefined) {
		const pet = await patiently(call, "Asking for the pet...", (signal) => desk.get(address, { signal }));
		const label = parts.registry.get(address.connection)?.label ?? "the store";
		const way = canSend(pet)
			? `${await wayBack([address.connection], parts.view)}.`
			: "You cannot undo that: it holds what cannot be sent.";
		const detail = `Pet ${address.id} is taken out of ${label}. ${way}`;
		const choice = await vscode.window.showWarningMessage(
			`Delete ${nameOfPet(pet)}?`,
			{ modal: true, detail },
			"Delete",
		);
		if (choice !== "Delete") return undefined;
	}
	const removed = await patiently(call, "Deleting the pet...", (signal) => desk.remove(address, { signal }));
	const { connection } = address;
	if (call.argument === undefined) sayDone(`Deleted ${nameOfPet(removed.pet)}.`, removed, { address, ...parts });
	const deleted = removed.lost === undefined || removed.now === null;
	return { ...told(connection, removed.pet), deleted, ...confirmation(connection, removed) };
}

/** Changes a pet's name or status by the store's form, and tells what the store has then. */
export async function editPet(
	call: Call,
	parts: PetEditingParts,
): Promise<(ToldPet & Confirmation<ToldPet>) | undefined> {
	const address = await addressOf(call, parts, "Edit Pet");
	if (address === undefined) return undefined;
	const { desk } = parts;
	const fields = fieldsOf(call.argument);
	let form: PetForm | undefined;
	if (fields === undefined) {
		form = await askForm(await patiently(call, "Asking for the pet...", (signal) => desk.get(address, { signal })));
		if (form === undefined) return undefined;
	} else {
		form = { name: optionalText(fields, "name"), status: optionalText(fields, "status") };
	}
	const wanted = form;
	const edited = await patiently(call, "Changing the pet...", (signal) => desk.edit(address, wanted, { signal }));
	const { pet } = edited;
	if (fields === undefined) {
		const what = form.name === undefined ? `${nameOfPet(pet)} is ${pet.status} now.` : `Renamed to ${nameOfPet(pet)}.`;
		sayDone(what, edited, { address, ...parts });
	}
	return { ...told(address.connection, pet), ...confirmation(address.connection, edited) };
}

/** The pet that a call is about, as its store has it now. */
export async function petFor(
	call: Call,
	parts: Pick<PetEditingParts, "desk" | "view">,
	title: string,
): Promise<{ readonly connection: string; readonly pet: KnownPet } | undefined> {
	const address = await addressOf(call, parts, title);
	if (address === undefined) return undefined;
	const pet = await patiently(call, "Asking for the pet...", (signal) => parts.desk.get(address, { signal }));
	return { connection: address.connection, pet };
}

/** What was undone; of many pets also what became of all of them. */
interface ToldUndo extends ToldPet {
	readonly undone: "delete" | "edit" | "move";
	readonly moved?: readonly string[];
	readonly failed?: readonly { readonly pet: string; readonly code: string; readonly message: string }[];
	readonly left?: readonly string[];
}

/** Undoes the last change of a pet that was made in this window, or the last of all. */
export async function undoPetChange(call: Call, parts: PetEditingParts): Promise<ToldUndo | undefined> {
	const { view } = parts;
	const address = await changedAddress(call, parts);
	if (address === undefined) return undefined;
	const { pet, after, back, move, ...of } = await patiently(call, "Undoing...", (signal) =>
		view.undo.last(address, { signal }),
	);
	const isAsked = call.argument === undefined;
	if (back === undefined || move === undefined) {
		if (isAsked) sayQuietly(`${nameOfPet(pet)} is as it was before.`);
		return { ...told(of.connection, pet), undone: after === undefined ? "delete" : "edit" };
	}
	const isDeletion = after === undefined;
	if (isAsked) tellBack(back, { move, isDeletion }, view);
	const moved = back.moved.map(({ id }) => id);
	const failed = back.failed.map(({ item, error: { code, message } }) => ({ pet: item.id, code, message }));
	return {
		...told(of.connection, pet),
		undone: isDeletion ? "delete" : "move",
		moved,
		failed,
		left: back.left.map(({ id }) => id),
	};
}

/**
 * The pet whose last change is to be undone; empty for the last of all. With a pet in front a person means that one:
 * where it has no change, they are asked about the last of another, and leave it be with undefined.
 */
async function changedAddress(
	call: Call,
	{ registry, desk }: PetEditingParts,
): Promise<Partial<PetAddress> | undefined> {
	const named = call.row?.fields ?? fieldsOf(call.argument);
	const shown = petRow(vscode.window.activeTextEditor?.document.uri)?.fields;
	const { connection, pet } = named ?? shown ?? {};
	const address = readPartOfAddress(registry, connection, pet);
	const last = desk.undoable.last();
	if (named !== undefined || last === undefined || desk.undoable.last(address) !== undefined) return address;
	const { before, after = before, id, move } = last;
	const what =
		move === undefined
			? nameOfPet({ ...after, id })
			: `the ${last.after === undefined ? "deletion" : "move"} of ${countPets(desk.undoable.ofMove(move).length)}`;
	const message = `The pet in front has no change of this window. The last one is of ${what}.`;
	const choice = await vscode.window.showInformationMessage(withoutLinks(message), "Undo That");
	return choice === "Undo That" ? {} : undefined;
}

/** What a person started shows that it goes on, and can be stopped. */
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
	{ address, desk, registry }: Pick<PetEditingParts, "desk" | "registry"> & { readonly address: PetAddress },
): void {
	const { connection, id } = address;
	const there = now === null ? "gone" : `there, ${pet.status ?? "without a status"}`;
	const seen = now === undefined ? undefined : `${nameOfPet(pet)} is ${there}.`;
	const text = lost === undefined ? done : notConfirmedWords(registry.get(connection)?.label, seen);
	const step = desk.undoable.last(address);
	if (step === undefined || (step.after ?? step.before) !== pet) {
		if (lost === undefined) sayQuietly(text);
		else void vscode.window.showWarningMessage(withoutLinks(text));
		return;
	}
	void vscode.window.showInformationMessage(withoutLinks(text), "Undo").then((choice) => {
		if (choice !== "Undo") return;
		if (!desk.undoable.list().includes(step)) sayNothingLeft();
		else if (desk.undoable.last(address) !== step) {
			const first = `${nameOfPet(pet)} was changed again since. Undo Last Change of Pet undoes that first.`;
			void vscode.window.showInformationMessage(withoutLinks(first));
		} else void vscode.commands.executeCommand(COMMANDS.petstoreUndoPetChange, asked({ connection, pet: id }));
	});
}

/** The pet that a call is about. */
async function addressOf(
	call: Call,
	{ view }: Pick<PetEditingParts, "view">,
	title: string,
): Promise<PetAddress | undefined> {
	const chosen = await petOf(call, view, title);
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
