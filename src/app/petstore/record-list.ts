import { isRecord } from "#api/http/json.ts";
import { ClientError, invalid, withFacts } from "#base/errors.ts";
import { readCsv } from "../kit/csv.ts";

/** Format of a list of records. */
export type ListFormat = "csv" | "json";

/** Format of a list, as its beginning suggests. */
export function guessFormat(text: string): ListFormat {
	return /^\s*[[{]/.test(text) ? "json" : "csv";
}

/** Part of a document that should be a record, and its place in words, such as `line 3`. */
export interface ListEntry {
	readonly value: unknown;
	readonly at: string;
	readonly line?: number;
}

/** Entries of a list `field`; `at` names the place of one. Throws ClientError `invalid` for any other value. */
export function listEntries(values: unknown, field: string, at: (index: number) => string): readonly ListEntry[] {
	if (!Array.isArray(values)) throw invalid("petstore", field, "must be a list: [{...}, {...}]");
	return values.map((value: unknown, index) => ({ value, at: at(index) }));
}

/**
 * Entries of the rows of CSV, of which the first names the fields: `First Name` and `first_name` are `firstName`.
 * `read` makes one of the cells of a row by their columns. Throws `invalid` with the line, and no text of a row.
 */
export function csvEntries(
	text: string,
	model: string,
	columns: readonly string[],
	read: (cells: ReadonlyMap<string, string>) => unknown,
): readonly ListEntry[] {
	const [header, ...rest] = readCsv(text, "petstore");
	if (header === undefined) {
		throw invalid("petstore", "", `must name the fields, such as ${columns.slice(0, 2).join(",")}`, 1);
	}
	const columnOf = (heading: string) =>
		columns.find((name) => name.toLowerCase() === heading.replaceAll(/[\s_-]/g, "").toLowerCase());
	const filled = (cells: readonly string[]) => cells.findLastIndex((cell) => cell.trim() !== "") + 1;
	const names = header.cells.slice(0, filled(header.cells)).map((cell, index) => {
		const name = columnOf(cell);
		if (name !== undefined) return name;
		// A first row without a known name may be a record, password and all.
		const heading = header.cells.some(columnOf) ? ` ("${Array.from(cell).slice(0, 40).join("")}")` : "";
		throw invalid("petstore", `column ${index + 1}${heading}`, `is not named as a field of a ${model}`, header.line);
	});
	const twice = names.find((name, index) => names.indexOf(name) !== index);
	if (twice !== undefined) throw invalid("petstore", twice, "is there twice", header.line);
	return rest.map(({ line, cells }) => {
		if (filled(cells) > names.length) throw invalid("petstore", "", "has more cells than the first row", line);
		const given = names.slice(0, cells.length).map((name, at) => [name, cells[at] ?? ""] as const);
		return { value: read(new Map(given)), at: `line ${line}`, line };
	});
}

/** Entries of a list with a limit of its length. Throws ClientError `invalid` for none, or the first beyond `most`. */
export function boundedList(entries: readonly ListEntry[], noun: string, most: number): readonly ListEntry[] {
	if (entries.length === 0) throw invalid("petstore", noun, "must not be empty");
	const { at, line } = entries[most] ?? {};
	if (at !== undefined) throw invalid("petstore", line === undefined ? at : "", `is beyond ${most} ${noun}`, line);
	return entries;
}

/** Value that `read` makes of an entry. Its error gets the place of the entry. */
export function readEntry<T>({ value, at, line }: ListEntry, read: (value: Readonly<Record<string, unknown>>) => T): T {
	if (!isRecord(value)) throw invalid("petstore", at, "must be an object");
	try {
		return read(value);
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		// In an argument the field is a part of the path: `users[2].email`.
		const place = at + (at.endsWith("]") ? "." : ", ");
		const field = line === undefined ? place + error.field : error.field;
		throw withFacts(error, { field, line }, place + error.message);
	}
}
