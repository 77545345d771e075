import { type PartlyRead, unreadFields } from "#api/petstore/unread.ts";
import { ClientError } from "#base/errors.ts";

/** So many fields are named, and so much of each name. */
const TOLD = 5;
const LONGEST_NAME = 40;

/**
 * What refuses the first save that would delete what is not in the text, as it could not be read; who saves again has read
 * that. It throws ClientError `invalid` for the first such field. `wayBack` says what brings back what is lost.
 */
export function lossRefusal<T extends PartlyRead>(wayBack: (read: T) => string): (read: T) => void {
	let known: string | undefined;
	return (read) => {
		const fields = unreadFields(read);
		const all = fields.join("\n");
		if (fields.length === 0 || all === known) return;
		known = all;
		const more = fields.length > TOLD ? ` and ${fields.length - TOLD} more` : "";
		const names = fields.slice(0, TOLD).map((field) => field.slice(0, LONGEST_NAME));
		const rule = `cannot be kept, and a save would delete it in the store: save again to do so, ${wayBack(read)}`;
		throw new ClientError("petstore", "invalid", `${names.join(", ")}${more} ${rule}`, { field: names[0] ?? "" });
	};
}
