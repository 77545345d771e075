/** Parses a filter of words and values such as `tag:friendly` or `tag:"needs a garden"`; other names are words. */
export function parseFilter<N extends string>(typed: string, ...names: readonly N[]) {
	const pattern = new RegExp(`(?<!\\S)(${names.join("|")}):(?:"([^"]*)"|(\\S*))`, "gi");
	const found = [...typed.matchAll(pattern)];
	return {
		/** Words that all have to occur. */
		text: typed.replaceAll(pattern, " ").trim().replaceAll(/\s+/g, " "),
		/** Values of a name, or of several that mean the same, as they were typed. */
		valuesOf: (...of: readonly N[]): readonly string[] =>
			found
				.filter(([, each = ""]) => of.some((name) => each.toLowerCase() === name))
				.map(([, , quoted, plain = ""]) => (quoted ?? plain).trim()),
	};
}

/** Text of a filter as it is typed. */
export function printFilter(text: string, values: Readonly<Record<string, readonly string[]>>): string {
	const printed = Object.entries(values).flatMap(([name, all]) =>
		all.map((value) => `${name}:${/\s/.test(value) ? `"${value}"` : value}`),
	);
	return [text, ...printed].filter(Boolean).join(" ");
}

/** Words of a filter, in lower case. */
export function wordsIn(text: string): readonly string[] {
	return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Predicate for items in whose texts all the words of a filter occur, in any case. */
export function wordMatcher<T>(
	text: string,
	textsOf: (item: T) => readonly (string | number | null | undefined)[],
): (item: T) => boolean {
	const words = wordsIn(text);
	if (words.length === 0) return () => true;
	return (item) => {
		const all = textsOf(item).join("\n").toLowerCase();
		return words.every((word) => all.includes(word));
	};
}
