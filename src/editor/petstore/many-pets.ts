import * as vscode from "vscode";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import { PET_STATUSES } from "#api/petstore/model.ts";
import { type BatchOptions, deletePets, type ManyChanged, type ManyPets, movePets } from "#app/petstore/many-pets.ts";
import type { Undone } from "#app/petstore/pet-undo.ts";
import type { ClientError } from "#base/errors.ts";
import type { Call } from "../kit/call.ts";
import { askChoice, BACK } from "../kit/prompts.ts";
import { plainLine } from "../kit/text.ts";
import { describeRefusal, sayNothingLeft, showError } from "../report.ts";
import { askPets, type ChosenPet, chosenRows } from "./chosen-pets.ts";
import { petRow } from "./pet-files.ts";
import { nameOf } from "./pet-look.ts";
import type { PetRoom } from "./pet-room.ts";
import { countPets, failedWords } from "./words.ts";

/** Result of a move of many pets. */
export interface MovedPets {
	readonly status: string;
	readonly moved: readonly string[];
	readonly failed: readonly ToldFailure[];
	/** Pets of which nothing was sent. */
	readonly left: readonly string[];
	/** False where the answer of one was lost: it is among the moved or the failed by what the store says then. */
	readonly confirmed: boolean;
}

/** Refusal of one pet, as commands tell it. */
export interface ToldFailure {
	readonly pet: string;
	readonly code: string;
	readonly message: string;
}

/** Change of many pets, of several stores one after the other. */
interface Deed {
	readonly wishes: readonly ManyPets[];
	readonly title: string;
	/** State that each pet is to have, such as `sold`. */
	readonly wanted: string;
	/** Ending of a sentence about changed pets, such as `sold now`. */
	readonly done: string;
	/** Ending of a sentence about the others, such as `moved`. */
	readonly failed: string;
	/** Batch that is undone together. */
	readonly batch: symbol;
	readonly run: (wish: ManyPets, options: BatchOptions) => Promise<ManyChanged>;
}

/** Pet to which something could not be done, and why. */
interface FailedPet {
	readonly connection: string;
	readonly pet: string;
	readonly name: string;
	readonly wanted: string;
	readonly error: ClientError;
}

const UNDO = "Undo";
const LIST = "Show What Failed";
const READ_AGAIN = " Not confirmed: some answers were lost, and those pets were read again.";

/** Argument of a move. An alias, unlike an interface, is a record of fields. */
type MoveArgument = { readonly connection: string; readonly pets: readonly string[]; readonly status: string };

/** Gives many pets a status; a person sees the progress, can end it, and gets a list of what failed. */
export async function moveToStatus(call: Call<MoveArgument>, room: PetRoom): Promise<MovedPets | undefined> {
	const title = "Move Pets to Status";
	if (call.argument !== undefined) {
		const { connection, pets, status } = call.argument;
		room.registry.require(connection, "petstore");
		const run = (signal: AbortSignal) => movePets(room.service, { connection, pets, status }, { signal });
		return told(status, await room.work.run(title, run, { quiet: true }));
	}
	const chosen = await askPets(call, room, title);
	if (chosen === undefined) return undefined;
	const status = await askChoice(
		{ title: `Move ${countPets(chosen.length)} to Status`, placeholder: "Which status?" },
		PET_STATUSES.map((value) => ({ label: value.charAt(0).toUpperCase() + value.slice(1), value })),
	);
	if (status === undefined || status === BACK) return undefined;
	const deed: Deed = {
		wishes: wishesOf(chosen),
		title: `Moving ${countPets(chosen.length)} to ${status}`,
		...{ wanted: status, done: `${status} now`, failed: "moved" },
		batch: Symbol(title),
		run: (wish, options) => movePets(room.service, { ...wish, status }, options),
	};
	return told(status, await doToMany(deed, room));
}

