import type { CallOptions } from "#api/petstore/client.ts";
import { imageTypeOf } from "#api/petstore/image-type.ts";
import { invalid } from "#base/errors.ts";
import { readAddress } from "./pet-address.ts";
import type { Pets } from "./pets.ts";
import { send, stillWaiting } from "./write.ts";

/** A photo and whose it is. */
export interface PhotoWish {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's id, as decimal digits or as an exact number. */
	readonly pet: string | number;
	readonly file: { readonly name: string; readonly bytes: Uint8Array };
	/** What is to be said of it. */
	readonly metadata?: string | undefined;
}

/** What has become of an upload. */
export interface PhotoResult {
	/** The pet's id, as decimal digits. */
	readonly pet: string;
	/** Of the file. */
	readonly bytes: number;
	/** What the store says; empty when it says nothing. */
	readonly message: string;
	/** False where the answer was lost and the pet is not seen to have another photo since. */
	readonly confirmed: boolean;
	/** True where the answer was lost and the pet, seen before and after, has the same photos. */
	readonly unchanged?: true;
}

/** Larger files are not sent: no store takes them. Bytes. */
const LARGEST_PHOTO = 32 * 1024 * 1024;

/** Throws ClientError `invalid` for a file of more bytes than any store takes. */
export function refuseTooLarge(bytes: number): void {
	if (bytes > LARGEST_PHOTO) throw invalid("petstore", "file", `is larger than ${LARGEST_PHOTO / 1024 / 1024} MB`);
}

/**
 * Uploads a photo of a pet (`uploadFile`) and tells how the pet is then. Rejects with ClientError: `invalid` for `file`
 * that is too large or no picture and for `pet` that is no id, before anything is sent; what the store refuses.
 */
export async function uploadPhoto(
	pets: Pets,
	{ file, metadata, ...whose }: PhotoWish,
	options: CallOptions = {},
): Promise<PhotoResult> {
	const { clients, registry, changes } = pets.parts;
	// In one way only: by another writing of its id the pet would be known twice.
	const { connection, id } = readAddress(registry, whose.connection, whose.pet);
	refuseTooLarge(file.bytes.length);
	const image = imageTypeOf(file.bytes);
	if (image === undefined) throw invalid("petstore", "file", "is not a PNG, JPEG, GIF, WebP, AVIF or BMP picture");
	const { client } = await clients.open(connection);
	const before = pets.of(connection).get(id)?.photoUrls;
	const form = {
		petId: id,
		file: { ...file, type: image.type },
		...(metadata === undefined ? {} : { additionalMetadata: metadata }),
	};
	const { said, lost } = await send(() => client.call("uploadFile", form, options));
	// A store may have added the address of the photo; without an API key nobody can tell.
	const after = await pets.read(connection, id, stillWaiting(options)).catch(() => undefined);
	if (after !== undefined) changes.tell({ connection, id, after });
	// Stores need not tell the address of what they keep: no other photo says nothing against it.
	const isThere = before !== undefined && after?.photoUrls?.some((url) => !before.includes(url)) === true;
	return {
		pet: id,
		bytes: file.bytes.length,
		message: said?.data?.message ?? "",
		confirmed: lost === undefined || isThere,
		...(lost && before && after && !isThere ? { unchanged: true } : {}),
	};
}
