import * as vscode from "vscode";
import type { Pet } from "#api/petstore/model.ts";
import { readAddress } from "#app/petstore/pet-service.ts";
import { type Int64, int64Of } from "#base/int64.ts";
import type { Fields } from "../kit/arguments.ts";
import type { Call } from "../kit/call.ts";
import { givenIn } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askChoiceOrText } from "../kit/prompts.ts";
import { storeOf } from "./chosen-store.ts";
import { petRow } from "./pet-files.ts";
import { nameOf } from "./pet-look.ts";
import type { PetRoom } from "./pet-room.ts";
import { isPetRow, selectedPets } from "./pets-tree.ts";

/** A pet, by its store and its id. */
export interface ChosenPet {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's id, written in one way only. */
	readonly pet: Int64;
}

/**
 * The one pet that a call is about: named, of the row, of the document in front, selected in the view, or else the one
 * that {@link namedPet} asks for. Throws ClientError `invalid` with the field.
 */
export async function petOf(call: Call, room: PetRoom, title: string): Promise<ChosenPet | undefined> {
	if (call.row !== undefined || call.argument !== undefined) return namedPet(call, room, title);
	const shown = petRow(vscode.window.activeTextEditor?.document.uri)?.fields;
	if (shown?.["pet"] !== undefined) return chosenBy(shown, room);
	const [selected, ...others] = selectedPets(room.tree);
	if (selected !== undefined && others.length === 0) return chosenBy(selected.fields, room);
	return namedPet(call, room, title);
}

/** The one pet that a call names or was made on; else chosen among those that are known, any other by its id. */
export async function namedPet(call: Call, room: PetRoom, title: string): Promise<ChosenPet | undefined> {
	const fields = givenIn(call);
	if (fields !== undefined) return chosenBy(fields, room);
	const store = await storeOf(call, room.registry, title);
	if (store === undefined) return undefined;
	const known = room.pets.of(store.id).pets.filter(({ id }) => id !== undefined);
	const rows = known.map(pickOf).map(({ id, ...row }) => ({ ...row, value: id }));
	const answer = await askChoiceOrText({ title, placeholder: "Which pet?" }, rows, {
		...{ label: "$(edit) Another Pet...", description: "by its id" },
		prompt: {
			placeholder: "9007199254740993",
			prompt: `Id of the pet in ${store.label}, all its digits`,
			check: (text) => (int64Of(text) === null ? "Enter a whole number of 64 bits." : undefined),
		},
	});
	return typeof answer === "string" ? chosenBy({ connection: store.id, pet: answer }, room) : undefined;
}

/** The pets of the rows that a call was made on, or else of those that are selected. */
export function chosenRows(call: Call, room: PetRoom): readonly ChosenPet[] {
	const rows = call.row === undefined ? selectedPets(room.tree) : (call.rows ?? [call.row]).filter(isPetRow);
	return rows.map(({ fields }) => chosenBy(fields, room));
}

/** The pets that a call is about, where a person has named them by rows or chosen them. */
export async function askPets(call: Call, room: PetRoom, title: string): Promise<readonly ChosenPet[] | undefined> {
	const chosen = chosenRows(call, room);
	if (chosen.length > 0) return chosen;
	const store = await storeOf(call, room.registry, title);
	if (store === undefined) return undefined;
	const list = room.pets.of(store.id);
	if (!list.isFilled) await room.work.run(`Asking ${store.label} for its pets...`, (signal) => list.load(signal));
	const { error } = list.state;
	if (error !== undefined && error.code !== "aborted") throw error;
	// Whoever has ended that wants to choose none.
	if (!list.isFilled) return undefined;
	const known = list.pets.filter(({ id }) => id !== undefined);
	const options = { title, placeHolder: "Which pets?", matchOnDescription: true, canPickMany: true } as const;
	const picked = await vscode.window.showQuickPick(known.map(pickOf), options);
	if (picked === undefined || picked.length === 0) return undefined;
	return picked.map(({ id }) => chosenBy({ connection: store.id, pet: id }, room));
}

function chosenBy(fields: Fields, { registry }: PetRoom): ChosenPet {
	const { connection, id } = readAddress(registry, fields["connection"], fields["pet"]);
	return { connection, pet: id };
}

function pickOf(pet: Pet): vscode.QuickPickItem & { readonly id: string } {
	const about = [pet.status ?? "", pet.category?.name ?? "", pet.id ?? ""].filter((part) => part !== "");
	return { label: withoutIcons(nameOf(pet)), description: withoutIcons(about.join(" · ")), id: pet.id ?? "" };
}
