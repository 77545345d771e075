/** Escapes untrusted text where the editor renders `$(name)` as an icon: rows, status bar, progress. */
export function withoutIcons(text: string): string {
	return text.replaceAll(/\$\([\w-]+(?:~\w+)?\)/g, "\\$&");
}

/** Breaks up `[text](address)` in untrusted text, which notifications render as a link, even to a command. */
export function withoutLinks(text: string): string {
	return text.replaceAll("](", "]\u200b(");
}

/** Web address in text, without an opening bracket before it and punctuation after it. */
const ADDRESS =
	/\bhttps?:\/\/(?=[^\s<>"()/])(?:[^\s<>"()[\]]|\([^\s<>"()[\]]*\)|\[[^\s<>"()[\]]*\])*(?<![?!.,:;*_~'`])/gi;

/** Escapes text for Markdown. Web addresses stay links; nothing else becomes markup, a link, a command or an icon. */
export function cardText(text: string): string {
	let markdown = "";
	let from = 0;
	for (const { 0: address, index } of text.matchAll(ADDRESS)) {
		const literal = escaped(address);
		markdown += `${escaped(text.slice(from, index))}[${literal}](<${literal}>)`;
		from = index + address.length;
	}
	return markdown + escaped(text.slice(from));
}

/** Any mark of ASCII may have a backslash in front (CommonMark 2.4); a line by itself is a paragraph. */
function escaped(text: string): string {
	return text.replaceAll(/[!-/:-@[-`{-~]/g, "\\$&").replaceAll(/\s*\n\s*/g, "\n\n");
}
