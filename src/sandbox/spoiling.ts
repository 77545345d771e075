import { integer, type Read, shape, text } from "./strict.ts";

/** A field of a reply put wrong. */
export interface Spoiling {
	/** The item of a list, counted from 0 over all pages; without it, every item and every single object. */
	readonly at?: number;
	/** The name of the field. */
	readonly field: string;
	/** New value; without it the field is left out. */
	readonly value?: unknown;
}

const anything: Read<unknown> = (value) => value;

/** Reads a {@link Spoiling} strictly. */
export const readSpoiling: Read<Spoiling> = shape(
	{ field: text({ min: 1 }) },
	{ at: integer({ min: 0 }), value: anything },
);

/** The body with the field put wrong that was asked for. `offset` is how many items came on earlier pages. */
export function spoil(body: unknown, { at, field, value }: Spoiling, offset: number): unknown {
	if (Array.isArray(body)) {
		return body.map((item, index) =>
			at === undefined || at === offset + index ? spoil(item, { field, value }, 0) : item,
		);
	}
	if (typeof body !== "object" || body === null) return body;
	const { [field]: _, ...rest }: Record<string, unknown> = Object.fromEntries(Object.entries(body));
	return value === undefined ? rest : { ...rest, [field]: value };
}
