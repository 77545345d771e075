import * as vscode from "vscode";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import type { MoveOptions, MoveResult, MoveWish } from "#app/petstore/move-pets.ts";
import { showError } from "../report.ts";
import type { ChosenPet, PetParts } from "./chosen-pets.ts";
import { type FailedPet, showFailed, takeBack } from "./moved-back.ts";
import { nameOf } from "./pet-look.ts";
import { countPets, failedWords } from "./words.ts";

/** Pets of one store to which something is done. */
export type ManyWish = Omit<MoveWish, "status">;

/** What is done to pets of several stores, one after the other as one piece of work. */
export interface Deed {
	readonly wishes: readonly ManyWish[];
	readonly title: string;
	/** What each pet is to be, such as `sold`. */
	readonly wanted: string;
	/** What pets are to which it was done, such as `sold now`. */
	readonly done: string;
	/** What could not be done to the others, such as `moved`. */
	readonly failed: string;
	/** The button that does the rest. */
	readonly rest: string;
	/** What is undone together. */
	readonly move: symbol;
	readonly run: (wish: ManyWish, options: MoveOptions) => Promise<MoveResult>;
}

type Result = ManyWish & MoveResult;

/** Pets by their stores. */
export function wishesOf(chosen: readonly ChosenPet[]): readonly ManyWish[] {
	const byStore = Map.groupBy(chosen, ({ connection }) => connection);
	return [...byStore].map(([connection, own]) => ({ connection, pets: own.map(({ pet }) => pet) }));
}

/** Does something to many pets for a person, who sees how far it is, can end it, is told what failed, and can undo it. */
export async function doToMany(deed: Deed, parts: PetParts): Promise<MoveResult> {
	const { wishes, title, done, move, run } = deed;
	const ids = wishes.flatMap(({ pets }) => pets);
	const results = await parts.work.run(title, async (signal, tell) => {
		const all: Result[] = [];
		let before = 0;
		for (const wish of wishes) {
			const onProgress = (own: number) => tell(`${before + own} of ${ids.length}`, ((before + own) / ids.length) * 100);
			all.push({ ...wish, ...(await run(wish, { signal, onProgress, move })) });
			before += wish.pets.length;
		}
		return all;
	});
	const moved = results.flatMap((each) => each.moved);
	const failed = results.flatMap((each) => each.failed);
	const left = results.flatMap((each) => each.left);
	const steps = results.flatMap((each) => each.steps);
	parts.desk.undoable.add(...steps);
	const refusal = failed.find(({ error }) => error.code === "unauthorized");
	// What mends it is one click away in the message of a single error.
	if (moved.length === 0 && refusal !== undefined) throw refusal.error;
	const confirmed = results.every((each) => each.confirmed);
	const sentence = `${countPets(moved.length)} ${moved.length === 1 ? "is" : "are"} ${done}.${confirmed || failed.some(({ error }) => isNotConfirmed(error)) ? "" : READ_AGAIN}`;
	const canUndo = parts.desk.undoable.ofMove(move).length > 0;
	if (failed.length > 0 || left.length > 0) void tellRest(sentence, results, { ...parts, deed });
	else if (canUndo) void tellMoved(sentence, move, parts);
	else vscode.window.setStatusBarMessage(sentence, 5_000);
	return { moved, failed, left, steps, confirmed };
}

const UNDO = "Undo";
const READ_AGAIN = " Not confirmed: some answers were lost, and those pets were read again.";

async function tellMoved(sentence: string, move: symbol, parts: PetParts): Promise<void> {
	if ((await vscode.window.showInformationMessage(sentence, UNDO)) === UNDO) await takeBack(move, parts);
}

/** Says what is not done, with a list of it and a way to do it. */
async function tellRest(
	sentence: string,
	results: readonly Result[],
	{ deed, ...parts }: PetParts & { readonly deed: Deed },
): Promise<void> {
	const failed = results.flatMap((each) => each.failed);
	const left = results.reduce((sum, each) => sum + each.left.length, 0);
	const sentences = [
		sentence,
		...failedWords(failed, deed.failed),
		...(left === 0 ? [] : [`Nothing was sent for ${countPets(left)}.`]),
	];
	const list = "Show What Failed";
	const undo = parts.desk.undoable.ofMove(deed.move).length > 0 ? [UNDO] : [];
	const buttons = [...(failed.length === 0 ? [] : [list]), deed.rest, ...undo];
	const choice = await vscode.window.showWarningMessage(sentences.join(" "), ...buttons);
	if (choice === UNDO) await takeBack(deed.move, parts);
	if (choice === list) await showFailed(failedOf(results, parts, deed), { ...parts, verb: deed.failed });
	if (choice !== deed.rest) return;
	const wishes = results.map(({ connection, ...each }) => {
		const pets = [...each.failed.map(({ pet }) => pet), ...each.left];
		return { connection, pets };
	});
	await again({ ...deed, wishes: wishes.filter(({ pets }) => pets.length > 0) }, parts);
}

/** Does what a button of a message says; nobody waits for it but the person. */
async function again(deed: Deed, parts: PetParts): Promise<void> {
	const [first] = deed.wishes;
	const connection = first && parts.registry.get(first.connection);
	await doToMany(deed, parts).catch((error: unknown) => showError(error, { connection }));
}

function failedOf(results: readonly Result[], { pets }: PetParts, { wanted }: Deed): readonly FailedPet[] {
	return results.flatMap(({ connection, failed }) =>
		failed.map(({ pet, error }) => {
			const known = pets.of(connection).get(pet);
			return { connection, pet, name: known === undefined ? "" : nameOf(known), wanted, error };
		}),
	);
}
