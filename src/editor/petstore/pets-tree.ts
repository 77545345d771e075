import * as vscode from "vscode";
import type { Pet } from "#api/petstore/model.ts";
import { photoAddresses } from "#api/petstore/photo.ts";
import type { ConnectionRegistry } from "#app/connections/registry.ts";
import { CONTEXT } from "#app/contributions.ts";
import type { PetGroup, PetGroupName } from "#app/petstore/pet-groups.ts";
import type { PetList, Pets } from "#app/petstore/pets.ts";
import { type Disposable, DisposableStore } from "#base/disposables.ts";
import { Card, Row, type RowLook, Rows, Tree, type TreeShell } from "../kit/tree.ts";
import { loadingLook } from "../loading-look.ts";
import {
	type Chunk,
	chunkLook,
	groupLook,
	leftOutLook,
	nameOf,
	noteLooks,
	petErrorLook,
	petFilterWords,
	petLook,
	tagNames,
} from "./pet-look.ts";
import { describePetstoreError } from "./words.ts";

/** More rows below one would keep the window from its next frame. */
const MOST_ROWS = 100;

/** While many pets are changed one after the other the rows are drawn once in this time. Milliseconds. */
const DRAW_EVERY_MS = 250;

/** The pets of each store by status; the stores themselves are rows only where there are several. */
export class PetsTree implements Disposable {
	readonly tree: Tree;
	readonly #pets: Pets;
	readonly #registry: ConnectionRegistry;
	readonly #view: TreeShell["view"];
	readonly #rows = new Rows();
	readonly #held = new DisposableStore();
	/** True if there were several stores when the tree was last drawn. */
	#areMany = false;

	constructor(pets: Pets, registry: ConnectionRegistry, shell: TreeShell) {
		this.#pets = pets;
		this.#registry = registry;
		this.#view = shell.view;
		this.tree = this.#held.add(new Tree(shell, () => this.#roots(), DRAW_EVERY_MS));
		this.#held.add(registry.onDidChange(() => this.tree.refresh()));
		this.#held.add(
			pets.onDidChange((id) => {
				// Loading is shown by the bar of the view.
				if (this.#list(id).state.name !== "loading") this.tree.refresh(this.#rows.get(rowId("store", id)));
			}),
		);
	}

	/** Shows in the view's head what is filtered; called when the filter has changed. */
	filterChanged(): void {
		const words = petFilterWords(this.#pets.filter);
		this.#view.description = words;
		void vscode.commands.executeCommand("setContext", CONTEXT.petstoreFiltered, words !== "");
	}

	/** The rows of pets that are selected. */
	selection(): readonly Row[] {
		return this.#view.selection.filter((each) => each instanceof Row).filter(isPetRow);
	}

	dispose(): void {
		this.#held.dispose();
	}

	#list(connection: string): PetList {
		return this.#pets.of(connection);
	}

	#roots(): readonly Row[] {
		const stores = this.#registry.list("petstore");
		const kept = stores.map(({ id }) => encodeURIComponent(id));
		const wereMany = this.#areMany;
		this.#areMany = stores.length > 1;
		// Rows stand below that of their store only where there are several.
		this.#rows.prune((id) => wereMany === this.#areMany && kept.includes(storeIn(id)));
		const [only] = stores;
		if (stores.length === 1 && only !== undefined) return this.#groups(only.id);
		return stores.map(({ id }, index) => this.#storeRow(id, index === 0));
	}

