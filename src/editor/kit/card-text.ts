/** The address of a web page in a text, without a bracket that was opened in front of it and the marks at its end. */
const ADDRESS =
	/\bhttps?:\/\/(?=[^\s<>"()/])(?:[^\s<>"()[\]]|\([^\s<>"()[\]]*\)|\[[^\s<>"()[\]]*\])*(?<![?!.,:;*_~'`])/gi;

/**
 * Markdown that shows a text as it is. Addresses of web pages in it lead where they were written, which they do not where
 * the editor finds them itself, behind our backslashes; nothing else of it is markup, a link, a command or an icon.
 */
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
