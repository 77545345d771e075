import fc from "fast-check";

/**
 * Any code point, halves of pairs included, as a unit of `fc.string`. The library's own "binary" says the same and
 * takes a second of each process to set up.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
	.integer({ min: 0, max: 0x10_ff_ff })
	.map((point) => String.fromCodePoint(point));