function told(status: string, { moved, failed, left, confirmed }: ManyChanged): MovedPets {
	return { status, moved, failed: failed.map(({ pet, error }) => toldFailure(pet, error)), left, confirmed };
}

/** Refusal of a pet as plain JSON. */
export function toldFailure(pet: string, { code, message }: ClientError): ToldFailure {
	return { pet, code, message };
}

/** Pets that a person wants to delete with one call; undefined where that is not several. */
export function severalToDelete(call: Call, room: PetRoom): readonly ChosenPet[] | undefined {
	if (call.argument !== undefined) return undefined;
	// As for every other change of one pet, the pet in front is meant before those in the view.
	const shown = petRow(vscode.window.activeTextEditor?.document.uri);
	if (call.row === undefined && shown?.fields["pet"] !== undefined) return undefined;
	const chosen = chosenRows(call, room);
	return chosen.length > 1 ? chosen : undefined;
}

/** Deletes several pets once the person has confirmed it. */
export async function deleteSeveral(chosen: readonly ChosenPet[], room: PetRoom): Promise<void> {
	const count = countPets(chosen.length);
	const wishes = wishesOf(chosen);
	const labels = wishes.map(({ connection }) => room.registry.get(connection)?.label ?? connection);
	const detail = `They are taken out of ${labels.join(" and ")}. ${CAN_UNDO}`;
	const button = "Delete";
	const choice = await vscode.window.showWarningMessage(`Delete ${count}?`, { modal: true, detail }, button);
	if (choice !== button) return;
	const deed: Deed = {
		wishes,
		title: `Deleting ${count}`,
		...{ wanted: "deleted", done: "deleted", failed: "deleted" },
		batch: Symbol("deletion"),
		run: (wish, options) => deletePets(room.service, wish, options),
	};
	await doToMany(deed, room);
}

/** Sentence about the way back of a deletion. */
export const CAN_UNDO = "You can undo that while this window is open.";

function wishesOf(chosen: readonly ChosenPet[]): readonly ManyPets[] {
	const byStore = Map.groupBy(chosen, ({ connection }) => connection);
	return [...byStore].map(([connection, own]) => ({ connection, pets: own.map(({ pet }) => pet) }));
}

async function doToMany(deed: Deed, room: PetRoom): Promise<ManyChanged> {
	const { wishes, title, batch, run } = deed;
	const count = wishes.reduce((sum, { pets }) => sum + pets.length, 0);
	const results = await room.work.run(title, async (signal, tell) => {
		const all: (ManyPets & ManyChanged)[] = [];
		let before = 0;
		for (const wish of wishes) {
			const onProgress = (own: number) => tell(`${before + own} of ${count}`, ((before + own) / count) * 100);
			all.push({ ...wish, ...(await run(wish, { signal, onProgress, batch })) });
			before += wish.pets.length;
		}
		return all;
	});
	const moved = results.flatMap((each) => each.moved);
	const failed = results.flatMap((each) => each.failed);
	const left = results.flatMap((each) => each.left);
	const refusal = failed.find(({ error }) => error.code === "unauthorized");
	// The message of a single error has the button that helps.
	if (moved.length === 0 && refusal !== undefined) throw refusal.error;
	const confirmed = results.every((each) => each.confirmed);
	const isTold = confirmed || failed.some(({ error }) => isNotConfirmed(error));
	const sentence = `${countPets(moved.length)} ${moved.length === 1 ? "is" : "are"} ${deed.done}.${isTold ? "" : READ_AGAIN}`;
	void tellDone(sentence, results, { deed, room });
	return { moved, failed, left, confirmed };
}

