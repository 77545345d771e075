/** One row of a CSV document. */
export interface CsvRow {
	/** The line in which it begins, counted from 1. */
	readonly line: number;
	readonly cells: readonly string[];
}

/** A CSV document. */
export interface Csv {
	/** Without those in which no cell holds more than spaces. */
	readonly rows: readonly CsvRow[];
	/** The line of a quotation mark that is never closed, or not where a cell ends; undefined where there is none. */
	readonly brokenAt: number | undefined;
}

/**
 * Reads CSV (RFC 4180), quoted cells with line breaks included, spaces around a cell as part of it. Cells are separated by
 * what separates the first row: commas, semicolons as spreadsheets of many countries write, or tabs.
 */
export function readCsv(document: string): Csv {
	const text = document.replace(/^\uFEFF/, "");
	const separator = separatorOf(text);
	// A cell, quoted or not, and what ends it.
	const cell = new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, "y");
	const rows: CsvRow[] = [];
	let line = 1;
	let begun = 1;
	let cells: string[] = [];
	for (let at = 0; at < text.length || cells.length > 0; ) {
		cell.lastIndex = at;
		const found = cell.exec(text);
		if (found === null) return { rows, brokenAt: line };
		const [all, quoted, plain = "", end = ""] = found;
		cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
		line += all.match(/\r\n|\n|\r/g)?.length ?? 0;
		at = cell.lastIndex;
		if (end === separator) continue;
		if (cells.some((each) => each.trim() !== "")) rows.push({ line: begun, cells });
		cells = [];
		begun = line;
	}
	return { rows, brokenAt: undefined };
}

function separatorOf(text: string): string {
	const first = /^.*$/m.exec(text.trimStart())?.[0] ?? "";
	const count = (separator: string) => first.split(separator).length;
	return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
}
