import { decodePetstoreReply } from "#api/petstore/decode.ts";
import { petsShape } from "#api/petstore/model.ts";
import { writeXml } from "#api/petstore/request.ts";
import { readReplyXml, valueOfXml } from "#api/petstore/xml-reader.ts";
import { parseExactJson, parseSourceJson } from "#base/exact-json.ts";
import { atMost, type BenchRow, beside, median } from "./row.ts";

const ROUNDS = 15;
const PETS = 15_500;

/** Reads 5 MB of pets, all with ids that a number cannot hold, in several ways; the rounds are interleaved. */
export async function measure(): Promise<BenchRow[]> {
	const text = manyPets();
	const xml = writeXml(petsShape, parseExactJson(text));
	const ways = {
		plain: () => JSON.parse(text),
		reviver: () => JSON.parse(text, exactly),
		ours: () => decodePetstoreReply(petsShape, parseSourceJson(text), { isJson: true }),
		xml: async () => decodePetstoreReply(petsShape, valueOfXml(petsShape, await readReplyXml(xml))),
	};
	const names = ["plain", "reviver", "ours", "xml"] as const;
	const times: Record<(typeof names)[number], number[]> = { plain: [], reviver: [], ours: [], xml: [] };
	for (let round = -2; round < ROUNDS; round++) {
		for (const name of names) {
			const begun = performance.now();
			await ways[name]();
			if (round >= 0) times[name].push(performance.now() - begun);
		}
	}
	const pets = ways.ours();
	const last = pets.at(-1);
	if (pets.length !== PETS || last?.id !== String(2n ** 63n - BigInt(PETS))) throw new Error("An id was lost.");
	const ratio = median(times.ours.map((ms, round) => ms / (times.reviver[round] ?? Number.NaN)));
	const load = `${(text.length / 1e6).toFixed(1)} MB, ${PETS.toLocaleString("en")} pets`;
	return [
		beside({ name: "JSON.parse, ids wrong", value: median(times.plain), unit: "ms", note: load }),
		beside({ name: "JSON.parse with a reviver, ids right", value: median(times.reviver), unit: "ms" }),
		beside({ name: "pets out of JSON, exactly", value: median(times.ours), unit: "ms", note: "read and decoded" }),
		atMost(1.5, { name: "pets out of JSON / reviver", value: ratio, unit: "x" }),
		beside({
			name: "the same pets out of XML, exactly",
			value: median(times.xml),
			unit: "ms",
			note: `${(xml.length / 1e6).toFixed(1)} MB`,
		}),
	];
}

function exactly(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
	return typeof value === "number" && !Number.isSafeInteger(value) ? context?.source : value;
}

function manyPets(): string {
	const pets = Array.from({ length: PETS }, (_, at) => {
		const id = 2n ** 63n - BigInt(at + 1);
		const tags = `[{"id":${2n ** 53n + BigInt(at)},"name":"tag \\"${at % 7}\\""},{"id":${at},"name":"small"}]`;
		const photos = `["https://pets.example/photos/${at}/front.png","https://pets.example/photos/${at}/side.png"]`;
		return `{"id":${id},"category":{"id":${id},"name":"Dogs of the house"},"name":"Biscuit the ${at}th of his name","photoUrls":${photos},"tags":${tags},"status":"available"}`;
	});
	return `[${pets.join(",")}]`;
}
