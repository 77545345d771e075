import * as vscode from "vscode";
import { deletePets } from "#app/petstore/delete-pets.ts";
import { canSend } from "#app/petstore/pet-text.ts";
import type { Call } from "../kit/call.ts";
import { type ChosenPet, chosenRows, type PetParts } from "./chosen-pets.ts";
import { doToMany, wishesOf } from "./many-pets.ts";
import { petRow } from "./pet-files.ts";
import { countPets } from "./words.ts";

/** The pets that a person wants to be deleted with one call; undefined where that is not several. */
export function severalToDelete(call: Call, parts: PetParts): readonly ChosenPet[] | undefined {
	if (call.argument !== undefined) return undefined;
	// As for everything else that is done to one pet, the one in front is meant before those in the view.
	const shown = petRow(vscode.window.activeTextEditor?.document.uri);
	if (call.row === undefined && shown?.fields["pet"] !== undefined) return undefined;
	const chosen = chosenRows(call, parts);
	return chosen.length > 1 ? chosen : undefined;
}

/** Deletes several pets once the person has confirmed it. */
export async function deleteSeveral(chosen: readonly ChosenPet[], parts: PetParts): Promise<void> {
	const count = countPets(chosen.length);
	const wishes = wishesOf(chosen);
	const labels = wishes.map(({ connection }) => parts.registry.get(connection)?.label ?? connection);
	const lost = chosen.filter(({ connection, pet }) => {
		const known = parts.pets.of(connection).get(pet);
		return known !== undefined && !canSend(known);
	}).length;
	const but = lost === 0 ? "" : `, but not for ${countPets(lost)} with what cannot be sent`;
	const way = await wayBack(
		wishes.map(({ connection }) => connection),
		parts,
	);
	const detail = `They are taken out of ${labels.join(" and ")}. ${way}${but}.`;
	const button = "Delete";
	const choice = await vscode.window.showWarningMessage(`Delete ${count}?`, { modal: true, detail }, button);
	if (choice !== button) return;
	const { clock } = parts.pets.parts.clients.parts;
	await doToMany(
		{
			wishes,
			title: `Deleting ${count}`,
			...{ wanted: "deleted", done: "deleted", failed: "deleted", rest: "Delete the Rest" },
			move: Symbol("deletion"),
			run: (wish, options) => deletePets(parts.desk, wish, { ...options, clock }),
		},
		parts,
	);
}

/** What a person is told of bringing deleted pets back, without its full stop. */
export async function wayBack(connections: readonly string[], { undo }: PetParts): Promise<string> {
	const unless = (await undo.mayWantKey(connections)) ? ", unless the store wants an API key for it" : "";
	return `You can undo that while this window is open${unless}`;
}
