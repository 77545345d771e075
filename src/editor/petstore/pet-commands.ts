import * as vscode from "vscode";
import { PET_STATUSES } from "#api/petstore/model.ts";
import { CONTEXT, HAS, PET_CARD, PET_SCHEME, VIEWS } from "#app/contributions.ts";
import { parseFilter, printFilter } from "#app/kit/filter.ts";
import { groupSize, NO_FILTER, type PetFilter, type Pets } from "#app/petstore/pets.ts";
import { int64, list, oneOf, optional, text, trimmed } from "#base/schema.ts";
import { commandsOf, DELETE, givenIn, inSubmenu, inTitle, onKey, onRows, runOn } from "../kit/command.ts";
import { leaving } from "../kit/leaving.ts";
import { askText } from "../kit/prompts.ts";
import { PET, petOf } from "./chosen-pets.ts";
import { storeOf, storesOf } from "./chosen-store.ts";
import { moveToStatus } from "./many-pets.ts";
import { askNewName, deletePet, duplicatePet, editPet, newPet, openPet, undoPetChange } from "./pet-editing.ts";
import { exportPets, importFromList } from "./pet-lists.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

const define = commandsOf<PetstoreRoom>({ service: "petstore", palette: false });

const NAME_AND_STATUS = { name: optional(trimmed()), status: optional(trimmed()) };
const inPets = (group: string, condition: string = CONTEXT.hasPetstore) => inTitle(VIEWS.pets, group, condition);
const onPets = (...groups: readonly string[]) => onRows(VIEWS.pets, "=~ /^pet\\b/", ...groups);
const ON_PET_TEXT = `resourceScheme == ${PET_SCHEME} && resource =~ /%2Fpet%2F/ && activeCustomEditorId != ${PET_CARD}`;
const onSelection = (group: string) => onRows(VIEWS.pets, "=~ /^pet\\b/ && listMultiSelection", group);
const onStatus = (names: string, ...groups: readonly string[]) =>
	onRows(VIEWS.pets, `=~ /^group\\.${names}/`, ...groups);
const FILTER = { text: optional(text()), tags: optional(list(trimmed())) };
const EXPORT = { connection: trimmed(), status: optional(trimmed()), ...FILTER };
const EDIT_GIVES = ["{connection, pet, name, status, confirmed, now?}"];
const COPIED = { connection: trimmed(), pet: optional(int64()), id: optional(int64()), username: optional(trimmed()) };
const onStore = (...groups: readonly string[]) => onRows(VIEWS.pets, "== store", ...groups);

