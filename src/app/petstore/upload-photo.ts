import type { CallOptions } from "#api/petstore/client.ts";
import { invalid } from "#base/errors.ts";
import { imageTypeOf } from "#base/image.ts";
import type { PetService } from "./pet-service.ts";
import type { PetAddress } from "./pet-text.ts";
import { send, stillWaiting } from "./write.ts";

/** Photo to upload. */
export interface PhotoFile {
	readonly name: string;
	readonly bytes: Uint8Array;
}

/** Larger files are not sent: no store takes them. Bytes. */
const LARGEST_PHOTO = 32 * 1024 * 1024;

/** Throws ClientError `invalid` for a file of more bytes than any store takes. */
export function refuseTooLarge(bytes: number): void {
	if (bytes > LARGEST_PHOTO) throw invalid("petstore", "file", `is larger than ${LARGEST_PHOTO / 1024 / 1024} MB`);
}

/**
 * Uploads a photo of a pet (`uploadFile`), with a description where one is given. Resolves to the message of the store,
 * empty where it says nothing, and `now`, the photos of the pet where the answer was lost and they can be read. Rejects
 * with ClientError: `invalid` for `file` that is too large or no picture, before anything is sent; what the store refuses.
 */
export async function uploadPhoto(
	service: PetService,
	address: PetAddress,
	{ metadata, ...file }: PhotoFile & { readonly metadata?: string | undefined },
	options: CallOptions = {},
) {
	const { connection, id } = address;
	refuseTooLarge(file.bytes.length);
	const image = imageTypeOf(file.bytes);
	if (image === undefined) throw invalid("petstore", "file", "is not a PNG, JPEG, GIF, WebP, AVIF or BMP picture");
	const { client } = await service.clients.open(connection);
	const form = { petId: id, file: { ...file, type: image.type }, additionalMetadata: metadata };
	const { said, lost } = await send(() => client.call("uploadFile", form, options));
	// A store may have added the address of the photo; the pet cannot be read without an API key.
	const after = await service.get(address, stillWaiting(options)).catch(() => undefined);
	if (after !== undefined) service.tell({ connection, id, after });
	return {
		pet: id,
		bytes: file.bytes.length,
		message: said?.data?.message ?? "",
		confirmed: lost === undefined,
		...(lost && after ? { now: after.photoUrls ?? [] } : {}),
	};
}
