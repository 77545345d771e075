import type { PetstoreConnection } from "#app/connections/connection.ts";
import { pathSegment } from "#app/petstore/documents.ts";
import { type ImportPlan, importPets, type PetToImport, planImport } from "#app/petstore/import-pets.ts";
import type { BatchOptions } from "#app/petstore/many-pets.ts";
import { petListText, readPetList } from "#app/petstore/pet-list.ts";
import { groupOf, type PetFilter, passer } from "#app/petstore/pets.ts";
import type { ListFormat } from "#app/petstore/record-list.ts";
import type { Call } from "../kit/command.ts";
import { askExportFile, fileAt, writeExport } from "../kit/export.ts";
import { leaving } from "../kit/leaving.ts";
import { withoutIcons } from "../kit/plain.ts";
import { askSeveral, notify } from "../kit/prompts.ts";
import { joinParts, plainLine } from "../kit/text.ts";
import { countPets } from "../words/petstore-words.ts";
import { chosenRows } from "./chosen-pets.ts";
import { readListFile } from "./list-file.ts";
import { batchResult, doToMany, withSteps } from "./many-pets.ts";
import { nameOf } from "./pet-look.ts";
import type { PetstoreRoom } from "./petstore-room.ts";

/** Exports the selected pets, or those of a store or status that the filter shows, as a list. */
export async function exportPets(
	{ id }: PetstoreConnection,
	call: Call<{ readonly status?: string; readonly format?: ListFormat; readonly path?: string } & Partial<PetFilter>>,
	room: PetstoreRoom,
) {
	const { argument } = call;
	const list = room.pets.of(id);
	if (!(await list.load())) throw list.state.error;
	const { status, text = "", tags = [] } = argument ?? { ...room.pets.filter, status: call.row?.fields["status"] };
	const passes = passer({ text, tags });
	const chosen = chosenRows(call, room).flatMap(({ connection, id: pet }) => room.pets.of(connection).get(pet) ?? []);
	const shown = list.pets.filter((pet) => (status === undefined || groupOf(pet) === status) && passes(pet));
	const pets = chosen.length > 0 ? chosen : shown;
	const kinds = { JSON: ["json"], CSV: ["csv"] };
	const facts = chosen.length > 0 ? [] : [String(status ?? ""), ...tags, text];
	const name = `${pathSegment(joinParts([...facts, "pets"], "-"), "pets")}.json`;
	const uri = argument ? fileAt(argument.path) : await askExportFile("Export Pets", name, kinds);
	if (argument === undefined && uri === undefined) return undefined;
	const format = argument?.format ?? (/\.csv$/i.test(uri?.path ?? "") ? "csv" : "json");
	const written = leaving(petListText(pets, format));
	if (uri === undefined) return { pets: pets.length, format, text: written };
	await writeExport(uri, written, argument === undefined);
	return { pets: pets.length, format, path: uri.fsPath };
}

/** Imports the pets of a list after a preview of what is added, changed and skipped. */
export async function importFromList(
	store: PetstoreConnection,
	{ argument }: Call<{ readonly text: string }>,
	room: PetstoreRoom,
) {
	const { id, label } = store;
	const title = `Import Pets into ${label}`;
	const isAsked = argument === undefined;
	const asked = () => readListFile(title, "pets", readPetList);
	const list = isAsked ? await asked() : { name: "", value: readPetList(argument.text) };
	if (list === undefined) return undefined;
	const { length } = list.value;
	const compare = (options: BatchOptions) => planImport(room.service, id, list.value, options);
	const plan = await withSteps(`Comparing ${countPets(length)} with ${label}`, length, compare, room);
	const items = isAsked ? await askItems(title, plan, list.name) : plan.items;
	if (isAsked && items.length === 0) return undefined;
	const deed = { title: `Importing ${countPets(items.length)}`, verb: "imported" };
	const run = (options: BatchOptions) => importPets(room.service, items, options);
	const result = await doToMany(items.length, deed, run, room, isAsked);
	const written = room.service.undoable.of(result.batch);
	const idsOf = (isNew: boolean) => written.flatMap(({ before, id }) => (isNew === (before === undefined) ? id : []));
	const mistakes = plan.mistakes.map(({ message }) => message);
	const { moved: _, ...outcome } = batchResult(result);
	return { added: idsOf(true), changed: idsOf(false), skipped: plan.skipped, mistakes, ...outcome };
}

/** Asks which pets of a plan to write. The mistakes of the list stand above them. */
async function askItems(title: string, { items, skipped, mistakes }: ImportPlan, source: string) {
	if (items.length + mistakes.length === 0) {
		void notify("Information", `Nothing to import: the store has all of ${source} as it is there.`);
		return [];
	}
	const rows = items.map((value) => ({
		label: withoutIcons(nameOf(value.pet)),
		description: withoutIcons(joinParts([value.pet.status, value.id ?? "new id"])),
		detail: withoutIcons(
			joinParts(value.changes.map((name) => `${name}: ${inWords(value.before?.[name])} → ${inWords(value.pet[name])}`)),
		),
		value,
		picked: true,
		group: value.before === undefined ? "Add" : "Change",
	}));
	const notes = mistakes.map(({ message }) => ({ label: `$(warning) ${withoutIcons(message)}`, group: "Mistakes" }));
	const adds = rows.filter(({ group }) => group === "Add").length;
	const counts = { "to add": adds, "to change": rows.length - adds, equal: skipped, "with a mistake": mistakes.length };
	const facts = Object.entries(counts).map(([words, count]) => (count === 0 ? "" : `${count} ${words}`));
	return (await askSeveral<PetToImport>({ title, placeholder: joinParts(facts, ", ") }, [...notes, ...rows])) ?? [];
}

/** Value of a field in a line: a text, a name, or those of a list. */
function inWords(value: unknown): string {
	const texts = [value].flat().map((each) => (typeof each === "string" ? each : Object(each).name));
	return plainLine(joinParts(texts, ", "), "none");
}
