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
