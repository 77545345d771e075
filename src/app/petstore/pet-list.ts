import { knownPart } from "#api/petstore/decode.ts";
import { merged } from "#api/petstore/json-merge.ts";
import { type Pet, petShape } from "#api/petstore/model.ts";
import { RAW } from "#api/petstore/shape.ts";
import { escaped, unescaped } from "#base/escaped.ts";
import { parseSourceJson } from "#base/exact-json.ts";
import { LIMITS } from "#base/limits.ts";
import { cellText, csvLineOf, textCell } from "../kit/csv.ts";
import { boundedList, csvEntries, guessFormat, type ListEntry, type ListFormat, listEntries } from "./record-list.ts";
import { readJson } from "./user-text.ts";

/** Readers of the cells of a pet, by their columns. */
const CELLS: Readonly<Record<string, (cell: string) => unknown>> = {
	id: (cell) => cell.trim() || undefined,
	name: textIn,
	status: (cell) => cell.trim() || undefined,
	category: (cell) => (cell.trim() === "" ? undefined : namedIn(cell)),
	tags: (cell) => linesIn(cell).map(namedIn),
	photoUrls: (cell) => linesIn(cell).map(textIn),
};

/** Text of pets: JSON with what only their store knows, or CSV with the contract's fields, and a line for each tag. */
export function petListText(pets: readonly Pet[], format: ListFormat): string {
	const toJson = (pet: Pet) => merged(petShape, pet);
	if (format === "json") return `${JSON.stringify(pets.map(toJson), null, 2)}\n`;
	const rows = pets.map(({ id, name, status, category, tags = [], photoUrls = [] }) => {
		const lists = [tags.map(named), photoUrls.map(inLine)].map((lines) => lines.join("\n"));
		return [id, name && inLine(name), status, category && named(category), ...lists].map(textCell);
	});
	return [Object.keys(CELLS), ...rows].map(csvLineOf).join("");
}

/** Name, if there is one, and the id. */
const NAMED = /^(?:(.*) )?\((-?\d*)\)$/s;

/** Name with its id, as in `Dogs (1)`. */
function named({ id, name }: NonNullable<Pet["category"]>): string {
	if (name && id === undefined && !NAMED.test(name)) return inLine(name);
	return inLine(`${name === undefined ? "" : `${name} `}(${id ?? ""})`);
}

function namedIn(line: string) {
	const [, name, id] = NAMED.exec(textIn(line)) ?? ["", textIn(line)];
	return { id: id || undefined, name };
}

/** Text in one line, where `\n` and `\r` stand for line breaks. A backslash ends a blank one, since no line is blank. */
function inLine(text: string): string {
	return escaped(text).replace(/^\s*$/, "$&\\");
}

function textIn(line: string): string {
	return unescaped(line.replace(/^(\s*)\\$/, "$1"));
}

function linesIn(cell: string): readonly string[] {
	return cell.split(/\r?\n/).filter((line) => line.trim() !== "");
}

/** Entries of a list of pets, which {@link petFields} reads. Throws ClientError `invalid` for a text that is no list. */
export function readPetList(text: string): readonly ListEntry[] {
	const entries =
		guessFormat(text) === "csv"
			? csvEntries(text, "Pet", Object.keys(CELLS), (cells) => cells)
			: listEntries(readJson(text, "pets", parseSourceJson), "pets", (index) => `pet ${index + 1}`);
	return boundedList(entries, "pets", LIMITS.importedPets);
}

/** Fields of an entry: in CSV those of the first row, in JSON all, with their source. They are not checked yet. */
export function petFields(entry: Readonly<Record<string, unknown>>): Readonly<Record<string | symbol, unknown>> {
	if (!(entry instanceof Map)) return { ...Object(knownPart(petShape, entry)), [RAW]: entry };
	const cells: ReadonlyMap<string, string> = entry;
	return Object.fromEntries([...cells].map(([name, cell]) => [name, CELLS[name]?.(cellText(cell))]));
}
