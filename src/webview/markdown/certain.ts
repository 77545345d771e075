import { MAX_DEPTH } from "./containers.ts";
import { CODE_INDENT, type Cursor } from "./cursor.ts";
import { listMarker } from "./starts.ts";

const SPECIAL = /^[#>\-+*_=`~|:$\d]/;

/**
 * True when no continuation of this part of a line can change what kind of line it is, so that it may be shown and grow
 * in place. `cursor` stands behind the containers the line continues. May answer false too often, never true too often:
 * a line held back is read whole at its end.
 */
export function isCertain(cursor: Cursor): boolean {
	const at = cursor.copy();
	// Each level reads all that is left of the line, and no deeper container is ever opened.
	for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
		const { indent, rest } = at;
		if (rest === "") return false;
		if (indent >= CODE_INDENT || !SPECIAL.test(rest)) return true;
		if (rest.startsWith(">")) {
			at.toNonspace();
			at.characters(1);
			at.columns(1);
			continue;
		}
		if (mayBecomeOther(rest)) return false;
		const marker = listMarker(rest);
		if (marker === undefined) return true;
		at.toNonspace();
		at.characters(marker.width);
		if (at.indent > CODE_INDENT) return true;
		at.toNonspace();
	}
	// Whatever text it is, it opens no more, and at each level it was none of what is still open-ended.
	return true;
}

/** The starts of lines that more text can turn into something else. */
const OPEN_ENDED: readonly RegExp[] = [
	/^#{1,6}[ \t]*$/,
	/^([-*_=])[ \t]*(?:\1[ \t]*)*$/,
	/^\+[ \t]*$/,
	/^[|:\- \t]+$/,
	/^`{1,2}$/,
	/^`{3,}[^`]*$/,
	/^~{1,2}$/,
	/^~{3,}/,
	/^\d{1,9}[.)]?[ \t]*$/,
	/^\$\$?[ \t]*$/,
];

function mayBecomeOther(rest: string): boolean {
	return OPEN_ENDED.some((pattern) => pattern.test(rest));
}
