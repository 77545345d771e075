const MARKS: Readonly<Record<string, string>> = { "\\": "\\", n: "\n", r: "\r" };

/** A text on one line, for a box that has no more: `\n` and `\r` stand for the ends of lines, `\\` for a backslash. */
export function escaped(text: string): string {
	return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
}

/** The text that `escaped` makes this of. A backslash before anything else is one. */
export function unescaped(line: string): string {
	return line.replaceAll(/\\([\\nr])/g, (_, mark: string) => MARKS[mark] ?? mark);
}
