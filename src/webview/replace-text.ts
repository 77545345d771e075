/** Limits of an edit: engines take a second to insert a few hundred lines as one. */
const LONGEST_EDIT = { letters: 1_000, lines: 20, text: 20_000 };

/** Replaces the text of a box and moves the caret with its letters. A small change is an edit that Undo takes back. */
export function replaceText(input: HTMLTextAreaElement, text: string): void {
	const { value, selectionStart, selectionEnd, selectionDirection, scrollTop } = input;
	const { start, end, text: added } = changeOf(value, text);
	const moved = (at: number) => (at >= end ? at + added.length - (end - start) : Math.min(at, start + added.length));
	const isShort = added.length <= LONGEST_EDIT.letters && added.split("\n").length <= LONGEST_EDIT.lines;
	if (isShort && value.length <= LONGEST_EDIT.text && isTypedIn(input)) {
		input.setSelectionRange(start, end);
		// Deprecated, but the only edit that Undo knows.
		if (added === "") document.execCommand("delete");
		else document.execCommand("insertText", false, added);
	}
	if (input.value !== text) input.value = text;
	input.setSelectionRange(moved(selectionStart), moved(selectionEnd), selectionDirection);
	input.scrollTop = scrollTop;
}

/** True if an edit would be one of this box and keep the focus; without focus the selection shows where it was last. */
function isTypedIn(input: HTMLElement): boolean {
	const { anchorNode, anchorOffset } = document.getSelection() ?? {};
	const isSelected = anchorNode?.childNodes[anchorOffset ?? 0] === input;
	return isSelected && (document.activeElement === input || !document.hasFocus());
}

/** Minimal single-range diff between two texts: `text` replaces the characters from `start` to `end`. */
function changeOf(from: string, to: string) {
	const most = Math.min(from.length, to.length);
	let start = 0;
	while (start < most && from[start] === to[start]) start += 1;
	let same = 0;
	while (same < most - start && from.at(-1 - same) === to.at(-1 - same)) same += 1;
	return { start, end: from.length - same, text: to.slice(start, to.length - same) };
}
