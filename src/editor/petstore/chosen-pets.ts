import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import type { PetAddress } from "#app/petstore/pet-text.ts";
import { int64Of } from "#base/int64.ts";
import { int64, object, parse, trimmed } from "#base/schema.ts";
import { type Call, givenIn } from "../kit/command.ts";
import { withoutIcons } from "../kit/plain.ts";
import { type Answer, askName, type PromptFrame } from "../kit/prompts.ts";
import type { Row } from "../kit/rows.ts";
import { joinParts } from "../kit/text.ts";
import { storeOf } from "./chosen-store.ts";
import { nameOf } from "./pet-look.ts";
import { isPetRow } from "./pets-tree.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

/** Fields that name a pet in arguments and rows. */
export const PET = { connection: trimmed(), pet: int64() };

/** Pet that a call names or was made on, or one that the person picks or enters by id. Throws `invalid` with the field. */
export async function petOf(call: Call, room: PetstoreRoom, title: string): Promise<PetAddress | undefined> {
	const fields = givenIn(call);
	if (fields !== undefined) return addressIn(fields, room.registry);
	const store = await storeOf(call, room, title);
	if (store === undefined) return undefined;
	const answer = await askPet({ title }, store, room);
	return typeof answer === "string" ? addressIn({ connection: store.id, pet: answer }, room.registry) : undefined;
}

/** Asks for a pet: a known one or an id. */
export function askPet(
	frame: Omit<PromptFrame, "placeholder">,
	{ id }: PetstoreConnection,
	{ pets }: PetstoreRoom,
): Promise<Answer<string>> {
	return askName<string>(
		{ ...frame, placeholder: "Which pet? Enter its id, or words to find it." },
		{
			rows: () =>
				pets.of(id).pets.flatMap((pet) => {
					const description = withoutIcons(joinParts([pet.status, pet.category?.name, pet.id]));
					return pet.id === undefined ? [] : [{ label: withoutIcons(nameOf(pet)), description, value: pet.id }];
				}),
			key: String,
			typed: (text) => (int64Of(text) === null ? undefined : { label: text, description: "pet id", value: text }),
		},
	);
}

/** Pets of the rows of a call. */
export function chosenRows({ row, rows = row && [row] }: Call, room: PetstoreRoom): readonly PetAddress[] {
	return addressesOf(rows ?? [], room);
}

/** Pets of those rows that have one. */
export function addressesOf(rows: readonly Row[], { registry }: PetstoreRoom): readonly PetAddress[] {
	return rows.filter(isPetRow).map(({ fields }) => addressIn(fields, registry));
}

function addressIn(fields: object, registry: ConnectionRegistry): PetAddress {
	const { connection, pet } = parse(object(PET), fields, "petstore");
	return { connection: registry.require(connection, "petstore").id, id: pet };
}
