import * as vscode from "vscode";
import { isNotConfirmed } from "#api/petstore/fault.ts";
import { PET_STATUSES } from "#api/petstore/model.ts";
import type { PetToImport } from "#app/petstore/import-pets.ts";
import { type BatchOptions, deletePets, type ManyDone, movePets } from "#app/petstore/many-pets.ts";
import type { PetBatch, UndoStep } from "#app/petstore/pet-service.ts";
import type { PetAddress } from "#app/petstore/pet-text.ts";
import { invalid } from "#base/errors.ts";
import type { Call } from "../kit/command.ts";
import { choose, confirmed, notify } from "../kit/prompts.ts";
import { type Fields, Row } from "../kit/rows.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { syntheticRow } from "../kit/tree.ts";
import { countPets, failedWords } from "../words/petstore-words.ts";
import { describeRefusal } from "../words/show-error.ts";
import { addressesOf, chosenRows, petOf } from "./chosen-pets.ts";
import { isPetRow } from "./pets-tree.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

/** Sentence about the way back of a deletion. */
export const CAN_UNDO = "You can undo that while this window is open.";

const UNDO = "Undo";
const LIST = "Show What Failed";
const READ_AGAIN = " Not confirmed: some answers were lost, and those pets were read again.";

interface Deed {
	readonly title: string;
	/** Past participle for a sentence about the pets, such as `moved`. */
	readonly verb: string;
	/** Status that each pet is to have. */
	readonly status?: string;
}

/** Pet among many: one to change or to import, or of a change that is undone. */
type OneOfMany = Pick<PetToImport, "connection"> & Partial<Pick<PetToImport, "id" | "before" | "pet">>;

type Run = (options: BatchOptions) => Promise<ManyDone<OneOfMany>>;

/** Gives many pets a status, with progress, Cancel, and a list of failures. */
export async function moveToStatus(
	call: Call<{ readonly connection: string; readonly pets: readonly PetAddress["id"][]; readonly status: string }>,
	room: PetstoreRoom,
) {
	const { argument } = call;
	const connection = argument && room.registry.require(argument.connection, "petstore").id;
	let pets = connection ? argument.pets.map((id) => ({ connection, id })) : chosenRows(call, room);
	if (argument === undefined && pets.length === 0) {
		const pet = await petOf(call, room, "Move Pets to Status");
		if (pet === undefined) return undefined;
		pets = [pet];
	}
	const statuses = PET_STATUSES.map((value) => ({ label: value.charAt(0).toUpperCase() + value.slice(1), value }));
	const question = { title: `Move ${countPets(pets.length)} to Status`, placeholder: "Which status?" };
	const status = argument?.status ?? (await choose(question, statuses));
	if (status === undefined) return undefined;
	return { status, ...batchResult(await move(pets, status, room, argument === undefined)) };
}

function move(pets: readonly PetAddress[], status: string, room: PetstoreRoom, isAsked = true) {
	const title = `Moving ${countPets(pets.length)} to ${status}`;
	const run = (options: BatchOptions) => movePets(room.service, pets, status, options);
	const deed = { title, verb: "moved", status };
	return doToMany(pets.length, deed, run, room, isAsked);
}

/** Moves pets dropped on a status of their store, or on a pet that has it. */
export async function dropPets(target: object | undefined, dropped: readonly object[], room: PetstoreRoom) {
	const { connection, pet, status }: Fields = target instanceof Row ? target.fields : {};
	const { pets } = room;
	const statusOf = (id: unknown) => pets.of(String(connection)).get(String(id))?.status;
	const wanted = PET_STATUSES.find((each) => each === (status ?? statusOf(pet)));
	const rows = dropped.filter((each) => each instanceof Row).filter(isPetRow);
	if (wanted === undefined || rows.some(({ fields }) => fields["connection"] !== connection)) {
		throw invalid("petstore", "status", "is missing: drop pets on Available, Pending or Sold of their own store");
	}
	const others = rows.filter(({ fields }) => statusOf(fields["pet"]) !== wanted);
	if (others.length > 0) await move(addressesOf(others, room), wanted, room);
}

/** Outcome for many pets as plain JSON. */
export function batchResult({ done, failed, left, confirmed }: ManyDone<OneOfMany>) {
	return {
		moved: done.map(({ id }) => id ?? null),
		failed: failed.map(({ item, error: { code, message } }) => ({ pet: item.id ?? null, code, message })),
		left: left.map(({ id }) => id ?? null),
		confirmed,
	};
}

