import { LIMITS } from "#base/limits.ts";

/**
 * The addresses of the remotes in the text of a `.git/config`, those of pushes included: of `[remote "..."]` sections only,
 * for a submodule's `url` is no remote of the folder.
 */
export function remotesIn(config: string): readonly string[] {
	const urls: string[] = [];
	let isRemote = false;
	for (const line of config.split(/\r?\n/)) {
		if (line.length > LIMITS.gitConfigLineCharacters) continue;
		// No two repetitions side by side take the same character: a pattern that tries them all takes seconds.
		const [, section, rest = line] = /^\s*\[([^\]"]*(?:"(?:[^"\\]|\\.)*"\s*)?)\](.*)$/.exec(line) ?? [];
		if (section !== undefined) isRemote = /^\s*remote[\s.]/i.test(section);
		const written = isRemote ? /^\s*(?:push)?url\s*=(.*)$/i.exec(rest)?.[1] : undefined;
		const url = written === undefined ? "" : plainValue(written);
		if (url !== "") urls.push(url);
	}
	return urls;
}

/** A value without its quotes and the comment after it. */
function plainValue(written: string): string {
	let value = "";
	let isQuoted = false;
	for (const [part] of written.matchAll(/\\.|./g)) {
		if (part === '"') isQuoted = !isQuoted;
		else if (!isQuoted && (part === ";" || part === "#")) break;
		else value += part.length === 2 ? part.slice(1) : part;
	}
	return value.trim();
}
