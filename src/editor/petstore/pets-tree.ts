import type { MarkdownString } from "vscode";
import type { Pet } from "#api/petstore/model.ts";
import { photoAddresses } from "#api/petstore/photo.ts";
import type { PetstoreConnection } from "#app/connections/connection.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT, VIEWS } from "#app/contributions.ts";
import type { PetGroup, Pets } from "#app/petstore/pets.ts";
import type { Row, RowParts } from "../kit/rows.ts";
import { plainNames } from "../kit/text.ts";
import { Card, Tree, type TreeShell } from "../kit/tree.ts";
import { chunkLook, leftOutLook, nameOf, noteLooks, petFilterWords, petGroupLook, petLook } from "./pet-look.ts";
import type { petWork } from "./pet-work.ts";
import { stateRows, storeRows } from "./store-look.ts";

/** Most rows below one; more would block the window for longer than a frame. */
const MOST_ROWS = 100;

/** Interval at which rows are drawn while many pets change. Milliseconds. */
const DRAW_EVERY_MS = 250;

/** Tree of pets by status; stores are rows only if there are several. */
export function treeOfPets(
	pets: Pets,
	work: ReturnType<typeof petWork>,
	registry: ConnectionRegistry,
	shell: TreeShell,
): Tree {
	function groups(store: PetstoreConnection): readonly RowParts[] {
		const { id: connection } = store;
		const list = pets.of(connection);
		if (list.state.name === "idle") void list.load();
		const { state } = list;
		const { leftOut = 0 } = state.value ?? {};
		const isFiltered = petFilterWords(pets.filter) !== "";
		return [
			// After a person has stopped the loading, the view offers to refresh.
			...(state.error?.code === "aborted" ? [] : stateRows("pets", store, state)),
			...(state.value ? list.groups : [])
				.filter(({ name, known, unlisted }) => name !== "other" || known > 0 || unlisted.length > 0)
				.map((group) => ({
					key: group.name,
					fields: { connection, status: group.name },
					look: petGroupLook(group, isFiltered),
					children: () => below(connection, group),
				})),
			...(leftOut > 0 ? [{ key: "left-out", look: leftOutLook(leftOut) }] : []),
		];
	}

	/** Pets of a group, in chunks if there are many. */
	function below(connection: string, group: PetGroup): readonly RowParts[] {
		const shown = group.pets;
		const rows = (from: number) =>
			shown.slice(from, from + MOST_ROWS).map((pet, at) => petRow(connection, pet, from + at, group.namesakes));
		const notes = noteLooks(group).map((look, at) => ({ key: `note:${at}`, look }));
		if (shown.length <= MOST_ROWS) return [...rows(0), ...notes];
		const chunks = Array.from({ length: Math.ceil(shown.length / MOST_ROWS) }, (_, index) => {
			const from = index * MOST_ROWS;
			const look = chunkLook(from, shown.slice(from, from + MOST_ROWS));
			return { key: `chunk:${from}`, fields: { connection }, look, isChunk: true, children: () => rows(from) };
		});
		return [...chunks, ...notes];
	}

	function petRow(connection: string, pet: Pet, at: number, namesakes: ReadonlySet<string>): RowParts {
		const { id, name = "" } = pet;
		return {
			key: id ?? `?${at}`,
			fields: id === undefined ? { connection } : { connection, pet: id },
			look: petLook(pet, pets.filter.text, namesakes.has(name)),
			card: () => petCard(pet),
		};
	}

	return new Tree(shell, {
		changes: [registry.onDidChange, pets.onDidChange, work.onDidChange],
		gatheredMs: DRAW_EVERY_MS,
		roots: () =>
			storeRows(registry.list("petstore"), groups, ({ label }, index) => {
				return { icon: "plug", spoken: `Pets of ${label}`, opens: index === 0 ? "open" : "closed" };
			}),
		head() {
			const description = petFilterWords(pets.filter);
			return {
				description,
				contexts: { [CONTEXT.petstoreFiltered]: description !== "", [CONTEXT.petstoreBusy]: work.isBusy },
				busy: work.isBusy ? VIEWS.pets : undefined,
			};
		},
	});
}

/** True for the row of a pet with an id. */
export function isPetRow({ fields }: Row): boolean {
	return typeof fields["pet"] === "string";
}

/** Card of a pet. Photos are only counted: a hover sends no request. */
function petCard(pet: Pet): MarkdownString {
	const photos = photoAddresses(pet.photoUrls).length;
	return new Card()
		.title(nameOf(pet))
		.fact("Id", pet.id)
		.fact("Status", pet.status)
		.fact("Category", pet.category?.name)
		.fact("Tags", plainNames(pet.tags).join(", "))
		.fact("Photos", photos === 0 ? undefined : photos).markdown;
}
