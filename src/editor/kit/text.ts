import { wordsIn } from "#app/kit/filter.ts";
import { LIMITS } from "#base/limits.ts";
import { oneLine } from "#base/one-line.ts";
import { replaceUnprintable } from "#base/unprintable.ts";

const LONGEST_LINE = 300;

/** One safe line of a service's text, of at most 300 characters; `fallback` if it is empty. */
export function plainLine(text: string | null | undefined, fallback = ""): string {
	return oneLine(text ?? "", LONGEST_LINE) || fallback;
}

/** Names of a service's objects, each as one safe line, without empty ones. */
export function plainNames(named: readonly { readonly name?: string | undefined }[] = []): readonly string[] {
	return named.map(({ name }) => plainLine(name)).filter((name) => name !== "");
}

/** Characters of a name within a sentence. */
const LONGEST_NAME = 40;

/** Name, or owner/name, that cannot be taken for words of the sentence around it. */
const PLAIN_NAME = /^(?:[\p{L}\p{N}][\p{L}\p{M}\p{N} '’._-]*|[\w.-]+\/[\w.-]+)$/u;

/** Name or word of others within a sentence: cut in its middle, and in quotes unless it is plain. May be empty. */
export function quoted(name: string): string {
	const all = [...oneLine(name, LIMITS.toolTextCharacters)];
	const half = LONGEST_NAME / 2;
	const line = (all.length > LONGEST_NAME ? [...all.slice(0, half), "…", ...all.slice(1 - half)] : all).join("");
	return line === "" || PLAIN_NAME.test(line) ? line : JSON.stringify(line);
}

/** Joins the parts that are not empty. */
export function joinParts(parts: readonly (string | undefined)[], separator = " · "): string {
	return parts.filter(Boolean).join(separator);
}

/** Characters of the name in a tab. */
const LONGEST_TAB = 50;

/** Title of a tab: a name, cut where it is long, and what tells it from others of that name. */
export function tabTitle(name: string, beside = ""): string {
	return joinParts([oneLine(name, LONGEST_TAB), plainLine(beside)]);
}

/** Safe text of several lines. */
export function plainBody(text: string): string {
	return replaceUnprintable(text.replaceAll(/\r\n?/g, "\n"), () => "");
}

/** Ranges of the words of a filter in a label, from and to in UTF-16 units; undefined if none is found. */
export function wordRanges(label: string, filter: string): readonly [number, number][] | undefined {
	const lower = label.toLowerCase();
	const found = wordsIn(filter)
		.map((word): [number, number] => [lower.indexOf(word), lower.indexOf(word) + word.length])
		.filter(([from]) => from >= 0);
	return found.length === 0 ? undefined : found;
}
