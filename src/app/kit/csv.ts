import { invalid, type Service } from "#base/errors.ts";

/** Line of CSV (RFC 4180). */
export function csvLineOf(cells: readonly (string | number)[]): string {
	const written = cells.map((cell) => (/[",\r\n]/.test(`${cell}`) ? `"${`${cell}`.replaceAll('"', '""')}"` : cell));
	return `${written.join(",")}\r\n`;
}

/** Text that a spreadsheet would take for a formula, perhaps behind apostrophes that mark it as text. */
const FORMULA = /^'*\s*[=+\-@＝＋－＠]/;

/** Cell of a text of others, which no spreadsheet takes for a formula: an apostrophe marks it as text. */
export function textCell(text = ""): string {
	return FORMULA.test(text) ? `'${text}` : text;
}

/** Text of a cell, without the apostrophe that {@link textCell} has put before a formula. */
export function cellText(cell: string): string {
	return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** Reads CSV (RFC 4180) separated by commas, semicolons or tabs, without blank rows. Throws `invalid` with the line. */
export function readCsv(document: string, service: Service) {
	const text = document.replace(/^\uFEFF/, "");
	const separator = separatorOf(text);
	// A cell, quoted or not, and what ends it.
	const cell = new RegExp(`(?: *"([^"]*(?:""[^"]*)*)" *|([^"${separator}\\r\\n]*))(${separator}|\\r\\n?|\\n|$)`, "y");
	/** Rows, each with the line in which it begins. */
	const rows: { readonly line: number; readonly cells: readonly string[] }[] = [];
	let line = 1;
	let begun = 1;
	let cells: string[] = [];
	for (let at = 0; at < text.length || cells.length > 0; ) {
		cell.lastIndex = at;
		const found = cell.exec(text);
		if (found === null) throw invalid(service, "", "has a quotation mark out of place", line);
		const [all, quoted, plain = "", end = ""] = found;
		cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		line += all.match(/\r\n|\n|\r/g)?.length ?? 0;
		at = cell.lastIndex;
		if (end === separator) continue;
		if (cells.some((each) => each.trim() !== "")) rows.push({ line: begun, cells });
		cells = [];
		begun = line;
	}
	return rows;
}

function separatorOf(text: string): string {
	const first = /^.*$/m.exec(text.trimStart())?.[0] ?? "";
	const count = (separator: string) => first.split(separator).length;
	return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
}