/** Says what was done and what was not, with a list of failures, and Undo. */
async function tellDone(
	sentence: string,
	results: readonly (ManyPets & ManyChanged)[],
	{ deed, room }: { readonly deed: Deed; readonly room: PetRoom },
): Promise<void> {
	const failed = results.flatMap(({ connection, failed: own }) =>
		own.map(({ pet, error }): FailedPet => {
			const known = room.pets.of(connection).get(pet);
			return { connection, pet, name: known === undefined ? "" : nameOf(known), wanted: deed.wanted, error };
		}),
	);
	const left = results.reduce((sum, each) => sum + each.left.length, 0);
	const undo = room.service.undoable.of(deed.batch).length > 0 ? [UNDO] : [];
	const isAll = failed.length + left === 0;
	if (isAll && undo.length === 0) {
		vscode.window.setStatusBarMessage(sentence, 5_000);
		return;
	}
	const unsent = left === 0 ? [] : [`Nothing was sent for ${countPets(left)}.`];
	const text = [sentence, ...failedWords(failed, deed.failed), ...unsent].join(" ");
	const choice = isAll
		? await vscode.window.showInformationMessage(text, ...undo)
		: await vscode.window.showWarningMessage(text, ...(failed.length === 0 ? [] : [LIST]), ...undo);
	if (choice === UNDO) await undoBatch(deed.batch, room);
	if (choice === LIST) await showFailed(failed, room, deed.failed);
}

async function undoBatch(batch: symbol, room: PetRoom): Promise<void> {
	const steps = room.service.undoable.of(batch);
	const [first] = steps;
	if (first === undefined) {
		sayNothingLeft();
		return;
	}
	const title = `${first.after === undefined ? "Bringing" : "Moving"} ${countPets(steps.length)} back`;
	try {
		const undone = await room.work.run(title, (signal, tell) => {
			const onProgress = (done: number) => tell(`${done} of ${steps.length}`, (done / steps.length) * 100);
			return room.undo.batch(batch, { signal, onProgress });
		});
		const refusal = undone.failed.find(({ error }) => error.code === "unauthorized");
		if (undone.pets.length === 0 && refusal !== undefined) throw refusal.error;
		tellUndone({ ...undone, step: first }, room);
	} catch (error) {
		void showError(error, { connection: room.registry.get(first.connection) });
	}
}

/** Says how many pets of a batch are as before, and what is not, with a list of it. */
export function tellUndone({ pets, failed, left, step }: Undone, room: PetRoom): void {
	const sentence = `${countPets(pets.length)} ${pets.length === 1 ? "is" : "are"} as before.`;
	if (failed.length + left.length === 0) {
		void vscode.window.showInformationMessage(sentence);
		return;
	}
	const isDeletion = step.after === undefined;
	const verb = isDeletion ? "brought back" : "moved back";
	const begun = left.length === 0 ? [] : [`${countPets(left.length)} ${left.length === 1 ? "was" : "were"} not begun.`];
	const text = [sentence, ...failedWords(failed, verb), ...begun].join(" ");
	void vscode.window.showWarningMessage(text, ...(failed.length === 0 ? [] : [LIST])).then((choice) => {
		if (choice !== LIST) return;
		const all = failed.map(({ item: { connection, id, before }, error }): FailedPet => {
			const wanted = isDeletion ? verb : (before.status ?? "as before");
			return { connection, pet: id, name: before.name ?? "", wanted, error };
		});
		void showFailed(all, room, verb);
	});
}

async function showFailed(failed: readonly FailedPet[], { registry, texts }: PetRoom, verb: string): Promise<void> {
	const lines = failed.map(({ connection, pet, name, wanted, error }) => {
		const why = plainLine(describeRefusal(error, registry.get(connection)?.label ?? connection));
		const not = isNotConfirmed(error) ? "" : `, not ${wanted}`;
		return `${[pet, plainLine(name)].filter((part) => part !== "").join(" ")}${not}: ${why}`;
	});
	const isLost = failed.every(({ error }) => isNotConfirmed(error));
	const title = isLost ? "What is not confirmed" : `What could not be ${verb}`;
	await texts.show(`${title}.txt`, `${title}\n\n${lines.join("\n")}\n`);
}
