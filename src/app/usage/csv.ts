import type { UsageLine } from "./ledger.ts";

const COLUMNS = ["Time (UTC)", "Connection", "Model", "Caller", "Input Tokens", "Cached Tokens", "Output Tokens"];

/** First line of the export of usage. */
export const CSV_HEADER = rowOf([...COLUMNS, "Cost", "Currency"]);

/** Line of an export for a reply (RFC 4180); `connection` is the name of its connection. */
export function csvLine({ at, model, caller, input, cached, output, cost, currency }: UsageLine, connection: string) {
	// Sums of floating point numbers end in noise.
	const amount = cost === undefined ? "" : Number(cost.toPrecision(12));
	const texts = [connection, model, caller].map(asText);
	return rowOf([new Date(at).toISOString(), ...texts, input, cached ?? "", output, amount, asText(currency ?? "")]);
}

/** Text that no spreadsheet takes for a formula: services choose the names of their models. */
function asText(text: string): string {
	return /^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
}

function rowOf(values: readonly (string | number)[]): string {
	const cells = values.map((value) => (/[",\r\n]/.test(`${value}`) ? `"${`${value}`.replaceAll('"', '""')}"` : value));
	return `${cells.join(",")}\r\n`;
}
