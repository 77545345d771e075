import { base64Of } from "#base/base64.ts";
import { hasTooManyPixels, SHOWN_TYPES } from "#base/image.ts";
import { LIMITS } from "#base/limits.ts";
import type { ContextToPanel } from "#protocol/context.ts";
import type { ToHost } from "#protocol/panel.ts";
import { el } from "./dom.ts";

/** Longest edge of a sent image: services scale larger ones down themselves. Pixels. */
const LONGEST_EDGE = 1568;

/** Images of attachments, requested once each and kept as blobs while the page shows them. */
export class Images {
	readonly #post: (message: ToHost) => void;
	readonly #all = new Map<string, { url?: string; shown: HTMLImageElement[] }>();

	constructor(post: (message: ToHost) => void) {
		this.#post = post;
	}

	/** Creates the thumbnail of an image, whose bytes may come later. */
	thumbnail(hash: string, label: string): HTMLImageElement {
		const element = el("img", { class: "thumbnail", attributes: { alt: "", "data-label": label } });
		const known = this.#all.get(hash);
		if (known === undefined) this.#post({ type: "want-image", hash });
		if (known?.url !== undefined) show(element, known.url);
		if (known === undefined) this.#all.set(hash, { shown: [element] });
		else known.shown.push(element);
		return element;
	}

	take({ hash, mediaType, data }: Extract<ContextToPanel, { type: "image" }>): void {
		const known = this.#all.get(hash);
		if (known === undefined || known.url !== undefined || !SHOWN_TYPES.has(mediaType)) return;
		known.url = URL.createObjectURL(imageFile({ mediaType, data }));
		for (const element of known.shown) show(element, known.url);
	}

	/** Releases the images that the page no longer shows. */
	sweep(): void {
		for (const [hash, image] of this.#all) {
			image.shown = image.shown.filter(({ isConnected }) => isConnected);
			if (image.shown.length > 0) continue;
			if (image.url !== undefined) URL.revokeObjectURL(image.url);
			this.#all.delete(hash);
		}
	}
}

/** Sets the source of an image together with its name, since a name without a source looks broken. */
function show(element: HTMLImageElement, url: string): void {
	element.src = url;
	element.alt = element.dataset["label"] ?? "";
}

function imageFile({ mediaType: type, data }: { readonly mediaType: string; readonly data: string }): File {
	return new File([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], "", { type });
}

/** Scales an image down for the host; the answer is empty if it cannot be read. */
export async function scaledForHost(image: Extract<ContextToPanel, { type: "picked-image" }>) {
	const data = await imageToSend(imageFile(image)).catch(() => "");
	return { type: "paste-image", conversation: "", key: image.key, label: "", data } as const;
}

/** Pasted, dropped or picked images on their way to the host. */
export class GivenImages {
	readonly #post: (message: ToHost) => void;
	readonly #refused: (why: string) => void;
	/** Groups of images under decoding; false if one was refused. */
	readonly #decoding = new Set<Promise<boolean>>();
	/** True after an image was posted, until the host reports the attachments. */
	areOnTheWay = false;

	/** `refused` gets the reason if an image cannot be attached, as a sentence for the person. */
	constructor(post: (message: ToHost) => void, refused: (why: string) => void) {
		this.#post = post;
		this.#refused = refused;
	}

	get areDecoding(): boolean {
		return this.#decoding.size > 0;
	}

	/** Decodes images for the draft of a conversation, even if another one is on screen by then. */
	take(files: readonly File[], conversation: string): void {
		const decoding = this.#decode(files, conversation);
		this.#decoding.add(decoding);
		void decoding.then(() => this.#decoding.delete(decoding));
	}

	/** Resolves when all are posted; to false if one was refused. */
	async decoded(): Promise<boolean> {
		return !(await Promise.all(this.#decoding)).includes(false);
	}

	/** Decodes one after the other, to keep their order. */
	async #decode(files: readonly File[], conversation: string): Promise<boolean> {
		let areWhole = true;
		for (const file of files) {
			try {
				this.#post({ type: "paste-image", conversation, label: file.name, data: await imageToSend(file) });
				this.areOnTheWay = true;
			} catch {
				this.#refused(`${file.name} could not be read as an image. It may be damaged or too large.`);
				areWhole = false;
			}
		}
		return areWhole;
	}
}

/** Pasted or dropped files that can be attached as images. */
export function imagesIn(data: DataTransfer | null): readonly File[] {
	return [...(data?.files ?? [])].filter(({ type }) => SHOWN_TYPES.has(type));
}

/** Encodes an image in base64, scaled down if it is large, and converted if it is WebP. Rejects if it cannot be read. */
async function imageToSend(file: File): Promise<string> {
	if (hasTooManyPixels(new Uint8Array(await file.arrayBuffer()))) throw new Error("The picture has too many pixels.");
	const bitmap = await createImageBitmap(file);
	try {
		const scale = Math.min(1, LONGEST_EDGE / Math.max(bitmap.width, bitmap.height));
		const { type } = file;
		// Some local engines cannot decode WebP.
		const isSent = type !== "image/webp" && file.size <= LIMITS.imageBytes;
		const isSmall = isSent && (scale === 1 || type === "image/gif");
		const scaled = (edge: number) => (isSmall ? edge : Math.max(1, Math.round(edge * scale)));
		const size = { width: scaled(bitmap.width), height: scaled(bitmap.height) };
		const blob = isSmall ? file : await drawn(bitmap, size, type === "image/jpeg");
		return base64Of(new Uint8Array(await blob.arrayBuffer()));
	} finally {
		bitmap.close();
	}
}

/** Draws a picture at a size, as a JPEG if it was one or is too large as a PNG. */
async function drawn(
	bitmap: ImageBitmap,
	{ width, height }: { readonly width: number; readonly height: number },
	isPhoto: boolean,
): Promise<Blob> {
	const canvas = new OffscreenCanvas(width, height);
	const context = canvas.getContext("2d");
	if (context === null) throw new Error("The page cannot draw.");
	context.imageSmoothingQuality = "high";
	context.drawImage(bitmap, 0, 0, width, height);
	if (!isPhoto) {
		const png = await canvas.convertToBlob();
		if (png.size <= LIMITS.imageBytes) return png;
	}
	// A JPEG has no transparency, which would become black.
	context.globalCompositeOperation = "destination-over";
	context.fillStyle = "white";
	context.fillRect(0, 0, width, height);
	return canvas.convertToBlob({ type: "image/jpeg", quality: 0.9 });
}
