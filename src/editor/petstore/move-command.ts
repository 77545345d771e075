import * as vscode from "vscode";
import { PET_STATUSES } from "#api/petstore/model.ts";
import { type MoveResult, type MoveWish, movePets } from "#app/petstore/move-pets.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import type { Call } from "../codehost/call.ts";
import { askChoice, BACK } from "../prompts.ts";
import { showError } from "../report.ts";
import { askPets, type PetParts } from "./chosen-pets.ts";
import { countPets, type FailedPet, showFailed, takeBack } from "./moved-back.ts";
import { nameOf } from "./pet-look.ts";

/** What has become of pets that were to get a status. */
export interface MovedPets {
	readonly status: string;
	readonly moved: readonly string[];
	readonly failed: readonly { readonly pet: string; readonly code: string; readonly message: string }[];
	/** Those of which nothing was sent. */
	readonly left: readonly string[];
}

/** Gives many pets a status; a person sees how far it is, can end it, and gets a list of what failed. */
export async function moveToStatus(call: Call, parts: PetParts): Promise<MovedPets | undefined> {
	const title = "Move Pets to Status";
	const fields = fieldsOf(call.argument);
	if (fields !== undefined) {
		const connection = requiredText(fields, "connection");
		const status = requiredText(fields, "status");
		const { pets } = fields;
		if (!Array.isArray(pets) || !pets.every((each) => typeof each === "string")) {
			throw invalid("petstore", "pets", "must be a list of ids as text");
		}
		const wish = { connection, pets, status };
		const quiet = { quiet: true };
		const result = await parts.work.run(title, (signal) => movePets(parts.pets, wish, { signal }), quiet);
		parts.desk.undoable.add(...result.steps);
		return plain(status, result);
	}
	const chosen = await askPets(call, parts, title);
	if (chosen === undefined) return undefined;
	const status = await askChoice(
		{ title: `Move ${countPets(chosen.length)} to Status`, placeholder: "Which status?" },
		PET_STATUSES.map((value) => ({ label: value.charAt(0).toUpperCase() + value.slice(1), value })),
	);
	if (status === undefined || status === BACK) return undefined;
	const byStore = Map.groupBy(chosen, ({ connection }) => connection);
	const wishes = [...byStore].map(([connection, own]) => ({ connection, pets: own.map(({ pet }) => pet), status }));
	const deed = {
		wishes,
		title: `Moving ${countPets(chosen.length)} to ${status}`,
		done: `${status} now`,
		move: Symbol(title),
	};
	return plain(status, await make(deed, parts));
}

/** Moves that are made one after the other as one piece of work. */
interface Deed {
	readonly wishes: readonly MoveWish[];
	readonly title: string;
	/** What pets are that were moved, such as `sold now`. */
	readonly done: string;
	/** What is undone together. */
	readonly move: symbol;
}

type Result = MoveWish & MoveResult;

async function make({ wishes, title, done, move }: Deed, parts: PetParts): Promise<MoveResult> {
	const ids = wishes.flatMap(({ pets }) => pets);
	const results = await parts.work.run(title, async (signal, tell) => {
		const all: Result[] = [];
		let before = 0;
		for (const wish of wishes) {
			const onProgress = (own: number) => tell(`${before + own} of ${ids.length}`, ((before + own) / ids.length) * 100);
			all.push({ ...wish, ...(await movePets(parts.pets, wish, { signal, onProgress, move })) });
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
	const sentence = `${countPets(moved.length)} ${moved.length === 1 ? "is" : "are"} ${done}.`;
	const canUndo = parts.desk.undoable.ofMove(move).length > 0;
	if (failed.length > 0 || left.length > 0) void tellRest(results, parts, { title, done, move });
	else if (canUndo) void tellMoved(sentence, move, parts);
	else vscode.window.setStatusBarMessage(sentence, 5_000);
	return { moved, failed, left, steps };
}

const UNDO = "Undo";

async function tellMoved(sentence: string, move: symbol, parts: PetParts): Promise<void> {
	if ((await vscode.window.showInformationMessage(sentence, UNDO)) === UNDO) await takeBack(move, parts);
}

/** Says what is not done, with a list of it and a way to do it. */
async function tellRest(results: readonly Result[], parts: PetParts, deed: Omit<Deed, "wishes">): Promise<void> {
	const [moved = 0, failed = 0, left = 0] = (["moved", "failed", "left"] as const).map((part) =>
		results.reduce((sum, each) => sum + each[part].length, 0),
	);
	const sentences = [
		`${countPets(moved)} ${moved === 1 ? "is" : "are"} ${deed.done}.`,
		...(failed === 0 ? [] : [`${countPets(failed)} could not be moved.`]),
		...(left === 0 ? [] : [`Nothing was sent for ${countPets(left)}.`]),
	];
	const list = "Show What Failed";
	const rest = "Move the Rest";
	const undo = parts.desk.undoable.ofMove(deed.move).length > 0 ? [UNDO] : [];
	const buttons = [...(failed === 0 ? [] : [list]), rest, ...undo];
	const choice = await vscode.window.showWarningMessage(sentences.join(" "), ...buttons);
	if (choice === UNDO) await takeBack(deed.move, parts);
	if (choice === list) await showFailed(failedOf(results, parts), parts);
	if (choice !== rest) return;
	const wishes = results.map(({ connection, status, ...each }) => {
		const pets = [...each.failed.map(({ pet }) => pet), ...each.left];
		return { connection, status, pets };
	});
	await again({ ...deed, wishes: wishes.filter(({ pets }) => pets.length > 0) }, parts);
}

/** Does what a button of a message says; nobody waits for it but the person. */
async function again(deed: Deed, parts: PetParts): Promise<void> {
	const [first] = deed.wishes;
	const connection = first && parts.registry.get(first.connection);
	await make(deed, parts).catch((error: unknown) => showError(error, { connection }));
}

function failedOf(results: readonly Result[], { pets }: PetParts): readonly FailedPet[] {
	return results.flatMap(({ connection, status, failed }) =>
		failed.map(({ pet, error }) => {
			const known = pets.of(connection).get(pet);
			return { connection, pet, name: known === undefined ? "" : nameOf(known), status, error };
		}),
	);
}

function plain(status: string, { moved, failed, left }: MoveResult): MovedPets {
	const told = failed.map(({ pet, error: { code, message } }) => ({ pet, code, message }));
	return { status, moved, failed: told, left };
}
