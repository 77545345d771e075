/**
 * Text of others, for places where the editor makes an icon of `$(name)`: list rows, the status bar, progress. A
 * backslash in front keeps it text; it is not shown itself, and nothing else is changed.
 */
export function withoutIcons(text: string): string {
	return text.replaceAll(/\$\([\w-]+(?:~\w+)?\)/g, "\\$&");
}

/**
 * Text of others, for notifications, where the editor makes a link of `[text](address)`, commands included. An invisible
 * space between the two keeps it text.
 */
export function withoutLinks(text: string): string {
	return text.replaceAll("](", "]\u200b(");
}

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
