import { isAbsent, withFacts } from "#api/http/fault.ts";
import type { CallOptions } from "#api/petstore/client.ts";
import type { OperationData } from "#api/petstore/operations.ts";
import { ClientError } from "#base/errors.ts";
import type { Int64 } from "#base/int64.ts";
import { inTurn, type NotDone, type TurnOptions } from "./in-turn.ts";
import type { PetChanges } from "./pet-changes.ts";
import { isSamePet, type KnownPet, petInReply } from "./pet-text.ts";
import type { UndoStep } from "./undo-memory.ts";
import { notTaken, type Sent } from "./write.ts";

/** What has become of pets that were to be moved back. */
export interface MovedBack extends NotDone<UndoStep> {
	/** As they are now. */
	readonly moved: readonly KnownPet[];
}

/** What a store has answered to a form; null where that was nothing. */
export type FormReply = OperationData<"updatePetWithForm">;

/** A form that a store has not refused. */
export type SentForm = Sent<FormReply> & {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's own. */
	readonly id: Int64;
	/** The pet by this form, if the rest of it is known. */
	readonly after: KnownPet | undefined;
	/** What the form asked for. */
	readonly status: string | undefined;
	/** Ends what follows. */
	readonly signal?: AbortSignal | undefined;
	/** Hears that the answer was lost and the pet could not be read either: the form may have been done. */
	readonly onUnread?: () => void;
};

/** What telling of forms works with. */
export interface TellingParts {
	readonly changes: PetChanges;
	/** The connections whose stores fail to give pets back; those that do so are added. */
	readonly failing?: Set<string>;
}

/** Tells of a pet by its form. Resolves to the pet as far as it is known. */
type TellForm = (form: SentForm) => Promise<KnownPet | undefined>;

/**
 * Tells of the pets of one move by their forms, reads each again by `read`, and tells what is otherwise. Rejects with
 * ClientError `server` only where the store has told of another status, and of the reason `not-confirmed` where the answer
 * was lost and the pet is not seen to have the status. A read that fails says nothing against a form that was answered, and
 * that store is asked no more of such: where one fails all may, and each takes long. What was lost is read all the same,
 * unless a read has timed out.
 */
export function tellingForms(
	{ changes, failing = new Set() }: TellingParts,
	read: (form: SentForm, options: CallOptions) => Promise<KnownPet>,
): TellForm {
	const silent = new Set<string>();
	return async (form) => {
		const { connection, id, after, status, said = null, lost, onUnread } = form;
		const unread = (isGone = false) => {
			if (lost === undefined) return after;
			if (isGone) changes.tell({ connection, id, after: undefined });
			else onUnread?.();
			throw withFacts(lost, {}, isGone ? "The pet is gone." : "The pet was not seen since.");
		};
		// Before the read, which may take long: a write of which nobody tells makes the whole list load again.
		if (after !== undefined && lost === undefined) changes.tell({ connection, id, after });
		let now = petInReply(said, id, (pet) => pet.status === status);
		if (now === undefined && (lost === undefined ? failing : silent).has(connection)) return unread();
		try {
			now ??= await read(form, { maxAttempts: 1 });
		} catch (error) {
			if (!isAbsent(error)) failing.add(connection);
			if (error instanceof ClientError && error.code === "timeout") silent.add(connection);
			return unread(isAbsent(error));
		}
		if (lost !== undefined || after === undefined || !isSamePet(now, after)) {
			changes.tell({ connection, id, after: now });
		}
		if (now.status === status) return now;
		// Stores say yes to a form of which they take nothing.
		throw lost
			? withFacts(lost, {}, `The pet is ${now.status ?? "without a status"} now.`)
			: notTaken("status", status);
	};
}

/** Moves pets back by `one`, the last first; what it rejects with is in the result, a pet that it does not tell is not. */
export async function moveBack(
	steps: readonly UndoStep[],
	one: (step: UndoStep) => Promise<KnownPet | undefined>,
	options: TurnOptions = {},
): Promise<MovedBack> {
	const moved: KnownPet[] = [];
	const back = async (step: UndoStep) => {
		const pet = await one(step);
		if (pet !== undefined) moved.push(pet);
	};
	return { moved, ...(await inTurn(steps.toReversed(), back, options)) };
}

/** Whether trying again could help: what somebody has changed or deleted since stays so. */
export function isWorthRetrying(error: ClientError): boolean {
	return error.code !== "invalid" && !isAbsent(error);
}
