import type { ServerResponse } from "node:http";
import { drawPicture, KINDS } from "./picture.ts";

/** An uploaded picture. */
export interface Upload {
	readonly bytes: Buffer;
	readonly type: string;
}

/** The first bytes, in hex, of what is shown as a picture. SVG is not among them: it can hold scripts. */
const SIGNATURES: readonly (readonly [type: string, suffix: string, signature: RegExp])[] = [
	["image/png", "png", /^89504e470d0a1a0a/],
	["image/jpeg", "jpg", /^ffd8ff/],
	["image/gif", "gif", /^474946383[79]61/],
	["image/webp", "webp", /^52494646.{8}57454250/],
];

/** The pictures of pets: drawn ones of any number, and those that were uploaded. */
export class Pictures {
	/** By name, the oldest first. */
	readonly #uploads = new Map<string, Upload>();
	readonly #mostBytes: number;
	#size = 0;
	#count = 0;

	/** Uploads are kept up to so many bytes together; then the oldest go. */
	constructor(mostBytes = 64 * 1024 * 1024) {
		this.#mostBytes = mostBytes;
	}

	/** Keeps an uploaded file. Returns its name below the address of the pictures, or undefined when it is no picture. */
	keep(petId: bigint, bytes: Buffer): string | undefined {
		const head = bytes.toString("hex", 0, 12);
		const [type, suffix] = SIGNATURES.find(([, , signature]) => signature.test(head)) ?? [];
		if (type === undefined) return undefined;
		const name = `upload-${petId}-${++this.#count}.${suffix}`;
		this.#uploads.set(name, { bytes, type });
		this.#size += bytes.length;
		for (const [oldest, { bytes: its }] of this.#uploads) {
			if (this.#size <= this.#mostBytes || oldest === name) break;
			this.#uploads.delete(oldest);
			this.#size -= its.length;
		}
		return name;
	}

	/** Whether an upload is still kept. */
	has(name: string): boolean {
		return this.#uploads.has(name);
	}

	/** Sends the picture of a name, or 404. It needs no credential, as the addresses of photos have none. */
	send(response: ServerResponse, name: string): void {
		const found = this.#uploads.get(name) ?? drawn(name);
		response.writeHead(found === undefined ? 404 : 200, {
			"content-type": found?.type ?? "text/plain",
			"content-length": found?.bytes.length ?? 0,
			"content-security-policy": "default-src 'none'; sandbox",
			"x-content-type-options": "nosniff",
			"cache-control": "no-cache",
		});
		response.end(found?.bytes);
	}
}

function drawn(name: string): Upload | undefined {
	const [, asked, number] = /^([a-z]+)-(\d{1,6})\.png$/.exec(name) ?? [];
	const kind = KINDS.find((one) => one === asked);
	return kind && { bytes: drawPicture(kind, Number(number)), type: "image/png" };
}