	#storeRow(id: string, isOpen: boolean): Row {
		const opens = isOpen ? "open" : "closed";
		return this.#rows.row(rowId("store", id), () => ({
			fields: { connection: id },
			look: () => {
				const label = this.#labelOf(id);
				return { label, icon: "plug", spoken: `Pets of ${label}`, context: "store", opens };
			},
			children: () => this.#groups(id),
		}));
	}

	#groups(connection: string): readonly Row[] {
		const list = this.#list(connection);
		if (list.state.name === "idle") void list.load();
		if (list.state.name === "loading" && !list.isFilled) {
			const look = () => loadingLook(`Loading the pets of ${this.#labelOf(connection)}`);
			return [this.#rows.row(rowId("loading", connection), () => ({ look }))];
		}
		const rows: Row[] = [];
		const { error } = list.state;
		// Where a person has stopped the loading, the view offers to refresh.
		if (error !== undefined && error.code !== "aborted") {
			rows.push(
				this.#rows.row(rowId("error", connection), () => ({
					fields: { connection },
					look: () => this.#errorLook(connection),
					card: () => this.#errorCard(connection),
				})),
			);
		}
		if (!list.isFilled) return rows;
		this.#forgetGone(connection);
		for (const group of list.groups) {
			if (group.name === "other" && group.known === 0 && group.unlisted.length === 0) continue;
			rows.push(this.#groupRow(connection, group.name));
		}
		if (list.leftOut > 0) {
			const look = () => leftOutLook(list.leftOut);
			rows.push(this.#rows.row(rowId("note", connection, "left-out"), () => ({ look })));
		}
		return rows;
	}

	/** Lets go of the rows of pets that are shown no more, or below another status. */
	#forgetGone(connection: string): void {
		const there = new Set<string>();
		for (const { name, pets } of this.#list(connection).groups) {
			for (const [at, pet] of pets.entries()) there.add(petRowId(connection, name, keyOf(pet, at)));
		}
		const own = rowId("pet", connection);
		this.#rows.prune((id) => !id.startsWith(`${own}/`) || there.has(id));
	}

	#groupRow(connection: string, name: PetGroupName): Row {
		const group = () => groupIn(this.#list(connection), name);
		return this.#rows.row(rowId("group", connection, name), () => ({
			fields: { connection },
			look: () => {
				const now = group();
				if (now === undefined) return { label: "", spoken: "", context: "" };
				return groupLook(now, petFilterWords(this.#pets.filter) !== "");
			},
			children: () => this.#below(connection, group()),
		}));
	}

	/** The pets of a group, in rows of their own where there are many. */
	#below(connection: string, group: PetGroup | undefined): readonly Row[] {
		if (group === undefined) return [];
		const { name, pets } = group;
		const rows: Row[] = [];
		if (pets.length <= MOST_ROWS) rows.push(...this.#petRows(connection, { from: 0, pets }, name));
		else {
			for (let from = 0; from < pets.length; from += MOST_ROWS) {
				rows.push(this.#chunkRow(connection, from, name));
			}
		}
		for (const [at, { label }] of noteLooks(group).entries()) {
			const look = () =>
				noteLooks(groupIn(this.#list(connection), name) ?? group)[at] ?? { label, spoken: label, context: "note" };
			rows.push(this.#rows.row(rowId("note", connection, `${name}/${at}`), () => ({ look })));
		}
		return rows;
	}

	#chunkRow(connection: string, from: number, name: PetGroupName): Row {
		const chunk = (): Chunk => {
			return { from, pets: groupIn(this.#list(connection), name)?.pets.slice(from, from + MOST_ROWS) ?? [] };
		};
		return this.#rows.row(rowId("chunk", connection, `${name}/${from}`), () => ({
			fields: { connection },
			look: () => chunkLook(chunk()),
			children: () => this.#petRows(connection, chunk(), name),
		}));
	}

	#petRows(connection: string, { from, pets }: Chunk, name: PetGroupName): readonly Row[] {
		return pets.map((pet, index) => {
			const { id } = pet;
			const at = from + index;
			return this.#rows.row(petRowId(connection, name, keyOf(pet, at)), () => {
				const list = () => this.#list(connection);
				const find = () => (id === undefined ? groupIn(list(), name)?.pets[at] : list().get(id));
				return {
					fields: id === undefined ? { connection } : { connection, pet: id },
					look: () => petLook(find(), this.#pets.filter),
					card: () => petCard(find()),
				};
			});
		});
	}

	#labelOf(connection: string): string {
		return this.#registry.get(connection)?.label ?? connection;
	}

	#errorLook(connection: string): RowLook {
		const { error } = this.#list(connection).state;
		if (error === undefined) return { label: "", spoken: "", context: "" };
		return petErrorLook(error, this.#labelOf(connection));
	}

	#errorCard(connection: string): vscode.MarkdownString | undefined {
		const { error } = this.#list(connection).state;
		if (error === undefined) return undefined;
		const { title, advice } = describePetstoreError(error, this.#labelOf(connection));
		return new Card().title(title).text(advice).markdown;
	}
}

/** True for the row of a pet with an id. */
export function isPetRow({ fields }: Row): boolean {
	return typeof fields["pet"] === "string";
}

/** Card of a pet. Its photos are counted and not shown: a hover sends no request. */
function petCard(pet: Pet | undefined): vscode.MarkdownString | undefined {
	if (pet === undefined) return undefined;
	const photos = photoAddresses(pet.photoUrls).length;
	return new Card()
		.title(nameOf(pet))
		.fact("Id", pet.id)
		.fact("Status", pet.status)
		.fact("Category", pet.category?.name)
		.fact("Tags", tagNames(pet).join(", "))
		.fact("Photos", photos === 0 ? undefined : photos).markdown;
}

function groupIn({ groups }: PetList, name: PetGroupName): PetGroup | undefined {
	return groups.find((each) => each.name === name);
}

/** Key of a pet in its group: its position, if it has no id. */
function keyOf({ id }: Pet, at: number): string {
	return id ?? `?${at}`;
}

function rowId(kind: string, connection: string, rest?: string): string {
	return `${kind}:${encodeURIComponent(connection)}${rest === undefined ? "" : `/${rest}`}`;
}

/** The row of a pet below a status: below another it is another row, since both may be there while the tree is drawn. */
function petRowId(connection: string, group: PetGroupName, key: string): string {
	return rowId("pet", connection, `${group}/${key}`);
}

/** The connection in the id of a row, encoded. */
function storeIn(id: string): string {
	return /^\w+:([^/]*)/.exec(id)?.[1] ?? "";
}
