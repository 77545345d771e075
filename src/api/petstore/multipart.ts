import { randomUUID } from "node:crypto";
import type { Upload } from "./model.ts";

/** A form with a file, ready to be sent. */
export interface Multipart {
	readonly contentType: string;
	readonly bytes: Uint8Array;
}

/** Builds the form of `uploadFile` (contract section 4). A form without any part would not be one: one is always there. */
export function buildMultipart({
	additionalMetadata,
	file,
}: {
	additionalMetadata?: string;
	file?: Upload;
}): Multipart {
	const boundary = `switchboard-${randomUUID()}`;
	const parts: Uint8Array[] = [];
	const add = (disposition: string, content: string | Uint8Array) => {
		const head = `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
		parts.push(Buffer.from(head), Buffer.from(content), Buffer.from("\r\n"));
	};
	if (additionalMetadata !== undefined || file === undefined) {
		add('name="additionalMetadata"', additionalMetadata ?? "");
	}
	if (file !== undefined) {
		add(`name="file"; filename="${plainName(file.name)}"\r\nContent-Type: ${file.type}`, file.bytes);
	}
	parts.push(Buffer.from(`--${boundary}--\r\n`));
	return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: Buffer.concat(parts) };
}

/** Services disagree on how a name with other characters is written, and some take a path apart. */
function plainName(name: string): string {
	const last = name.split(/[\\/]/).at(-1) ?? "";
	const plain = last
		.normalize("NFKD")
		.replace(/\p{M}+/gu, "")
		.replace(/[^\w.-]+/g, "_")
		.slice(-100);
	return /[a-z0-9]/i.test(plain) ? plain : "file";
}
