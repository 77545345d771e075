import type { CallOptions } from "#api/petstore/client.ts";
import { invalid } from "#base/errors.ts";
import { imageTypeOf } from "#base/image.ts";
import { type PetService, readAddress } from "./pet-service.ts";
import { send, stillWaiting } from "./write.ts";

/** A photo and whose it is. */
export interface PhotoWish {
	/** The id of the connection. */
	readonly connection: string;
	/** The pet's id, as decimal digits or as an exact number. */
	readonly pet: string | number;
	readonly file: { readonly name: string; readonly bytes: Uint8Array };
	/** Description that is sent along. */
	readonly metadata?: string | undefined;
}

/** Result of an upload. */
export interface PhotoResult {
	/** The pet's id, as decimal digits. */
	readonly pet: string;
	/** Of the file. */
	readonly bytes: number;
	/** Message of the store; empty when it says nothing. */
	readonly message: string;
	/** False where the answer was lost. */
	readonly confirmed: boolean;
	/** Photos of the pet then; absent where the answer came, or the pet could not be read. */
	readonly now?: readonly string[];
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
	service: PetService,
	{ file, metadata, ...whose }: PhotoWish,
	options: CallOptions = {},
): Promise<PhotoResult> {
	const { clients } = service;
	// In one way only: by another writing of its id the pet would be known twice.
	const { connection, id } = readAddress(clients.parts.registry, whose.connection, whose.pet);
	refuseTooLarge(file.bytes.length);
	const image = imageTypeOf(file.bytes);
	if (image === undefined) throw invalid("petstore", "file", "is not a PNG, JPEG, GIF, WebP, AVIF or BMP picture");
	const { client } = await clients.open(connection);
	const form = {
		petId: id,
		file: { ...file, type: image.type },
		...(metadata === undefined ? {} : { additionalMetadata: metadata }),
	};
	const { said, lost } = await send(() => client.call("uploadFile", form, options));
	// A store may have added the address of the photo; without an API key nobody can tell.
	const after = await service.get({ connection, id }, stillWaiting(options)).catch(() => undefined);
	if (after !== undefined) service.tell({ connection, id, after });
	return {
		pet: id,
		bytes: file.bytes.length,
		message: said?.data?.message ?? "",
		confirmed: lost === undefined,
		...(lost && after ? { now: after.photoUrls ?? [] } : {}),
	};
}
