import { LIMITS } from "./limits.ts";

/** Media type and file extension of a picture. */
export interface ImageType {
	readonly type: string;
	readonly suffix: string;
}

/** Media types that models see. */
export const SHOWN_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** First bytes in hex. Without SVG, which can hold scripts. */
const SIGNATURES: readonly (readonly [type: string, suffix: string, signature: RegExp])[] = [
	["image/png", "png", /^89504e470d0a1a0a/],
	["image/jpeg", "jpg", /^ffd8ff/],
	["image/gif", "gif", /^474946383[79]61/],
	["image/webp", "webp", /^52494646.{8}57454250/],
	["image/avif", "avif", /^.{8}6674797061766966/],
	["image/bmp", "bmp", /^424d/],
];

/** Type of a picture by its first bytes, since names and labels may lie; undefined for others. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
	const head = [...bytes.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
	const found = SIGNATURES.find(([, , signature]) => signature.test(head));
	return found === undefined ? undefined : { type: found[0], suffix: found[1] };
}

/** Size in pixels by the header of a PNG, GIF, WebP or JPEG; undefined for others. */
export function imageSizeOf(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	try {
		switch (imageTypeOf(bytes)?.suffix) {
			case "png":
				return { width: view.getUint32(16), height: view.getUint32(20) };
			case "gif":
				return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
			case "webp":
				return webpSize(view);
			case "jpg":
				return jpegSize(view);
			default:
				return undefined;
		}
	} catch (error) {
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

/** True for a picture that may use too much memory when decoded: large, or of unknown size. */
export function hasTooManyPixels(bytes: Uint8Array): boolean {
	const { width, height } = imageSizeOf(bytes) ?? { width: Infinity, height: 1 };
	return width * height > LIMITS.imagePixels;
}

/** Size in the first chunk of a WebP file. Throws RangeError if it is cut off. */
function webpSize(view: DataView) {
	const at = (place: number) => view.getUint16(place, true);
	const uint24 = (place: number) => at(place) + (view.getUint8(place + 2) << 16);
	switch (view.getUint8(15)) {
		case 0x58:
			return { width: uint24(24) + 1, height: uint24(27) + 1 };
		case 0x4c: {
			const bits = view.getUint32(21, true);
			return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
		}
		default:
			return { width: at(26) & 0x3fff, height: at(28) & 0x3fff };
	}
}

/** Size in the first frame header of a JPEG file. Throws RangeError for none. */
function jpegSize(view: DataView) {
	for (let at = 2; ; at += 2 + view.getUint16(at + 2)) {
		const marker = view.getUint8(at + 1);
		// Tables and arithmetic coding have markers between those of frames.
		const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
		if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
	}
}
