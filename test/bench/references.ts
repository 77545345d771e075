import { isPlaceForReference, referencesIn } from "#app/codehost/reference-places.ts";
import { atMost, type BenchRow, median } from "./row.ts";

const LINES = 10_000;
const ROUNDS = 50;
const KEYS = 1_000;

/** A file of code in which every hundredth line has a comment with a reference, and each tenth a color or an address. */
const FILE = Array.from({ length: LINES }, (_, line) => {
	if (line % 100 === 0) return `\t// The lamp of line ${line} was dark: see #${line + 1} and acme/app#12.`;
	if (line % 10 === 0)
		return `\tconst color${line} = "#12ab${line % 90}"; fetch("https://code.example/a/b/${line}#part");`;
	return `\tconst lamp${line} = lamps.find((each) => each.line === ${line} && each.label.startsWith("lamp-${line}"));`;
}).join("\n");

/** Reads the references of 10,000 lines of code, as after a pause in typing, and looks at a line, as at each key. */
export async function measure(): Promise<BenchRow[]> {
	const file: number[] = [];
	const keys: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const text = `${FILE}\n// ${round}`;
		const began = performance.now();
		const found = referencesIn(text, "typescript").length;
		file.push(performance.now() - began);
		if (found !== (LINES / 100) * 2) throw new Error(`${found} references`);
		const typed = performance.now();
		for (let key = 0; key < KEYS; key++)
			isPlaceForReference(`${" ".repeat(key % 80)}const lamp = "#`, key % 80, "typescript");
		keys.push((performance.now() - typed) / KEYS);
	}
	const note = `${(FILE.length / 1e3).toFixed(0)} KB`;
	return [
		atMost(10, { name: "links of 10,000 lines, after a pause in typing", value: median(file), unit: "ms", note }),
		atMost(0.05, { name: "a key that is typed", value: median(keys), unit: "ms" }),
	];
}

if (import.meta.main) console.table(await measure());
