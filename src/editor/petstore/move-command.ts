import { PET_STATUSES } from "#api/petstore/model.ts";
import { type MoveResult, movePets } from "#app/petstore/move-pets.ts";
import { invalid } from "#base/errors.ts";
import { fieldsOf, requiredText } from "../arguments.ts";
import type { Call } from "../kit/call.ts";
import { askChoice, BACK } from "../prompts.ts";
import { askPets, type PetParts } from "./chosen-pets.ts";
import { type Deed, doToMany, wishesOf } from "./many-pets.ts";
import { countPets } from "./words.ts";

/** What has become of pets that were to get a status. */
export interface MovedPets {
	readonly status: string;
	readonly moved: readonly string[];
	readonly failed: readonly { readonly pet: string; readonly code: string; readonly message: string }[];
	/** Those of which nothing was sent. */
	readonly left: readonly string[];
	/** False where the answer of one was lost: it is among the moved or the failed by what the store says then. */
	readonly confirmed: boolean;
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
	const deed = {
		wishes: wishesOf(chosen),
		title: `Moving ${countPets(chosen.length)} to ${status}`,
		...{ wanted: status, done: `${status} now`, failed: "moved", rest: "Move the Rest" },
		move: Symbol(title),
		run: (wish, options) => movePets(parts.pets, { ...wish, status }, options),
	} satisfies Deed;
	return plain(status, await doToMany(deed, parts));
}

function plain(status: string, { moved, failed, left, confirmed }: MoveResult): MovedPets {
	const told = failed.map(({ pet, error: { code, message } }) => ({ pet, code, message }));
	return { status, moved, failed: told, left, confirmed };
}
