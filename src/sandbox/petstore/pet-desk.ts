import { oneOf, record, shape, Violation } from "#sandbox/strict.ts";
import { type Answer, apiResponse, done, type Handler, type Task } from "./answer.ts";
import { idOf, int64, PET_STATUSES, type Pet, readPet, words } from "./model.ts";
import type { Pictures } from "./pictures.ts";
import { Refused } from "./refusal.ts";
import type { Operation } from "./route.ts";
import type { Store } from "./store.ts";

/** The operations on pets (contract section 4). */
export type PetOperation = Extract<Operation, `${string}Pet${string}` | "uploadFile">;

/** A pet as some servers tell it. */
const STRAY = { id: 9099n, status: "lost" };

/** Answers the operations on pets. */
export function petDesk(
	store: Store,
	pictures: Pictures,
	picturesUrl: string,
): Readonly<Record<PetOperation, Handler>> {
	return {
		addPet({ body, behaviour }) {
			const overwritesHighest = behaviour.quirks?.includes("post-overwrites") ?? false;
			const { capacity } = behaviour;
			const { id } = record(body.value, "");
			const statuses = store.statuses(typeof id === "bigint" ? id : undefined);
			const pet = store.addPet(readPet(body.value, statuses), {
				overwritesHighest,
				...(capacity !== undefined && { capacity }),
			});
			return written(pet);
		},

		updatePet({ body, behaviour }) {
			const id = bodyId(body.value);
			const draft = readPet(body.value, store.statuses(id));
			if (store.pet(id) === undefined && !behaviour.quirks?.includes("put-creates")) throw notThere();
			return written(store.setPet({ ...draft, id }));
		},

		findPetsByStatus({ query, behaviour }) {
			const readStatus = oneOf(...PET_STATUSES);
			const asked: ReadonlySet<string> = new Set(
				valuesOf("status", { query, behaviour }).map((one) => readStatus(one, "status")),
			);
			const found = store.pets().filter(({ status }) => status !== undefined && asked.has(status));
			if (!behaviour.quirks?.includes("stray-pets")) return listed(found.map(told), behaviour);
			const known: ReadonlySet<string> = new Set(PET_STATUSES);
			const strays = store.pets().filter(({ status }) => status === undefined || !known.has(status));
			return listed([...[...found, ...strays].map(told), STRAY], behaviour);
		},

		findPetsByTags({ query, behaviour }) {
			const asked: ReadonlySet<string | undefined> = new Set(valuesOf("tags", { query, behaviour }));
			if (asked.has("")) throw new Violation("tags", "must not be empty");
			const found = store.pets().filter(({ tags = [] }) => tags.some(({ name }) => asked.has(name)));
			return listed(found.map(told), behaviour);
		},

		getPetById({ segment, behaviour }) {
			const pet = found(store, segment);
			if (behaviour.changeAfterRead) store.changePet(pet);
			return { root: "Pet", value: told(pet) };
		},

		updatePetWithForm({ segment, body, behaviour }) {
			const id = idOf(segment, "petId");
			const readStatus = oneOf(...store.statuses(id));
			const readFields = shape<object, { name: string; status: string }>(
				{},
				{ name: words, status: (value, path) => (value === "" ? value : readStatus(value, path)) },
			);
			const fields = readFields(single(body.form ?? new URLSearchParams()), "");
			const pet = store.pet(id);
			// Nothing but 405 is listed here, not even for a pet that is not there.
			if (pet === undefined) throw new Violation("petId", "must be the id of a pet");
			const { name = "", status = "" } = fields;
			const changed = store.setPet({ ...pet, ...(name !== "" && { name }), ...(status !== "" && { status }) });
			return behaviour.writeReply?.body === "pet" ? written(changed) : done(`${id}`, behaviour);
		},

		deletePet({ segment, behaviour }) {
			const { id } = found(store, segment);
			store.deletePet(id);
			return done(`${id}`, behaviour);
		},

		uploadFile({ segment, body, behaviour }) {
			const pet = found(store, segment);
			const { additionalMetadata = "none", file } = body.parts ?? {};
			const name = file && pictures.keep(pet.id, file.bytes);
			if (name !== undefined) store.setPet({ ...pet, photoUrls: [...pet.photoUrls, `${picturesUrl}/${name}`] });
			const what = file === undefined ? "No file was sent" : `${file.name} was kept, ${file.bytes.length} bytes`;
			return apiResponse(`additionalMetadata: ${additionalMetadata}\n${what}`, behaviour);
		},
	};
}

/** The id in a body: wrong or missing, it is a matter of its own. */
function bodyId(value: unknown): bigint {
	const { id } = record(value, "");
	try {
		return int64(id, "id");
	} catch (error) {
		if (!(error instanceof Violation)) throw error;
		throw new Refused(400, `Invalid ID supplied: ${error.message}`);
	}
}

function found(store: Store, segment: string): Pet {
	const pet = store.pet(idOf(segment, "petId"));
	if (pet === undefined) throw notThere();
	return pet;
}

function notThere(): Refused {
	return new Refused(404, "Pet not found");
}

/** A pet with its fields in the order of the contract. */
function told({ id, category, name, photoUrls, tags, status }: Pet): object {
	return { id, category, name, photoUrls, tags, status };
}

function written(pet: Pet): Answer {
	return { root: "Pet", value: told(pet), unshown: `${pet.id}` };
}

function listed(pets: readonly unknown[], { quirks }: Task["behaviour"]): Answer {
	const foreign = quirks?.includes("foreign-items") ? ["no pet", { code: 7 }] : [];
	return { root: quirks?.includes("xml-items") ? "List" : "pets", value: [...foreign, ...pets] };
}

/** The values of a repeated parameter, of which there must be one. */
function valuesOf(name: string, { query, behaviour }: Pick<Task, "query" | "behaviour">): readonly string[] {
	const values = query.getAll(name);
	if (values.length === 0) throw new Violation(name, "is required");
	return behaviour.quirks?.includes("first-query-only") ? values.slice(0, 1) : values;
}

function single(form: URLSearchParams): Readonly<Record<string, string>> {
	for (const name of form.keys()) {
		if (form.getAll(name).length > 1) throw new Violation(name, "comes twice");
	}
	return Object.fromEntries(form);
}
