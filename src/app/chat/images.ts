import type { ImageBlock, InputBlock, MessagesRequest, TextBlock } from "#api/messages/model.ts";
import { base64Of } from "#base/base64.ts";
import { ClientError } from "#base/errors.ts";
import { hasTooManyPixels, imageSizeOf, imageTypeOf, SHOWN_TYPES } from "#base/image.ts";
import { LIMITS } from "#base/limits.ts";
import { taskQueue } from "#base/task-queue.ts";
import { sizeWords } from "#base/tokens.ts";
import { isImageHash, type StoredImage } from "./attachments.ts";
import type { ConversationState } from "./conversation.ts";
import type { JournalFiles } from "./journal-files.ts";

const SUFFIX = ".image";

/** Reference in a journal or a draft. In a text of the person the quotation marks would be escaped. */
const REFERENCE = /"hash":"([0-9a-f]{64})"/g;

/** Overlap of two pieces of a file, longer than a reference. */
const OVERLAP = 100;

const MISSING = "[An image was here. Its file is missing, so it is not shown to you.]";

/** Type of an image that models accept, by its first bytes; undefined for anything else. */
export function shownType(bytes: Uint8Array): ReturnType<typeof imageTypeOf> {
	const found = imageTypeOf(bytes);
	return found !== undefined && SHOWN_TYPES.has(found.type) ? found : undefined;
}

/** Store of images, each once in the folder of the conversations. */
export class ImageStore {
	readonly #files: JournalFiles;
	readonly #inTurn = taskQueue();

	constructor(files: JournalFiles) {
		this.#files = files;
	}

	/** Stores an image. Rejects with `invalid` for one that models do not accept. */
	async keep(bytes: Uint8Array<ArrayBuffer>): Promise<StoredImage> {
		const mediaType = shownType(bytes)?.type;
		if (mediaType === undefined) throw refused("Unsupported image format. Attach a PNG, JPEG, WebP or GIF.");
		if (hasTooManyPixels(bytes)) throw refused("The image has too many pixels. Scale it down, then attach it again.");
		if (bytes.length > LIMITS.imageBytes) throw refused(`The image is too large (${sizeWords(bytes.length)}).`);
		const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
		const hash = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
		// Even if it exists, since `clean` goes by the last write. One after the other, to write no file twice at once.
		await this.#inTurn(() => this.#files.write(hash + SUFFIX, bytes));
		return { hash, mediaType, bytes: bytes.length, ...(imageSizeOf(bytes) ?? { width: 0, height: 0 }) };
	}

	/** Reads an image and its type, if it is there. */
	async read(hash: string) {
		if (!isImageHash(hash)) return undefined;
		const bytes = await this.#files.read(hash + SUFFIX).catch(() => undefined);
		const type = bytes && shownType(bytes);
		return bytes && type && { bytes, ...type };
	}

	/** Reads an image in base64, if it is there. */
	async base64(hash: string): Promise<string | undefined> {
		const found = await this.read(hash);
		return found && base64Of(found.bytes);
	}

	/** Removes unreferenced images last written before a time in milliseconds since 1970. Rejects if a file is unreadable. */
	async clean(before: number): Promise<void> {
		const all = await this.#files.list();
		const old = all.filter(({ name, at }) => name.endsWith(SUFFIX) && at < before).map(({ name }) => name);
		if (old.length === 0) return;
		const kept = new Set<string>();
		for (const { name } of all.filter((file) => !file.name.endsWith(SUFFIX))) {
			const decoder = new TextDecoder("latin1");
			let text = "";
			for await (const piece of this.#files.pieces(name)) {
				text = text.slice(-OVERLAP) + decoder.decode(piece);
				for (const [, hash] of text.matchAll(REFERENCE)) kept.add(`${hash}${SUFFIX}`);
			}
		}
		for (const name of old) if (!kept.has(name)) await this.#files.remove(name);
	}
}

/** Makes the attachment of an image, with a text for models that see none. */
export function imageAttachment(label: string, image: StoredImage) {
	const text = `${imageWords(image)}: not shown to you, since this model is not known to take images.`;
	return { kind: "image" as const, label, text, image };
}

/** Describes an image, such as `Image, 800 x 600 PNG`. */
export function imageWords({ mediaType, width, height }: StoredImage): string {
	const size = width > 0 && height > 0 ? `${width} x ${height} ` : "";
	return `Image, ${size}${mediaType.replace("image/", "").toUpperCase()}`;
}

/** Hashes of all images of a conversation and its queue. */
export function imagesOf({ entries, facts }: Pick<ConversationState, "entries" | "facts">): readonly string[] {
	const calls = entries.flatMap((entry) => (entry.role === "user" ? [] : entry.calls));
	const turns = [...entries.filter((entry) => entry.role === "user"), ...(facts.queue ?? [])];
	const attached = turns.flatMap(({ attachments = [] }) => attachments.flatMap(({ image = [] }) => image));
	return [...new Set([...attached, ...calls.flatMap(({ images = [] }) => images)].map(({ hash }) => hash))];
}

/** Replaces the hashes in a request by images in base64, or by a text if the file is gone. `shown` maps displayed base64. */
export async function withImages(
	request: MessagesRequest,
	read: (hash: string) => Promise<string | undefined> = async () => undefined,
	shown = (data: string) => data,
): Promise<MessagesRequest> {
	const filled = async <B extends InputBlock>(block: B): Promise<B | ImageBlock | TextBlock> => {
		if (block.type === "tool_result" && typeof block.content !== "string") {
			return { ...block, content: await Promise.all(block.content.map(filled)) };
		}
		if (block.type !== "image" || !isImageHash(block.source.data)) return block;
		const data = await read(block.source.data);
		if (data === undefined) return { type: "text", text: MISSING };
		return { ...block, source: { ...block.source, data: shown(data) } };
	};
	const messages = request.messages.map(async (message) =>
		typeof message.content === "string"
			? message
			: { ...message, content: await Promise.all(message.content.map(filled)) },
	);
	return { ...request, messages: await Promise.all(messages) };
}

function refused(sentence: string): ClientError {
	return new ClientError("messages", "invalid", sentence, { field: "image" });
}