/** Commands about pets. */
export const PET_COMMANDS = [
	define("switchboard.petstore.openPet", "Open Pet...", {
		palette: HAS.petstore,
		input: { ...PET, as: optional(oneOf("card", "json")) },
		gives: ["{connection, pet, name, status, uri}"],
		opensRow: true,
		run: runOn(petOf, openPet),
	}),
	define("switchboard.petstore.openPetCard", "Open as Card", {
		icon: "open-preview",
		menus: [{ menu: "editor/title", when: ON_PET_TEXT, group: "navigation@2" }],
		input: PET,
		gives: ["{connection, pet, name, status, uri}"],
		run: runOn(petOf, (pet, call, room) => openPet(pet, { ...call, argument: { as: "card" } }, room)),
	}),
	define("switchboard.petstore.newPet", "New Pet", {
		palette: HAS.petstore,
		icon: "add",
		menus: [inPets("navigation@1"), onStore("1_use@3"), onStatus("(available|pending|sold)", "inline@1", "1_use@1")],
		input: { connection: trimmed(), ...NAME_AND_STATUS },
		gives: ["{connection, uri}", ...EDIT_GIVES],
		run: runOn(storeOf, newPet),
	}),
	define("switchboard.petstore.exportPets", "Export Pets...", {
		palette: HAS.petstore,
		menus: [inPets("3_lists@1"), onStore("2_lists@1"), onStatus("", "2_lists@1"), onSelection("3_lists@1")],
		input: { ...EXPORT, format: optional(oneOf("json", "csv")), path: optional(trimmed()) },
		gives: ["{pets, format, text}", "{pets, format, path}"],
		run: runOn(storeOf, exportPets),
	}),
	define("switchboard.petstore.importPets", "Import Pets...", {
		menus: [inPets("3_lists@2"), onStore("2_lists@2")],
		input: { connection: trimmed(), text: text() },
		gives: ["{added, changed, skipped, mistakes, failed: [{pet, code, message}], left, confirmed}"],
		run: runOn(storeOf, importFromList),
	}),
	define("switchboard.petstore.duplicatePet", "Duplicate Pet", {
		menus: [inSubmenu("switchboard.petstore.edit", "1_edit@4")],
		input: PET,
		gives: ["{connection, uri}"],
		run: runOn(petOf, duplicatePet),
	}),
	define("switchboard.petstore.renamePet", "Rename Pet...", {
		menus: [inSubmenu("switchboard.petstore.edit", "1_edit@2")],
		keybinding: onKey(VIEWS.pets, "pet", { key: "f2" }),
		input: { ...PET, name: trimmed() },
		gives: EDIT_GIVES,
		run: runOn(petOf, (pet, call, room) => editPet(pet, call, room, askNewName)),
	}),
	...(["Id", "Name"] as const).map((part) =>
		define(`switchboard.petstore.copy${part}`, `Copy ${part}`, {
			menus: [
				inSubmenu("switchboard.petstore.copy", "1_pet@1"),
				onRows(VIEWS.store, part === "Id" ? "== order" : "== user", "3_copy@1"),
			],
			input: COPIED,
			gives: ["{copied}"],
			async run(call, { pets }) {
				const rows = call.rows?.map(({ fields }) => fields) ?? [givenIn(call) ?? {}];
				const texts = rows.map(({ connection, pet, id, username }) =>
					part === "Id" ? (pet ?? id) : (username ?? pets.of(String(connection)).get(String(pet))?.name),
				);
				const copied = leaving(texts.join("\n"));
				await vscode.env.clipboard.writeText(copied);
				return { copied };
			},
		}),
	),
	define("switchboard.petstore.editPet", "Edit Pet...", {
		icon: "edit",
		menus: [
			onRows(VIEWS.pets, "=~ /^pet\\b/ && !listMultiSelection", "inline@1"),
			inSubmenu("switchboard.petstore.edit", "1_edit@1"),
		],
		input: { ...PET, ...NAME_AND_STATUS },
		gives: EDIT_GIVES,
		run: runOn(petOf, (pet, call, room) => editPet(pet, call, room)),
	}),
	define("switchboard.petstore.deletePet", "Delete Pet...", {
		menus: [onPets("4_end@1")],
		keybinding: onKey(VIEWS.pets, "pet", DELETE),
		input: PET,
		gives: ["{connection, pet, name, status, deleted, confirmed, now?}"],
		run: deletePet,
	}),
	define("switchboard.petstore.undoPetChange", "Undo Last Pet Change", {
		icon: "discard",
		palette: CONTEXT.changedPets,
		menus: [{ menu: "editor/title", when: `resource in ${CONTEXT.changedPets}`, group: "navigation@1" }],
		input: { connection: optional(trimmed()), pet: optional(int64()) },
		gives: ["{connection, pet, name, status, undone}", "{connection, pet, name, status, undone, moved, failed, left}"],
		run: undoPetChange,
	}),
	define("switchboard.petstore.moveToStatus", "Move Pets to Status...", {
		icon: "arrow-swap",
		menus: [onPets("inline@3"), onSelection("2_change@1"), inSubmenu("switchboard.petstore.edit", "1_edit@3")],
		input: { connection: trimmed(), pets: list(int64()), status: oneOf(...PET_STATUSES) },
		gives: ["{status, moved, failed: [{pet, code, message}], left, confirmed}"],
		run: moveToStatus,
	}),
	define("switchboard.petstore.refreshPets", "Refresh Pets", {
		palette: HAS.petstore,
		icon: "refresh",
		menus: [
			inPets("navigation@4"),
			onStore("inline@1", "1_use@1"),
			onRows(VIEWS.pets, "=~ /^error/", "inline@1", "1_retry@1"),
		],
		input: { connection: optional(trimmed()) },
		gives: ["{ok, stores: [{connection, counts: {available, pending, sold, other}, inventory}]}"],
		async run(call, { registry, pets }) {
			const stores = storesOf(call, registry);
			const results = await Promise.all(stores.map(({ id }) => pets.of(id).refresh()));
			return { ok: results.every(Boolean), stores: stores.map(({ id }) => storeResult(id, pets)) };
		},
	}),
	define("switchboard.petstore.filterPets", "Filter Pets...", {
		palette: HAS.petstore,
		icon: "filter",
		menus: [inPets("navigation@2")],
		input: FILTER,
		gives: ["{text, tags}"],
		async run({ argument }, room) {
			const before = room.pets.filter;
			if (argument !== undefined) {
				const { text: words = before.text, tags = before.tags } = argument;
				return show(room, { text: words.trim(), tags });
			}
			const answer = await askText({
				title: "Filter Pets",
				placeholder: 'biscuit tag:friendly tag:"needs a garden"',
				prompt: "Words in the name, id or category. tag: shows those with one of the tags.",
				value: printFilter(before.text, { tag: before.tags }),
			});
			if (typeof answer !== "string") return undefined;
			await vscode.commands.executeCommand(`${VIEWS.pets}.focus`);
			const { text, valuesOf } = parseFilter(answer, "tag");
			return show(room, { text, tags: valuesOf("tag").filter(Boolean) });
		},
	}),
	define("switchboard.petstore.clearFilter", "Clear Pet Filter", {
		palette: CONTEXT.petstoreFiltered,
		menus: [inPets("1_filter@1", CONTEXT.petstoreFiltered)],
		gives: ["{text, tags}"],
		run: (_, room) => show(room, NO_FILTER),
	}),
	define("switchboard.petstore.findByTag", "Find Pets by Tag (Deprecated)...", {
		menus: [inPets("2_find@1"), onStore("1_use@2")],
		input: { connection: trimmed(), tags: list(trimmed()) },
		gives: ["{connection, tags, pets}"],
		run: runOn(storeOf, async (store, call, room) => {
			const tags = call.argument?.tags ?? (await askTags("Find Pets by Tag (Deprecated)"));
			if (tags === undefined) return undefined;
			const { client } = await room.clients.open(store.id);
			const find = (signal: AbortSignal) => client.call("findPetsByTags", { tags }, { signal });
			const { data: pets } = await room.work.run(`Searching ${store.label} by tag...`, find);
			if (call.argument === undefined) {
				// Among them may be some whose status cannot be listed.
				room.pets.of(store.id).add(pets);
				show(room, { text: "", tags });
				await vscode.commands.executeCommand(`${VIEWS.pets}.focus`);
			}
			return { connection: store.id, tags, pets };
		}),
	}),
	define("switchboard.petstore.stop", "Cancel Pet Store Operations", {
		icon: "stop-circle",
		palette: CONTEXT.petstoreBusy,
		menus: [inPets("navigation@0", CONTEXT.petstoreBusy)],
		gives: ["{stopped}"],
		run: (_, { work }) => ({ stopped: work.stop() }),
	}),
];

/** Result of a refresh: pets per group, null if they could not be loaded, and the store's own counts. */
function storeResult(connection: string, pets: Pets) {
	const { groups, state } = pets.of(connection);
	const { inventory = null } = state.value ?? {};
	const counts = state.value ? Object.fromEntries(groups.map((group) => [group.name, groupSize(group)])) : null;
	return { connection, counts, inventory };
}

function show({ pets, petsTree }: PetstoreRoom, filter: PetFilter): PetFilter {
	pets.show(filter);
	petsTree.refresh();
	return filter;
}

const split = (text: string) => text.split(",").flatMap((tag) => tag.trim() || []);

async function askTags(title: string): Promise<readonly string[] | undefined> {
	const answer = await askText({
		title,
		placeholder: "friendly, senior",
		prompt: "Tags, separated by commas. The API marks this search as deprecated; Filter Pets needs no request.",
		check: (text) => (split(text).length === 0 ? "Enter a tag." : undefined),
	});
	return typeof answer === "string" ? split(answer) : undefined;
}
