import type { ServerResponse } from "node:http";
import { imageTypeOf } from "#base/image.ts";
import data from "./pets.json" with { type: "json" };

/** Pictures of pets by name, as PNG in base64. */
const DRAWN = new Map(Object.entries(data.pictures).map(([name, picture]) => [`${name}.png`, picture]));

/** Seeded and uploaded pictures of pets. */
export class Pictures {
	readonly #uploads = new Map<string, { readonly bytes: Buffer; readonly type: string }>();

	/** Keeps an upload; returns its name below the address of the pictures, or undefined if it is no picture. */
	keep(petId: bigint, bytes: Buffer): string | undefined {
		const image = imageTypeOf(bytes);
		if (image === undefined) return undefined;
		const name = `upload-${petId}-${this.#uploads.size + 1}.${image.suffix}`;
		this.#uploads.set(name, { bytes, type: image.type });
		return name;
	}

	/** Sends a picture, or 404. Needs no credential, as photo addresses have none. */
	send(response: ServerResponse, name: string): void {
		const picture = DRAWN.get(name);
		const drawn = picture === undefined ? undefined : { bytes: Buffer.from(picture, "base64"), type: "image/png" };
		const found = this.#uploads.get(name) ?? drawn;
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