/** Deletes several pets once the person has confirmed it. */
export async function deleteSeveral(pets: readonly PetAddress[], room: PetstoreRoom): Promise<void> {
	const count = countPets(pets.length);
	const labels = new Set(pets.map(({ connection }) => room.registry.labelOf(connection)));
	const detail = `They are deleted from ${[...labels].join(" and ")}. ${CAN_UNDO}`;
	if (!(await confirmed(`Delete ${count}?`, "Delete", detail))) return;
	const deed = { title: `Deleting ${count}`, verb: "deleted" };
	await doToMany(pets.length, deed, (options) => deletePets(room.service, pets, options), room);
}

/** Changes many pets as a batch, and reports the outcome to a person; throws a refused credential if nothing was done. */
export async function doToMany(count: number, deed: Deed, run: Run, room: PetstoreRoom, isAsked = true) {
	const batch: PetBatch = new Map();
	const result = { ...(await withSteps(deed.title, count, (options) => run({ ...options, batch }), room)), batch };
	if (!isAsked) return result;
	const refusal = result.failed.find(({ error }) => error.code === "unauthorized");
	// The message of a single error has the button that helps.
	if (result.done.length === 0 && refusal !== undefined) throw refusal.error;
	const isReported = result.confirmed || result.failed.some(({ error }) => isNotConfirmed(error));
	const are = result.done.length === 1 ? "is" : "are";
	const done = deed.status === undefined ? deed.verb : `${deed.status} now`;
	const sentence = `${countPets(result.done.length)} ${are} ${done}.${isReported ? "" : READ_AGAIN}`;
	void tellMany(sentence, result, { ...deed, batch }, room);
	return result;
}

/** Runs work on many pets with progress in the Pets view. */
export function withSteps<T>(
	title: string,
	count: number,
	run: (options: BatchOptions) => Promise<T>,
	{ work }: PetstoreRoom,
) {
	return work.run(title, (signal, tell) =>
		run({ signal, onProgress: (done) => tell(`${done} of ${count}`, (done / count) * 100) }),
	);
}

/** Reports what was done and what failed, with the list of failures, and Undo if a batch is given. */
async function tellMany(
	sentence: string,
	{ failed, left }: Pick<ManyDone<OneOfMany>, "failed" | "left">,
	{ verb, status = verb, batch }: Omit<Deed, "title"> & { readonly batch?: PetBatch },
	room: PetstoreRoom,
): Promise<void> {
	const undo = batch && room.service.undoable.of(batch).length > 0 ? [UNDO] : [];
	const unsent = left.length === 0 ? [] : [`Nothing was sent for ${countPets(left.length)}.`];
	const text = [sentence, ...failedWords(failed, verb), ...unsent].join(" ");
	const kind = failed.length + left.length === 0 ? "Information" : "Warning";
	const choice = await notify(kind, text, ...(failed.length === 0 ? [] : [LIST]), ...undo);
	if (choice === UNDO)
		await vscode.commands.executeCommand("switchboard.petstore.undoPetChange", syntheticRow({ batch }));
	if (choice !== LIST) return;
	const lines = failed.map(({ item: { connection, id, before, pet = before }, error }) => {
		const why = plainLine(describeRefusal(error, room.registry.labelOf(connection)));
		const not = isNotConfirmed(error) ? "" : `, not ${status}`;
		const { name } = pet ?? room.pets.of(connection).get(id ?? "") ?? {};
		return `${joinParts([id, plainLine(name)], " ")}${not}: ${why}`;
	});
	const isLost = failed.every(({ error }) => isNotConfirmed(error));
	const title = isLost ? "What is not confirmed" : `What could not be ${verb}`;
	await room.texts.show(`${title}.txt`, `${title}\n\n${lines.join("\n")}\n`);
}

/** Reports how many pets of a batch are as before, with the list of failures. */
export function tellUndone(undone: ManyDone<UndoStep>, room: PetstoreRoom): void {
	const { length } = undone.done;
	const sentence = length === 1 ? "1 pet is as it was." : `${countPets(length)} are as they were.`;
	void tellMany(sentence, undone, { verb: "restored" }, room);
}
