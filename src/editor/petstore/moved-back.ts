import * as vscode from "vscode";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { isWorthRetrying, type MovedBack } from "#app/petstore/move-back.ts";
import type { PetDesk } from "#app/petstore/pet-desk.ts";
import type { PetUndo } from "#app/petstore/pet-undo.ts";
import type { ClientError } from "#base/errors.ts";
import { plainLine } from "../kit/text.ts";
import { describeRefusal, sayNothingLeft, showError } from "../report.ts";
import type { ShownTexts } from "../shown-texts.ts";
import type { PetWork } from "./pet-work.ts";
import { countPets, failedWords } from "./words.ts";

/** What moves are taken back with. */
export interface MovedBackParts {
	readonly registry: ConnectionRegistry;
	readonly desk: PetDesk;
	readonly undo: PetUndo;
	readonly work: PetWork;
	readonly texts: ShownTexts;
}

/** A pet to which something could not be done, and why. */
export interface FailedPet {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's id, as decimal digits. */
	readonly pet: string;
	readonly name: string;
	/** What it was to be. */
	readonly wanted: string;
	readonly error: ClientError;
}

/** Moves the pets of a move back, or brings deleted ones back, for a person, who sees how far it is and what came of it. */
export async function takeBack(move: symbol, parts: MovedBackParts): Promise<void> {
	const steps = parts.desk.undoable.ofMove(move);
	if (steps.length === 0) {
		sayNothingLeft();
		return;
	}
	const isDeletion = steps[0]?.after === undefined;
	const title = `${isDeletion ? "Bringing" : "Moving"} ${countPets(steps.length)} back`;
	const connection = steps[0] && parts.registry.get(steps[0].connection);
	try {
		const back = await parts.work.run(title, (signal, tell) => {
			const onProgress = (done: number) => tell(`${done} of ${steps.length}`, (done / steps.length) * 100);
			return parts.undo.move(move, { signal, onProgress });
		});
		const refusal = back.failed.find(({ error }) => error.code === "unauthorized");
		// What mends it is one click away in the message of a single error.
		if (back.moved.length === 0 && refusal !== undefined) throw refusal.error;
		tellBack(back, { move, isDeletion }, parts);
	} catch (error) {
		void showError(error, { connection });
	}
}

/** What was taken back. */
export interface TakenBack {
	readonly move: symbol;
	/** Whether its pets were deleted, rather than moved. */
	readonly isDeletion: boolean;
}

/** Says how many are as before, and what is not, with a list of it and a way to do the rest. */
export function tellBack(
	{ moved, failed, left }: MovedBack,
	{ move, isDeletion }: TakenBack,
	parts: MovedBackParts,
): void {
	const sentence = `${countPets(moved.length)} ${moved.length === 1 ? "is" : "are"} as before.`;
	if (failed.length + left.length === 0) {
		void vscode.window.showInformationMessage(sentence);
		return;
	}
	const bare = isDeletion ? 0 : left.filter(({ before }) => before.status === undefined).length;
	const rested = left.length - bare;
	const list = "Show What Failed";
	const rest = `${isDeletion ? "Bring" : "Move"} the Rest Back`;
	const verb = isDeletion ? "brought back" : "moved back";
	const sentences = [
		sentence,
		...failedWords(failed, verb),
		...(bare === 0 ? [] : [`${countPets(bare)} had no status to go back to.`]),
		...(rested === 0 ? [] : [`${countPets(rested)} ${rested === 1 ? "was" : "were"} not begun.`]),
	];
	const canGoOn = rested > 0 || failed.some(({ error }) => isWorthRetrying(error));
	const buttons = [...(failed.length === 0 ? [] : [list]), ...(canGoOn ? [rest] : [])];
	void vscode.window.showWarningMessage(sentences.join(" "), ...buttons).then((choice) => {
		if (choice === rest) void takeBack(move, parts);
		if (choice !== list) return;
		const told = failed.map(({ item: { connection, id, before }, error }) => ({
			...{ connection, pet: id, name: before.name ?? "", wanted: isDeletion ? verb : (before.status ?? ""), error },
		}));
		void showFailed(told, { ...parts, verb });
	});
}

/** Shows a list of pets to which something could not be done; `verb` says what. */
export async function showFailed(
	failed: readonly FailedPet[],
	{ registry, texts, verb }: Pick<MovedBackParts, "registry" | "texts"> & { readonly verb: string },
): Promise<void> {
	const lines = failed.map(({ connection, pet, name, wanted, error }) => {
		const why = plainLine(describeRefusal(error, registry.get(connection)?.label ?? connection));
		const not = isNotConfirmed(error) ? "" : `, not ${wanted}`;
		return `${[pet, plainLine(name)].filter((part) => part !== "").join(" ")}${not}: ${why}`;
	});
	const isLost = failed.every(({ error }) => isNotConfirmed(error));
	const title = isLost ? "What is not confirmed" : `What could not be ${verb}`;
	await texts.show(`${title}.txt`, `${title}\n\n${lines.join("\n")}\n`);
}
