import { csvLineOf, textCell } from "../kit/csv.ts";
import type { UsageLine } from "./ledger.ts";

const COLUMNS = ["Time (UTC)", "Connection", "Model", "Caller", "Input Tokens", "Cached Tokens", "Output Tokens"];

/** First line of the export of usage. */
export const CSV_HEADER = csvLineOf([...COLUMNS, "Cost", "Currency"]);

/** Line of an export for a reply; `connection` is the name of its connection. */
export function csvLine({ at, model, caller, input, cached, output, cost, currency }: UsageLine, connection: string) {
	// Sums of floating point numbers end in noise.
	const amount = cost === undefined ? "" : Number(cost.toPrecision(12));
	const texts = [connection, model, caller].map(textCell);
	return csvLineOf([new Date(at).toISOString(), ...texts, input, cached ?? "", output, amount, textCell(currency)]);
}
