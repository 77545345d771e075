const OPENABLE: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/**
 * The address a link of a reply may open, or undefined where it may not: only absolute http, https and mailto. Never a
 * relative path, and never a scheme that runs something (`javascript:`, `command:`, `data:`, `vscode:`).
 */
export function openable(href: string): string | undefined {
	const url = URL.parse(href);
	return url !== null && OPENABLE.has(url.protocol) ? href : undefined;
}

/** A part of a text: words, or a bare web address in it. */
export interface TextPart {
	readonly text: string;
	readonly link: boolean;
}

const ADDRESS = /\bhttps?:\/\/[^\s<>"'`|\\^{}]+/g;
/** Closing marks that belong to the sentence around an address rather than to the address. */
const TRAILING: ReadonlySet<string> = new Set(".,:;!?*_~]");

/** Finds the bare web addresses of a text. A closing parenthesis belongs to an address only if it was opened in it. */
export function splitAddresses(text: string): readonly TextPart[] {
	if (!text.includes("://")) return [{ text, link: false }];
	const parts: TextPart[] = [];
	let at = 0;
	for (const match of text.matchAll(ADDRESS)) {
		const address = trimAddress(match[0]);
		if (openable(address) === undefined) continue;
		if (match.index > at) parts.push({ text: text.slice(at, match.index), link: false });
		parts.push({ text: address, link: true });
		at = match.index + address.length;
	}
	if (at < text.length) parts.push({ text: text.slice(at), link: false });
	return parts;
}

function trimAddress(raw: string): string {
	let end = raw.length;
	let unopened = count(raw, ")") - count(raw, "(");
	for (; end > 0; end -= 1) {
		const last = raw[end - 1] ?? "";
		if (last === ")" && unopened > 0) unopened -= 1;
		else if (!TRAILING.has(last)) break;
	}
	return raw.slice(0, end);
}

function count(text: string, char: string): number {
	let found = 0;
	for (let at = text.indexOf(char); at !== -1; at = text.indexOf(char, at + 1)) found += 1;
	return found;
}
