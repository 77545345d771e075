/** A kind of picture: its media type and how a file of it ends. */
export interface ImageType {
	readonly type: string;
	readonly suffix: string;
}

/** The first bytes, in hex. SVG is not among them: it can hold scripts. */
const SIGNATURES: readonly (readonly [type: string, suffix: string, signature: RegExp])[] = [
	["image/png", "png", /^89504e470d0a1a0a/],
	["image/jpeg", "jpg", /^ffd8ff/],
	["image/gif", "gif", /^474946383[79]61/],
	["image/webp", "webp", /^52494646.{8}57454250/],
	["image/avif", "avif", /^.{8}6674797061766966/],
	["image/bmp", "bmp", /^424d/],
];

/** Type of a picture by its first bytes, since names and labels can say anything; undefined for no picture. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
	const head = [...bytes.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	const found = SIGNATURES.find(([, , signature]) => signature.test(head));
	return found === undefined ? undefined : { type: found[0], suffix: found[1] };
}
