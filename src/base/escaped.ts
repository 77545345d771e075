const MARKS: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r" };

/** Escapes a text for a one-line box: `\n`, `\r` and `\\`. */
export function escaped(text: string): string {
	return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

/** Reverses {@link escaped}; any other backslash stands for itself. */
export function unescaped(line: string): string {
	return line.replaceAll(/\\([\\nr])/g, (_, mark: string) => MARKS[mark] ?? mark);
}

/** Percent-decoded text; undefined if an escape in it is broken. */
export function percentDecoded(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		return undefined;
	}
}

/** Text that stands for itself in HTML. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
