import type { PetFilter } from "#app/petstore/pet-groups.ts";

/** A tag in the filter box: `tag:friendly`, or `tag:"needs a garden"`. */
const TAG = /(?<!\S)tag:(?:"([^"]*)"|(\S*))/gi;

/** Reads what was typed into the filter box: words, and any number of tags. */
export function readPetFilter(typed: string): PetFilter {
	const tags = [...typed.matchAll(TAG)].map(([, quoted, plain]) => (quoted ?? plain ?? "").trim());
	const text = typed.replaceAll(TAG, " ").replaceAll(/\s+/g, " ").trim();
	return { text, tags: tags.filter((tag) => tag !== "") };
}

/** A filter as it is typed. */
export function writePetFilter({ text, tags }: PetFilter): string {
	return [text, ...tags.map((tag) => `tag:${/\s/.test(tag) ? `"${tag}"` : tag}`)]
		.filter((part) => part !== "")
		.join(" ");
}

/** A filter in a few words, for the head of the view; empty where all is shown. */
export function petFilterWords({ text, tags }: PetFilter): string {
	const parts = [text === "" ? "" : `"${text}"`, tags.length === 0 ? "" : `tag ${tags.join(" or ")}`];
	return parts.filter((part) => part !== "").join(" · ");
}
